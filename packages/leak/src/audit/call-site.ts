import util from 'node:util';
import { fileURLToPath } from 'node:url';
import { relative } from 'node:path';

/** One place in a program. */
interface CallSite {
  /** Empty for code at the top of a module. */
  readonly function: string;
  /** Address of the file, as V8 has it. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Who attached something: the nearest place outside of Node.js, and the nearest one outside of installed packages when that differs. */
export interface Origin {
  readonly site: CallSite;
  readonly caller: CallSite | undefined;
}

/** Node.js puts up to ten of its own between a request and its socket. */
const frames = 14;
const installed = /[\\/]node_modules[\\/]/;

/** Whether a file belongs to an installed package. */
export function installedFile(file: string): boolean {
  return installed.test(file);
}

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
 * The origin of the running call, or undefined when it is Plimsoll's own or nobody's. `util.getCallSites` does not run the program's
 * `Error.prepareStackTrace` and keeps no function alive, as an unread `Error.stack` would.
 */
export function originHere(isOwn: (file: string) => boolean = isOwnFile): Origin | undefined {
  return originOf(util.getCallSites(frames), isOwn);
}

/** What `util.getCallSites` says of a frame, as far as it is used. */
export interface StackFrame {
  readonly functionName: string;
  readonly scriptName: string;
  readonly lineNumber: number;
  /** `column` until Node 22.11. */
  readonly columnNumber?: number;
}

/** The origin from frames, innermost first, those of the taps among them. */
export function originOf(all: readonly StackFrame[], isOwn: (file: string) => boolean): Origin | undefined {
  // A tapped method of Node.js may call another one, so taps also stand in the middle of a stack.
  const outside = all.filter((frame) => !isNode(frame.scriptName) && !isTap(frame));
  const site = outside[0];
  if (site === undefined || isOwn(site.scriptName)) return undefined;
  const caller = installed.test(site.scriptName)
    ? outside.find(({ scriptName }) => !installed.test(scriptName) && !isOwn(scriptName))
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

/** A site as a person reads it: `Run.start (src/run.ts:51:7)`. */
export function siteText(site: CallSite, cwd: string = process.cwd()): string {
  const place = `${nearFile(site.file, cwd)}:${site.line}:${site.column}`;
  return site.function === '' ? place : `${site.function} (${place})`;
}

/** The file from here, or in full when it lies elsewhere. */
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
