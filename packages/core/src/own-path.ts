import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
} from 'node:fs';
import { dirname, join, parse, resolve, sep } from 'node:path';
import { failure } from './errors.ts';
import { makeFolder } from './make-folder.ts';
import { readRegularText } from './read-regular-file.ts';

/** What `lstat` says of a path, as far as ownership goes. */
export interface PathStat {
  readonly uid: number;
  readonly mode: number;
  isDirectory(): boolean;
  isFile(): boolean;
  isSocket(): boolean;
  isSymbolicLink(): boolean;
}

/** Who asks, and what the file system answers. Tests pass their own. */
export interface PathView {
  /** The user of this process; undefined where there are none (Windows), and then nothing is checked. */
  readonly uid: number | undefined;
  /** Undefined when there is nothing at the path; throws when it cannot be looked at. */
  readonly lstat: (path: string) => PathStat | undefined;
  readonly readlink: (path: string) => string;
}

type PathKind = 'folder' | 'file' | 'socket';

const system: PathView = {
  // The effective user owns what the process makes.
  uid: process.geteuid?.(),
  lstat: (path) => lstatSync(path, { throwIfNoEntry: false }),
  readlink: (path) => readlinkSync(path),
};

const groupOrOthersWrite = 0o022;
const othersWrite = 0o002;
const sticky = 0o1000;
const mostLinks = 40;

/** What was found of a path: `fault` says why it cannot be trusted; `path` is without links; `stat` is undefined when nothing is there. */
interface PathCheck {
  readonly fault: string | undefined;
  readonly path: string;
  readonly stat: PathStat | undefined;
}

/**
 * Checks whether a folder, file or socket is ours: made by this user or by root, in a place where nobody else can put another one.
 *
 * Every folder on the way is looked at. One that anybody may write needs the sticky bit, and what we use in it has to be ours: in /tmp
 * another user can make `.plimsoll` before us, but cannot take ours away. A folder that belongs to somebody else, or that a group may
 * write, is accepted on the way: whoever may write the folder of a program can replace the program itself. A link is followed when it lies
 * where only trusted users can make one. After this check nobody else can swap the path, so it may be opened by name.
 */
export function checkPath(path: string, kind: PathKind, view: PathView = system): PathCheck {
  const { uid } = view;
  const whole = resolve(path);
  if (uid === undefined) return { fault: undefined, path: whole, stat: view.lstat(whole) };
  const isTrusted = (owner: number): boolean => owner === uid || owner === 0;
  const { root } = parse(whole);
  let rest = whole.slice(root.length).split(sep).filter(Boolean);
  let at = root;
  let folder = view.lstat(root);
  let links = 0;
  const refused = (fault: string): PathCheck => ({ fault, path: at, stat: undefined });
  while (rest.length > 0) {
    const next = join(at, rest[0] as string);
    const stat = view.lstat(next);
    if (stat === undefined) return { fault: undefined, path: join(at, ...rest), stat: undefined };
    if (folder !== undefined && (folder.mode & othersWrite) !== 0) {
      if ((folder.mode & sticky) === 0 || !isTrusted(folder.uid))
        return refused(`any user may remove or replace files in ${at}`);
      if (!isTrusted(stat.uid))
        return refused(
          `${next} belongs to user ${stat.uid} and lies in ${at}, where anybody may make files; this process runs as user ${uid}`,
        );
    }
    if (stat.isSymbolicLink()) {
      if (++links > mostLinks) return refused(`${next} is a link without an end`);
      const target = resolve(at, view.readlink(next));
      rest = [...target.slice(root.length).split(sep).filter(Boolean), ...rest.slice(1)];
      at = root;
      folder = view.lstat(root);
      continue;
    }
    at = next;
    folder = stat;
    rest = rest.slice(1);
  }
  const stat = folder;
  const fault = stat === undefined ? undefined : faultOf(stat, kind, uid);
  return { fault, path: at, stat };
}

