import { parseByteSize, parseDuration } from '@plimsoll/core/units';
import { failure } from '@plimsoll/core/internal/errors';
import { readRegularText } from '@plimsoll/core/internal/read-regular-file';
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import type { Document, Node } from 'yaml';

/** One HTTP call of a session. `{name}` in path, headers and body is replaced by the saved value. */
export interface CallStep {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Number of times it runs in one session. */
  readonly repeat: number;
  /** Accepted statuses; any below 400 when empty. */
  readonly statuses: readonly number[];
  /** Values to save by name: the path of a field in the JSON answer, or `header.NAME`. */
  readonly save: Readonly<Record<string, string>>;
}

/** The steps of one user from beginning to end. */
export interface SessionPlan {
  readonly name: string;
  readonly weight: number;
  readonly steps: readonly CallStep[];
}

/** An answer, or a field of one, that must not change. */
export interface Probe {
  readonly step: CallStep;
  /** Path of the field; the whole answer without it. */
  readonly field: string | null;
  /** The required value; null when it has to be unchanged. */
  readonly equals: unknown;
}

/** The instructions for using a program. */
export interface Recipe {
  /** Its source, in words. */
  readonly source: string;
  readonly url: string | null;
  readonly sessions: readonly SessionPlan[];
  /** Answers that must never change. */
  readonly golden: readonly Probe[];
  /** Fields that have to be equal before and after the load, without users. */
  readonly state: readonly Probe[];
  /** Figures that have to rise with the load. */
  readonly metrics: readonly Probe[];
  /** Figures that have to rise by one per session or per call: side effects that are counted. */
  readonly effects: readonly (Probe & { readonly per: 'session' | 'call' })[];
  readonly hypotheses: Readonly<Record<string, string>>;
  readonly limitBytes: number | null;
  readonly forMs: number | null;
  /** Number of events in a flood. */
  readonly events: number;
  /** Known parts that cannot be tested, in words. */
  readonly notTried: readonly string[];
}

export const emptyRecipe: Recipe = {
  source: 'nothing',
  url: null,
  sessions: [],
  golden: [],
  state: [],
  metrics: [],
  effects: [],
  hypotheses: {},
  limitBytes: null,
  forMs: null,
  events: 5000,
  notTried: [],
};

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const;
const mostBytes = 64 * 1024 ** 2;
const mostRepeat = 100_000;

export function step(method: string, path: string, changes: Partial<CallStep> = {}): CallStep {
  return {
    method: method.toUpperCase(),
    path,
    headers: {},
    body: undefined,
    repeat: 1,
    statuses: [],
    save: {},
    ...changes,
  };
}

/** Reads a recipe, an OpenAPI file or a HAR, which it recognises by content. */
export async function readRecipe(file: string): Promise<Recipe> {
  let text: string;
  try {
    text = readRegularText(file, { maxBytes: mostBytes });
  } catch (error) {
    throw bad(file, (error as Error).message, 'name a file that can be read', error);
  }
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  const [fault] = document.errors;
  if (fault !== undefined)
    throw bad(
      `${file}:${fault.linePos?.[0].line ?? 1}`,
      fault.message.split('\n')[0] ?? '',
      'mend the YAML or JSON',
    );
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  if (isObject(value) && ('openapi' in value || 'swagger' in value))
    return (await import('./from-openapi.ts')).recipeFromOpenApi(value, file);
  if (isObject(value) && isObject(value['log']) && Array.isArray(value['log']['entries']))
    return (await import('./from-har.ts')).recipeFromHar(value['log']['entries'], file);
  return new RecipeReader(file, document, counter).read(value);
}

/** Parses a recipe. A fault names its line. */
class RecipeReader {
  readonly #file: string;
  readonly #document: Document;
  readonly #counter: LineCounter;

  constructor(file: string, document: Document, counter: LineCounter) {
    this.#file = file;
    this.#document = document;
    this.#counter = counter;
  }

