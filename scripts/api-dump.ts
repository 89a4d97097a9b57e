import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly types: string }>>;
}

/** A name of a module: declared in it, or taken from another one. */
type Binding =
  | { readonly text: string }
  | { readonly file: string; readonly name: string }
  | { readonly from: string; readonly name: string };

/** One declaration file: its names with their bindings, and its exports. */
interface Module {
  readonly names: Map<string, Binding>;
  readonly exports: Map<string, string>;
  /** Modules of its `export *`. */
  readonly all: string[];
}

/**
 * The public API of a built package as one text: for each entry its named exports, with our declarations that they mention directly, each
 * once. Comments, private members and members of an implemented interface are left out, because the text is read in every review.
 */
export function apiDump(packageDir: string): string {
  const manifest = JSON.parse(readFileSync(resolve(packageDir, 'package.json'), 'utf8')) as Manifest;
  const modules = new Map<string, Module>();
  const printed = new Set<string>();
  const lines: string[] = [];
  const load = (file: string): Module => {
    const known = modules.get(file);
    if (known !== undefined) return known;
    const made = moduleOf(file);
    modules.set(file, made);
    return made;
  };
  const print = (file: string, name: string, isMentioned = false): void => {
    const key = `${file}#${name}`;
    if (printed.has(key)) return;
    printed.add(key);
    const binding = load(file).names.get(name);
    if (binding === undefined || 'from' in binding) return;
    if ('file' in binding) return printExport(binding.file, binding.name, isMentioned);
    lines.push(binding.text);
    if (isMentioned) return;
    for (const [word] of binding.text.matchAll(/[A-Za-z_$][\w$]*/g))
      if (word !== name && load(file).names.has(word)) print(file, word, true);
  };
  const printExport = (file: string, name: string, isMentioned = false): void => {
    const own = load(file).exports.get(name);
    if (own !== undefined) return print(file, own, isMentioned);
    const holder = load(file).all.find((next) => namesOf(next, load).includes(name));
    if (holder !== undefined) printExport(holder, name, isMentioned);
  };
  for (const [entry, target] of Object.entries(manifest.exports)) {
    if (entry.includes('*')) continue;
    const file = resolve(packageDir, target.types);
    const names = namesOf(file, load);
    lines.push(`// ${manifest.name}${entry.slice(1)}: ${names.length === 0 ? 'no names' : names.join(' ')}`);
    for (const name of names) printExport(file, name);
    lines.push('');
  }
  return `${withoutImplemented(lines.join('\n').split('\n')).join('\n').trimEnd()}\n`;
}

const implementing = /^export declare class .*? implements (.*) \{$/;
/** Members that the language's own interfaces require. */
const disposal = new Map([
  ['Disposable', ['[Symbol.dispose](): void;']],
  ['AsyncDisposable', ['[Symbol.asyncDispose](): Promise<void>;']],
]);

/** The lines of a class without members that an implemented interface declares with the same text. */
function withoutImplemented(lines: readonly string[]): readonly string[] {
  const members = new Map<string, readonly string[]>(disposal);
  for (const [at, line] of lines.entries()) {
    const [, name, base] = /^export interface (\w+)(?: extends (\w+))? \{$/.exec(line) ?? [];
    if (name === undefined) continue;
    const own = lines.slice(at + 1, lines.indexOf('}', at)).map((each) => each.trim());
    members.set(name, [...own, ...(members.get(base ?? '') ?? [])]);
  }
  let left = new Set<string>();
  return lines.filter((line) => {
    const interfaces = implementing.exec(line)?.[1];
    if (interfaces !== undefined)
      left = new Set(interfaces.split(', ').flatMap((each) => members.get(each) ?? []));
    else if (line === '}') left = new Set();
    return !left.has(line.trim());
  });
}

function namesOf(file: string, load: (file: string) => Module): readonly string[] {
  const { exports, all } = load(file);
  return [...new Set([...exports.keys(), ...all.flatMap((next) => namesOf(next, load))])].sort();
}

const statement =
  /^(?:import|export)\s+(?:type\s+)?(?:\{([^}]*)\}|\*(?:\s+as\s+(\w+))?)\s*from\s*["']([^"']+)["'];?/;
const list = /^export\s+(?:type\s+)?\{([^}]*)\};?$/;
const declaration =
  /^(export\s+)?(?:declare\s+)?(?:default\s+)?(?:abstract\s+)?(?:const|let|function|class|interface|type|enum|namespace)\s+([\w$]+)/;

