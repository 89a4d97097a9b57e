import type * as Yaml from 'yaml';
import { createRequire } from 'node:module';
import type { PlimsollError } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import type { Place } from './place.ts';
import { formatPlace } from './place.ts';

const maxLineLength = 1000;
const maxIndent = 200;
const maxBrackets = 100;
const maxCompact = 40;

/**
 * The first place where a text nests too deeply for the YAML parser, which recurses. 100,000 times "- " on one line ends in a failed
 * allocation of the regular-expression compiler, which aborts the process instead of throwing.
 */
function findDeepNesting(text: string): { line: number; column: number } | undefined {
  let brackets = 0;
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string;
    const indent = line.length - line.trimStart().length;
    if (line.length > maxLineLength) return { line: i + 1, column: maxLineLength };
    if (indent > maxIndent) return { line: i + 1, column: maxIndent };
    if ((line.match(/^\s*(?:[-?:]\s+)*/)?.[0].match(/[-?:]/g)?.length ?? 0) > maxCompact)
      return { line: i + 1, column: indent + 1 };
    for (const bracket of withoutText(line).matchAll(/[[\]{}]/g)) {
      const opens = bracket[0] === '[' || bracket[0] === '{';
      brackets = Math.max(0, brackets + (opens ? 1 : -1));
      if (brackets > maxBrackets) return { line: i + 1, column: bracket.index + 1 };
    }
  }
  return undefined;
}

/** The line with comments and quoted text blanked, so that brackets in them do not count. */
function withoutText(line: string): string {
  return line
    .replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (quoted) => ' '.repeat(quoted.length))
    .replace(/(^|\s)#.*$/, '$1');
}

/** A YAML document as the loader reads it: aliases resolved, keys unique, every part with its place. */
export type Tree = ScalarTree | MapTree | ListTree;
interface ScalarTree {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  /** The scalar as written. */
  readonly text: string;
  readonly place: Place;
}
export interface MapTree {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
  readonly place: Place;
}
interface MapEntry {
  readonly key: string;
  readonly keyPlace: Place;
  readonly value: Tree;
}
interface ListTree {
  readonly kind: 'list';
  readonly items: readonly Tree[];
  readonly place: Place;
}

export const maxPolicyBytes = 128 * 1024;
const maxDepth = 32;
const maxAliases = 100;
const maxSyntaxProblems = 10;

// Loaded on demand, because loading takes 25 to 35 ms, which a process without a policy file saves.
const load = createRequire(import.meta.url);
const yaml = (): typeof Yaml => load('yaml') as typeof Yaml;

/** Parses YAML text; without a tree there is at least one problem. */
export function parseYamlTree(text: string, file: string): { tree?: Tree; problems: PlimsollError[] } {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxPolicyBytes)
    return { problems: [failure('PLM_POLICY_TOO_BIG', { file, bytes, maxBytes: maxPolicyBytes })] };
  const tooDeep = findDeepNesting(text);
  if (tooDeep !== undefined) return { problems: [syntax({ file, ...tooDeep }, deepText)] };
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const document = parseDocument(text.replace(/^\uFEFF/, ''), {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    // 'silent' would also silence the error about a second document.
    logLevel: 'error',
    strict: true,
  });
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0)
    return {
      problems: faults
        .slice(0, maxSyntaxProblems)
        .map((fault) => syntax(placeAt(fault.pos[0]), syntaxText[fault.code])),
    };
  return new TreeBuilder(document, placeAt, yaml()).build();
}

function syntax(place: Place, text: { what: string; fix: string } | undefined): PlimsollError {
  return failure('PLM_POLICY_SYNTAX', { place: formatPlace(place), ...(text ?? otherText) });
}

class TreeBuilder {
  readonly #document: Yaml.Document.Parsed;
  readonly #placeAt: (offset: number) => Place;
  readonly #yaml: typeof Yaml;
  readonly #problems: PlimsollError[] = [];
  #aliases = 0;

  constructor(document: Yaml.Document.Parsed, placeAt: (offset: number) => Place, yaml: typeof Yaml) {
    this.#document = document;
    this.#placeAt = placeAt;
    this.#yaml = yaml;
  }

  build(): { tree?: Tree; problems: PlimsollError[] } {
    const tree = this.#read(this.#document.contents, this.#placeAt(0), 0, false);
    return this.#problems.length > 0 ? { problems: this.#problems } : { tree, problems: [] };
  }