  read(value: unknown): Recipe {
    const known = [
      'url',
      'sessions',
      'golden',
      'state',
      'metrics',
      'effects',
      'hypotheses',
      'limit',
      'for',
      'events',
    ];
    const root = this.#object(value, []);
    this.#keys(root, known, []);
    return {
      source: this.#file,
      url: root['url'] === undefined ? null : this.#text(root['url'], ['url']),
      sessions: this.#list(root['sessions'], ['sessions']).map((each, i) =>
        this.#session(each, ['sessions', i]),
      ),
      golden: this.#probes(root['golden'], 'golden'),
      state: this.#probes(root['state'], 'state'),
      metrics: this.#probes(root['metrics'], 'metrics'),
      effects: this.#list(root['effects'], ['effects']).map((each, i) => ({
        ...this.#probe(each, ['effects', i]),
        per: this.#object(each, ['effects', i])['per'] === 'call' ? 'call' : 'session',
      })),
      hypotheses: this.#hypotheses(root['hypotheses']),
      limitBytes: this.#parsed(root['limit'], ['limit'], parseByteSize, 'a size such as 128MiB'),
      forMs: this.#parsed(root['for'], ['for'], parseDuration, 'a duration such as 30s'),
      events:
        root['events'] === undefined
          ? emptyRecipe.events
          : this.#count(root['events'], ['events'], 10_000_000),
      notTried: [],
    };
  }

  #session(value: unknown, path: Path): SessionPlan {
    const entry = this.#object(value, path);
    this.#keys(entry, ['name', 'weight', 'steps'], path);
    const steps = this.#list(entry['steps'], [...path, 'steps']);
    if (steps.length === 0)
      throw this.#fault(path, 'a session needs steps', 'add a step such as "- get: /healthz"');
    return {
      name:
        entry['name'] === undefined
          ? `session ${Number(path.at(-1)) + 1}`
          : this.#text(entry['name'], [...path, 'name']),
      weight: entry['weight'] === undefined ? 1 : this.#count(entry['weight'], [...path, 'weight'], 1000),
      steps: steps.map((each, i) => this.#step(each, [...path, 'steps', i])),
    };
  }

  #step(value: unknown, path: Path): CallStep {
    const entry = this.#object(value, path);
    const method = methods.find((each) => each in entry);
    if (method === undefined)
      throw this.#fault(
        path,
        'a step needs a method',
        `write it as one of ${methods.join(', ')}, e.g. "- get: /healthz"`,
      );
    this.#keys(
      entry,
      [method, 'headers', 'body', 'repeat', 'expect', 'save', 'field', 'equals', 'per'],
      path,
    );
    const expect = entry['expect'];
    const statuses = expect === undefined ? [] : Array.isArray(expect) ? expect : [expect];
    if (
      !statuses.every(
        (each): each is number => Number.isInteger(each) && Number(each) >= 100 && Number(each) < 600,
      )
    )
      throw this.#fault(
        [...path, 'expect'],
        'expect is a status or a list of statuses',
        'write e.g. "expect: [200, 204]"',
      );
    return step(method, this.#text(entry[method], [...path, method]), {
      headers: this.#texts(entry['headers'], [...path, 'headers']),
      body: entry['body'],
      repeat:
        entry['repeat'] === undefined ? 1 : this.#count(entry['repeat'], [...path, 'repeat'], mostRepeat),
      statuses,
      save: this.#texts(entry['save'], [...path, 'save']),
    });
  }

  #probes(value: unknown, key: string): readonly Probe[] {
    return this.#list(value, [key]).map((each, i) => this.#probe(each, [key, i]));
  }

  #probe(value: unknown, path: Path): Probe {
    const entry = this.#object(value, path);
    const { field, equals } = entry;
    return {
      step: this.#step(value, path),
      field: field === undefined ? null : this.#text(field, [...path, 'field']),
      equals: equals ?? null,
    };
  }

  #hypotheses(value: unknown): Readonly<Record<string, string>> {
    return this.#texts(value, ['hypotheses']);
  }

  #texts(value: unknown, path: Path): Readonly<Record<string, string>> {
    if (value === undefined) return {};
    const entries = Object.entries(this.#object(value, path));
    return Object.fromEntries(entries.map(([key, text]) => [key, this.#text(text, [...path, key])]));
  }

  #text(value: unknown, path: Path): string {
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    throw this.#fault(path, 'this has to be a text', 'write a text');
  }

  #count(value: unknown, path: Path, most: number): number {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return value;
    throw this.#fault(
      path,
      `this has to be a whole number from 1 to ${most.toLocaleString('en-US')}`,
      'write such a number',
    );
  }

  #parsed<Value>(
    value: unknown,
    path: Path,
    parse: (text: string) => Value | undefined,
    form: string,
  ): Value | null {
    if (value === undefined) return null;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const found = parse(text);
    if (found === undefined) throw this.#fault(path, `"${text}" is not ${form}`, `write ${form}`);
    return found;
  }

  #list(value: unknown, path: Path): readonly unknown[] {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value;
    throw this.#fault(path, 'this has to be a list', 'begin each entry with a dash');
  }

  #object(value: unknown, path: Path): Readonly<Record<string, unknown>> {
    if (isObject(value)) return value;
    throw this.#fault(path, 'this has to be a map of keys', 'write "key: value" lines');
  }

  #keys(entry: Readonly<Record<string, unknown>>, known: readonly string[], path: Path): void {
    const other = Object.keys(entry).find((key) => !known.includes(key));
    if (other !== undefined)
      throw this.#fault([...path, other], `"${other}" is not known here`, `use one of ${known.join(', ')}`);
  }

  #fault(path: Path, message: string, fix: string): Error {
    const node = nodeAt(this.#document, path);
    const line = node?.range == null ? 1 : this.#counter.linePos(node.range[0]).line;
    return bad(
      `${this.#file}:${line}`,
      `${path.length === 0 ? 'the recipe' : path.join('.')}: ${message}`,
      fix,
    );
  }
}

type Path = readonly (string | number)[];

/** The node of a path, or of the nearest one above it. */
function nodeAt(document: Document, path: Path): Node | undefined {
  for (let length = path.length; length >= 0; length--) {
    const found: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isMap(found) || isScalar(found)) return found as Node;
  }
  return undefined;
}

function bad(where: string, message: string, fix: string, cause?: unknown): Error {
  return failure('PLM_STRESS_BAD_RECIPE', { where, message, fix }, { cause });
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path such as `data.items.0.id`; undefined when there is none. */
export function fieldOf(value: unknown, path: string): unknown {
  let found = value;
  for (const key of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}