/** What is wrong with the thing itself. */
function faultOf(stat: PathStat, kind: PathKind, uid: number): string | undefined {
  const isKind = { folder: stat.isDirectory(), file: stat.isFile(), socket: stat.isSocket() }[kind];
  if (!isKind) return `it is no ${kind === 'file' ? 'regular file' : kind}`;
  if (stat.uid !== uid && stat.uid !== 0)
    return `it belongs to user ${stat.uid}, and this process runs as user ${uid}`;
  // We take the write permission of others away from a folder of ours. A socket's mode only says who may connect.
  if ((stat.mode & groupOrOthersWrite) === 0 || kind === 'socket') return undefined;
  if (kind === 'folder' && stat.uid === uid) return undefined;
  return `others than its owner may write it (mode ${(stat.mode & 0o777).toString(8)})`;
}

function ownFolder(dir: string, view: PathView | undefined): PathCheck {
  const check = checkPath(dir, 'folder', view);
  if (check.fault !== undefined) throw failure('PLM_PATH_FOREIGN', { path: dir, reason: check.fault });
  return check;
}

/** The path without links when it is ours. Throws PLM_PATH_FOREIGN when it is not; undefined when nothing is there. */
export function trustedPath(path: string, kind: PathKind, view?: PathView): string | undefined {
  const check = checkPath(path, kind, view);
  if (check.fault !== undefined) throw failure('PLM_PATH_FOREIGN', { path, reason: check.fault });
  return check.stat === undefined ? undefined : check.path;
}

/** Makes a folder for this user alone, or checks that the one which is there is ours. Throws PLM_PATH_FOREIGN, or what the file system says. */
export function makeOwnFolder(dir: string, view?: PathView): void {
  const found = checkPath(dir, 'folder', view);
  const { fault } = found;
  const isFolder = found.stat?.isDirectory() === true;
  if (fault !== undefined && (found.stat === undefined || isFolder))
    throw failure('PLM_PATH_FOREIGN', { path: dir, reason: fault });
  // Where something else is in its place, this throws what the file system says.
  if (!isFolder) makeFolder(dir);
  // Checked again after it was made, because another user may have made it first.
  const { path, stat } = isFolder ? found : ownFolder(dir, view);
  if (view !== undefined || stat === undefined) return;
  if (stat.uid === system.uid && (stat.mode & groupOrOthersWrite) !== 0)
    chmodSync(path, stat.mode & 0o7777 & ~groupOrOthersWrite);
}

/**
 * Opens a file of ours to append to it, or makes it with mode 0600; returns its descriptor. A link, and what is no regular file, is refused
 * by the open itself. A mode that lets others read is taken back. Throws PLM_PATH_FOREIGN, or what the file system says.
 */
export function openOwnFile(path: string): number {
  const { O_CREAT, O_APPEND, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  const refuse = (reason: string): Error => failure('PLM_PATH_FOREIGN', { path, reason });
  let fd: number;
  try {
    // Flags that a platform does not have are undefined there and count as 0 here.
    fd = openSync(path, O_CREAT | O_APPEND | O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    const isLink = (error as NodeJS.ErrnoException).code === 'ELOOP';
    throw isLink ? refuse('it is a link') : error;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw refuse('it is no regular file');
    if (system.uid !== undefined && stat.uid !== system.uid)
      throw refuse(`it belongs to user ${stat.uid}, and this process runs as user ${system.uid}`);
    if ((stat.mode & 0o077) !== 0) fchmodSync(fd, 0o600);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** The text of a file of ours; undefined when there is none. Throws PLM_PATH_FOREIGN, or what `readRegularText` throws. */
export function readOwnText(file: string, maxBytes: number, view?: PathView): string | undefined {
  const path = trustedPath(file, 'file', view);
  return path === undefined ? undefined : readRegularText(path, { maxBytes, noFollow: true });
}

/** Throws PLM_PATH_FOREIGN unless a socket and its folder are ours. What is not there is left to whoever connects. */
export function checkSocket(path: string, view?: PathView): void {
  trustedPath(dirname(path), 'folder', view);
  trustedPath(path, 'socket', view);
}