  #read(node: unknown, parent: Place, depth: number, insideAlias: boolean): Tree {
    const { isAlias, isMap, isScalar, isSeq } = this.#yaml;
    const range = (node as { range?: readonly number[] | null } | null)?.range;
    const place = range ? this.#placeAt(range[0] as number) : parent;
    if (depth > maxDepth) {
      this.#problems.push(syntax(place, deepText));
      return { ...nothing(place), text: '...' };
    }
    if (isAlias(node)) return this.#readAlias(node, place, depth, insideAlias);
    if (isMap(node)) return this.#readMap(node, place, depth, insideAlias);
    if (isSeq(node))
      return {
        kind: 'list',
        items: node.items.map((item) => this.#read(item, place, depth + 1, insideAlias)),
        place,
      };
    if (!isScalar(node)) return nothing(place);
    const { value } = node;
    const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return {
      kind: 'scalar',
      value: plain ? value : null,
      text: node.source ?? (plain ? String(value) : ''),
      place,
    };
  }

  /** Only one step of indirection is allowed, because aliases inside anchored values can make a small file grow to gigabytes. */
  #readAlias(node: Yaml.Alias, place: Place, depth: number, insideAlias: boolean): Tree {
    this.#aliases++;
    const target = insideAlias || this.#aliases > maxAliases ? undefined : node.resolve(this.#document);
    if (target !== undefined && !this.#yaml.isAlias(target)) {
      const tree = this.#read(target, place, depth, true);
      return { ...tree, place };
    }
    if (this.#aliases <= maxAliases + 1)
      this.#problems.push(
        failure('PLM_POLICY_ALIAS', {
          place: formatPlace(place),
          alias: node.source,
          fault: insideAlias ? 'nested' : this.#aliases > maxAliases ? 'many' : 'unknown',
          maxAliases,
        }),
      );
    return nothing(place);
  }

  #readMap(node: Yaml.YAMLMap, place: Place, depth: number, insideAlias: boolean): MapTree {
    const seen = new Map<string, Place>();
    const entries: MapEntry[] = [];
    for (const item of node.items) {
      const keyTree = this.#read(item.key, place, depth + 1, insideAlias);
      const keyPlace = keyTree.place;
      if (keyTree.kind !== 'scalar' || keyTree.text === '') {
        this.#problems.push(failure('PLM_POLICY_BAD_KEY', { place: formatPlace(keyPlace) }));
        continue;
      }
      // `value` is the text without its quotes; for a bare 042 it would be the number 42, and the name is "042".
      const key = typeof keyTree.value === 'string' ? keyTree.value : keyTree.text;
      const first = seen.get(key);
      if (first !== undefined) {
        this.#problems.push(
          failure('PLM_POLICY_DUPLICATE_KEY', { place: formatPlace(keyPlace), key, line: first.line }),
        );
        continue;
      }
      seen.set(key, keyPlace);
      entries.push({ key, keyPlace, value: this.#read(item.value, keyPlace, depth + 1, insideAlias) });
    }
    return { kind: 'map', entries, place };
  }
}

function nothing(place: Place): ScalarTree {
  return { kind: 'scalar', value: null, text: '', place };
}

const deepText = {
  what: `is nested deeper than ${maxDepth} levels`,
  fix: 'write it flatter; a policy needs 6 levels.',
};
const otherText = {
  what: 'is not YAML',
  fix: 'compare the line with the example that "plimsoll init" writes.',
};

const syntaxText: Partial<Record<string, { what: string; fix: string }>> = {
  ALIAS_PROPS: { what: 'puts an anchor or tag on an alias', fix: 'move the anchor to the value itself.' },
  BAD_ALIAS: {
    what: 'refers to an anchor that does not exist above it',
    fix: 'define the anchor (&name) first, or write the value out.',
  },
  BAD_DQ_ESCAPE: {
    what: 'has an unknown escape inside double quotes',
    fix: 'use single quotes, or double the backslash.',
  },
  BAD_INDENT: { what: 'is indented wrongly', fix: 'align it with the keys of the same map.' },
  BAD_SCALAR_START: { what: 'starts with a character that YAML reserves', fix: 'put the value in quotes.' },
  BLOCK_AS_IMPLICIT_KEY: { what: 'has two keys on one line', fix: 'put each "key: value" on its own line.' },
  BLOCK_IN_FLOW: {
    what: 'has a block inside { } or [ ]',
    fix: 'close the bracket first, or write the outer one as a block too.',
  },
  MISSING_CHAR: {
    what: 'misses a character: a closing quote or bracket, a comma or a space after ":"',
    fix: 'add the missing character.',
  },
  MULTILINE_IMPLICIT_KEY: {
    what: 'has a key without a ":" on the same line',
    fix: 'write it as "key: value".',
  },
  MULTIPLE_DOCS: { what: 'starts a second document', fix: 'remove the "---"; a policy is one document.' },
  TAB_AS_INDENT: { what: 'is indented with a tab', fix: 'indent with spaces.' },
  TAG_RESOLVE_FAILED: {
    what: 'has a tag that a policy does not know',
    fix: 'remove the tag (the word that starts with "!").',
  },
  UNEXPECTED_TOKEN: {
    what: 'has a character where YAML expects none',
    fix: 'put the value in quotes, or remove the character.',
  },
};
