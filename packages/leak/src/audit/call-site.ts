import util from 'node:util';
import { fileURLToPath } from 'node:url';
import { relative } from 'node:path';
import { installedFile } from './installed-file.ts';

/** One place in a program. */
interface CallSite {
  /** Empty for code at the top of a module. */
  readonly function: string;
  /** Address of the file in V8's form. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * The place that attached something: the nearest one outside of Node.js, and the nearest one outside of installed packages if that differs.
 */
export interface Origin {
  readonly site: CallSite;
  readonly caller: CallSite | undefined;
}

/** Number of frames that are read. Node.js has up to ten of its own between a request and its socket. */
const frames = 14;
/** Files of Plimsoll: everything beside the package that this file is in, which is the host's where the preload is one bundle. */
const ownRoot = import.meta.url
  .replace(/^file:\/\//, '')
  .replace(/(?:leak\/(?:src|dist)\/audit|host\/bundle)\/[^/]*$/, '');

export function isOwnFile(file: string): boolean {
  return (
    file.replace(/^file:\/\//, '').startsWith(ownRoot) || /[\\/]node_modules[\\/]plimsoll[\\/]/.test(file)
  );
}

/**
 * The origin of the running call; undefined when it is Plimsoll's own or unknown. `util.getCallSites` does not run the program's
 * `Error.prepareStackTrace`, and unlike an unread `Error.stack` it keeps no function alive.
 */
export function originHere(isOwn: (file: string) => boolean = isOwnFile): Origin | undefined {
  return originOf(util.getCallSites(frames), isOwn);
}

/** The used fields of a frame of `util.getCallSites`. */
export interface StackFrame {
  readonly functionName: string;
  readonly scriptName: string;
  readonly lineNumber: number;
  /** Named `column` until Node 22.11. */
  readonly columnNumber?: number;
}

/** The origin from frames, innermost first, including those of the taps. */
export function originOf(all: readonly StackFrame[], isOwn: (file: string) => boolean): Origin | undefined {
  // A tapped method of Node.js may call another one, so taps can also be in the middle of a stack.
  const outside = all.filter((frame) => !isNode(frame.scriptName) && !isTap(frame));
  const site = outside[0];
  if (site === undefined || isOwn(site.scriptName)) return undefined;
  const caller = installedFile(site.scriptName)
    ? outside.find(({ scriptName }) => !installedFile(scriptName) && !isOwn(scriptName))
    : undefined;
  return { site: siteOf(site), caller: caller === undefined ? undefined : siteOf(caller) };
}

const tapFiles =
  /[\\/]leak[\\/](?:src|dist)[\\/]audit[\\/](?:[a-z]+-tap|call-site|attachment-ledger)\.[jt]s$/;

function isTap({ scriptName }: StackFrame): boolean {
  return tapFiles.test(scriptName);
}

function isNode(file: string): boolean {
  return file === '' || file.startsWith('node:');
}

function siteOf({ functionName, scriptName, lineNumber, columnNumber }: StackFrame): CallSite {
  return { function: functionName, file: scriptName, line: lineNumber, column: columnNumber ?? 0 };
}

/** Text of a site: `Run.start (src/run.ts:51:7)`. */
export function siteText(site: CallSite, cwd: string = process.cwd()): string {
  const place = `${nearFile(site.file, cwd)}:${site.line}:${site.column}`;
  return site.function === '' ? place : `${site.function} (${place})`;
}

/** The path of the file relative to `cwd`, or the full path when it is outside. */
function nearFile(file: string, cwd: string): string {
  let path = file;
  try {
    if (file.startsWith('file:')) path = fileURLToPath(file);
  } catch {
    return file;
  }
  const near = relative(cwd, path);
  return near === '' || near.startsWith('..') ? path : near;
}