function moduleOf(file: string): Module {
  const made: Module = { names: new Map(), exports: new Map(), all: [] };
  for (const text of statementsOf(readFileSync(file, 'utf8'))) {
    const taken = statement.exec(text);
    if (taken !== null) takeFrom(made, file, text, taken);
    else if (list.test(text)) for (const [own, as] of pairs(list.exec(text)?.[1])) made.exports.set(as, own);
    else {
      const [, isExported, name] = declaration.exec(text) ?? [];
      if (name === undefined) continue;
      const before = made.names.get(name);
      const joined = before !== undefined && 'text' in before ? `${before.text}\n${text}` : text;
      made.names.set(name, { text: joined });
      if (isExported !== undefined) made.exports.set(name, name);
    }
  }
  return made;
}

function takeFrom(made: Module, file: string, text: string, taken: RegExpExecArray): void {
  const [, names, whole, specifier] = taken;
  const target = fileOf(file, specifier as string);
  const isExport = text.startsWith('export');
  if (names === undefined) {
    if (isExport && target !== undefined) made.all.push(target);
    else if (whole !== undefined) made.names.set(whole, { from: specifier as string, name: '*' });
    return;
  }
  for (const [own, as] of pairs(names)) {
    const local = isExport ? `${as} of ${specifier}` : as;
    made.names.set(
      local,
      target === undefined ? { from: specifier as string, name: own } : { file: target, name: own },
    );
    if (isExport) made.exports.set(as, local);
  }
}

function pairs(names: string | undefined): readonly (readonly [string, string])[] {
  return (names ?? '')
    .split(',')
    .map((each) => each.trim().replace(/^type\s+/, ''))
    .filter((each) => each !== '')
    .map((each) => {
      const [own, as] = each.split(/\s+as\s+/);
      return [own as string, as ?? (own as string)];
    });
}

/** The declaration file of one of our modules in the same package; undefined for Node.js, a dependency or another package. */
function fileOf(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const file = resolve(dirname(from), specifier.replace(/\.(?:js|ts)$/, '.d.ts'));
  return existsSync(file) ? file : undefined;
}

/** The statements of a declaration file without comments and private members, each on as few lines as it has. */
function statementsOf(source: string): readonly string[] {
  const plain = source
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '')
    .replaceAll(/^\s*(?:#private;|private .*;)$/gm, '');
  const found: string[] = [];
  let open: string[] = [];
  for (const line of plain.split('\n')) {
    if (line.trim() === '') continue;
    open.push(line);
    if (depthOf(open.join('\n')) > 0 || !/[;}]$/.test(line)) continue;
    found.push(shortened(open.join('\n').replaceAll('    ', '  ')));
    open = [];
  }
  return found;
}

/** Longest line that a list of members is put on. */
const width = 120;

/** The same text with the members of each short object type on one line, from the inside out. A class keeps a line per member. */
function shortened(text: string): string {
  const lines = text.split('\n');
  for (let end = 0; end < lines.length; end++) {
    if (!/^\s*\}/.test(lines[end] as string)) continue;
    const begin = lines.slice(0, end).findLastIndex((line) => line.endsWith('{') && !/\bclass\b/.test(line));
    if (begin < 0) continue;
    const members = lines.slice(begin, end + 1);
    const line = members.map((each, i) => (i === 0 ? each : each.trim())).join(' ');
    if (line.length > width) continue;
    lines.splice(begin, members.length, line);
    end = begin;
  }
  return packed(lines).join('\n');
}

const plainMember = /^\s+(?:(?:readonly )?[\w$]+\??|get [\w$]+\(\)): [\w$.<>[\] |']+;$/;

/** Puts neighbouring members of plain types, including getters, on one line up to the width. Methods keep a line each. */
function packed(lines: readonly string[]): readonly string[] {
  const out: string[] = [];
  let isOpen = false;
  for (const line of lines) {
    const before = out.at(-1);
    const isPlain = plainMember.test(line);
    if (isOpen && isPlain && before !== undefined && before.length + line.trim().length < width)
      out[out.length - 1] = `${before} ${line.trim()}`;
    else out.push(line);
    isOpen = isPlain;
  }
  return out;
}

function depthOf(text: string): number {
  let depth = 0;
  for (const letter of text) depth += '{[('.includes(letter) ? 1 : '}])'.includes(letter) ? -1 : 0;
  return depth;
}
