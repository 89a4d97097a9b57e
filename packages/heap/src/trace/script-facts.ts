import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';

/** What the files beside a script say about a place in it. */
export interface ScriptFacts {
  /** The place in the source that a bundler or compiler made the script from. Its file is an absolute path where that is known. */
  readonly source?: { readonly file: string; readonly line: number; readonly name: string | undefined };
  /** The package that the code belongs to, with its version, e.g. `lru-cache 11.2.1`. */
  readonly package?: string;
}

/** Larger scripts and maps are not read. */
const mostScriptBytes = 32 * 1024 ** 2;
const mostMapBytes = 64 * 1024 ** 2;
/** The comment that names a map stands at the end of a script. */
const tailBytes = 4096;
/** Maps that are kept open; a trace leads through a few scripts. */
const mostMaps = 4;
const comment = /\/\/[#@] sourceMappingURL=(?<url>\S+)\s*$/;
const inline = /^data:application\/json[^,]*;base64,(?<data>.+)$/;

/**
 * Looks up the source maps of scripts and the versions of packages, from the files on this machine. Only traces that are shown ask for it.
 * A script that is not here, or that has no map, has no facts.
 */
export class ScriptFactsReader {
  readonly #maps = new Map<string, TraceMap | undefined>();
  readonly #packages = new Map<string, string | undefined>();

  /** Line and column count from 0, as V8's do. */
  of(script: string, line: number, column: number): ScriptFacts {
    const file = pathOf(script);
    if (file === undefined) return {};
    const source = this.#sourceOf(file, line, column);
    const name = this.#packageOf(source?.file ?? file);
    return { ...(source !== undefined && { source }), ...(name !== undefined && { package: name }) };
  }

  #sourceOf(file: string, line: number, column: number): ScriptFacts['source'] {
    const map = this.#mapOf(file);
    if (map === undefined) return undefined;
    const found = originalPositionFor(map, { line: line + 1, column });
    if (found.source === null) return undefined;
    const source = pathOf(found.source) ?? join(dirname(file), found.source);
    return { file: source, line: found.line, name: found.name ?? undefined };
  }

  #mapOf(file: string): TraceMap | undefined {
    if (this.#maps.has(file)) return this.#maps.get(file);
    if (this.#maps.size >= mostMaps) this.#maps.delete(this.#maps.keys().next().value as string);
    const map = readMap(file);
    this.#maps.set(file, map);
    return map;
  }

  #packageOf(file: string): string | undefined {
    const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/@][^/]*(?=\/)/.exec(file)?.[0];
    if (folder === undefined) return undefined;
    if (!this.#packages.has(folder)) this.#packages.set(folder, packageIn(folder));
    return this.#packages.get(folder);
  }
}

function pathOf(script: string): string | undefined {
  if (script.startsWith('/')) return script;
  try {
    return script.startsWith('file:') ? fileURLToPath(script) : undefined;
  } catch {
    return undefined;
  }
}

function packageIn(folder: string): string | undefined {
  const text = readText(join(folder, 'package.json'), 1024 ** 2);
  try {
    const { name, version } = JSON.parse(text ?? 'null') as {
      readonly name?: unknown;
      readonly version?: unknown;
    };
    return typeof name === 'string' && typeof version === 'string' ? `${name} ${version}` : undefined;
  } catch {
    return undefined;
  }
}

function readMap(file: string): TraceMap | undefined {
  const tail = readText(file, mostScriptBytes, tailBytes);
  const url = comment.exec(tail ?? '')?.groups?.['url'] ?? inlineUrl(file, tail);
  if (url === undefined) return undefined;
  try {
    const data = inline.exec(url)?.groups?.['data'];
    const text =
      data === undefined
        ? readText(pathOf(url) ?? join(dirname(file), decodeURIComponent(url)), mostMapBytes)
        : Buffer.from(data, 'base64').toString('utf8');
    return text === undefined ? undefined : new TraceMap(text);
  } catch {
    return undefined;
  }
}

/** A map inside of the script is longer than the tail that is read first: its last line has no beginning there. */
function inlineUrl(file: string, tail: string | undefined): string | undefined {
  if (tail === undefined || tail.length < tailBytes || /\n\s*\S/.test(tail.trimEnd().slice(-tailBytes / 2)))
    return undefined;
  return comment.exec(readText(file, mostScriptBytes) ?? '')?.groups?.['url'];
}

/** The text of a regular file that is not too large, or its end. */
function readText(file: string, mostBytes: number, lastBytes = mostBytes): string | undefined {
  let descriptor: number | undefined;
  try {
    // A snapshot may name anything; a pipe must not make us wait.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size > mostBytes) return undefined;
    if (stat.size <= lastBytes) return readFileSync(descriptor, 'utf8');
    const bytes = Buffer.alloc(lastBytes);
    readSync(descriptor, bytes, 0, lastBytes, stat.size - lastBytes);
    return bytes.toString('utf8');
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
