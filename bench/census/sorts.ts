/**
 * Sorts of values of which sessions are composed: what agent servers hold, from words to streams. A sort is drawn once; what it decides then
 * (fields, lengths, classes) all of its values have in common. Classes and literals are compiled from source, so that V8 lays them out as it
 * does those of a program.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { runInThisContext } from 'node:vm';
import { random } from './sessions.ts';

export type Next = () => number;
/** Makes a value of one sort for a session. */
export type Make = (life: Life) => unknown;

/** What a session has at hand while its values are made. */
export interface Life {
  readonly next: Next;
  /** Values that the session made before and may refer to again. */
  readonly recent: unknown[];
}

/** Draws sorts: the same ones from the same seed. */
export class Draw {
  readonly next: Next;
  readonly #exotics: readonly Sort[];

  constructor(seed: number, exotics: readonly Sort[] = []) {
    this.#exotics = exotics;
    this.next = random(Math.imul(seed, 2654435761) ^ 0x5bd1e995);
    for (let i = 0; i < 5; i++) this.next();
  }

  between(from: number, to: number): number {
    return between(this.next, from, to);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(of: readonly T[]): T {
    return pick(this.next, of);
  }

  name(): string {
    return `${this.pick(fieldNames)}${this.pick(fieldEnds)}`;
  }

  names(least: number, most: number): string[] {
    const found = new Set<string>();
    for (let i = this.between(least, most); i > 0; i--) found.add(this.name());
    return [...found];
  }

  value(depth: number): Make {
    if (depth <= 0 || this.chance(0.4)) return this.leaf();
    const sort = this.pick(this.chance(0.72) ? Object.values(structures) : this.#exotics);
    return sort(this, depth - 1);
  }

  leaf(): Make {
    return this.pick(Object.values(this.chance(0.6) ? texts : leaves))(this);
  }
}

export const between = (next: Next, from: number, to: number): number =>
  from + Math.floor(next() * (to - from + 1));
export const pick = <T>(next: Next, of: readonly T[]): T => of[Math.floor(next() * of.length)] as T;

const fieldNames =
  'name title body author owner status price amount score rank label tags items parent source target input output result reason detail note city street code kind mode level size width height offset cursor token model usage cost region tenant channel topic summary plan step goal memory query answer rating view draft reply'.split(
    ' ',
  );
const fieldEnds = ['', '', '', 'Id', 'At', 'List', 'Text', 'Count', 'By', '2', 's'];
const syllables = 'ka lo mi re sun tor ven ar bel dis em fo gra hu il jo que ni pa ry st'.split(' ');
const signs = '日 本 語 文 字 列 中 国 汉'.split(' ');
const constants = ['user', 'assistant', 'pending', 'done', 'tool-call', 'text', 'completed', 'stop'];
const sharedPrompt = `You are an assistant. ${'Cite what you use and never guess a number. '.repeat(60)}`;
export const sharedTools = Array.from({ length: 12 }, (_, i) => ({
  name: `tool${i}`,
  schema: { type: 'object', required: ['query'], properties: { query: { type: 'string', maxLength: i } } },
}));

export const word = (next: Next): string => {
  let text = '';
  for (let i = between(next, 1, 3); i >= 0; i--) text += pick(next, syllables);
  return text;
};
export const words = (next: Next, count: number): string => {
  const list: string[] = [];
  for (let i = 0; i < count; i++) list.push(word(next));
  return list.join(' ');
};
/** As a text from the network is. */
export const flat = (text: string): string => Buffer.from(text).toString();

export type Sort = (draw: Draw, depth: number) => Make;

export const texts: Readonly<Record<string, (draw: Draw) => Make>> = {
  sentence: (draw) => {
    const most = draw.between(3, 60);
    return ({ next }) => words(next, between(next, 1, most));
  },
  received: (draw) => {
    const most = draw.between(3, 120);
    return ({ next }) => flat(words(next, between(next, 2, most)));
  },
  template: (draw) => {
    const verb = draw.pick(['read', 'asked for', 'wrote']);
    return ({ next }) => `${word(next)} ${verb} ${word(next)} ${between(next, 1, 99)} times`;
  },
  constant: (draw) => {
    const some = [draw.pick(constants), draw.pick(constants), draw.pick(constants)];
    return ({ next }) => pick(next, some);
  },
  word:
    () =>
    ({ next }) =>
      flat(word(next)),
  uuid: () => () => randomUUID(),
  hex: (draw) => {
    const bytes = draw.between(4, 16);
    return () => randomBytes(bytes).toString('hex');
  },
  prefixed: (draw) => {
    const prefix = draw.pick(['call_', 'run-', 'msg:', 'file/']);
    return ({ next }) => prefix + String(between(next, 1, 999_999));
  },
  numeric:
    () =>
    ({ next }) =>
      String(between(next, 10_000, 9_999_999)),
  time:
    () =>
    ({ next }) =>
      new Date(1.7e12 + Math.floor(next() * 1e10)).toISOString(),
  address: (draw) => {
    const host = `https://${word(draw.next)}.example.com/`;
    return ({ next }) => `${host}${word(next)}/${between(next, 1, 9999)}?page=${between(next, 1, 20)}`;
  },
  json:
    () =>
    ({ next }) =>
      JSON.stringify({ id: between(next, 1, 1e6), text: words(next, between(next, 2, 20)) }),
  rope: (draw) => {
    const pieces = draw.between(5, 120);
    return ({ next }) => {
      let text = '';
      for (let i = between(next, 3, pieces); i > 0; i--) text += `${word(next)} `;
      return text;
    };
  },
  slice: (draw) => {
    const length = draw.between(14, 200);
    return ({ next }) => flat(words(next, 60)).slice(5, 5 + length);
  },
  wide: (draw) => {
    const most = draw.between(2, 80);
    return ({ next }) =>
      flat(Array.from({ length: between(next, 1, most) }, () => pick(next, signs)).join(''));
  },
  shared: () => () => sharedPrompt,
};

export const leaves: Readonly<Record<string, (draw: Draw) => Make>> = {
  small:
    () =>
    ({ next }) =>
      between(next, 0, 5000),
  double:
    () =>
    ({ next }) =>
      next() * 100,
  price:
    () =>
    ({ next }) =>
      Math.round(next() * 1000) / 10,
  stamp:
    () =>
    ({ next }) =>
      1.7e12 + Math.floor(next() * 1e10),
  flag:
    () =>
    ({ next }) =>
      next() < 0.5,
  nothing: (draw) => {
    const none = draw.pick([null, undefined]);
    return () => none;
  },
  bigint:
    () =>
    ({ next }) =>
      BigInt(between(next, 1, 1e9)) ** 3n,
  symbol:
    () =>
    ({ next }) =>
      Symbol(word(next)),
  date:
    () =>
    ({ next }) =>
      new Date(1.7e12 + Math.floor(next() * 1e10)),
  tools: () => () => sharedTools,
};

/** Code of a program: `make` is called with the makers of the fields and the session. */
const compiled = (source: string): ((makes: readonly Make[], life: Life) => unknown) =>
  runInThisContext(source) as (makes: readonly Make[], life: Life) => unknown;

const fieldsOf = (
  draw: Draw,
  depth: number,
  least: number,
  most: number,
): { names: string[]; makes: Make[] } => {
  const names = draw.names(least, most);
  return { names, makes: names.map(() => draw.value(depth)) };
};

const built =
  (least: number, most: number, source: (names: readonly string[], draw: Draw) => string): Sort =>
  (draw, depth) => {
    const { names, makes } = fieldsOf(draw, depth, least, most);
    const make = compiled(source(names, draw));
    return (life) => make(makes, life);
  };

const each = (names: readonly string[], line: (name: string, i: number) => string): string =>
  names.map(line).join(' ');

export const structures: Readonly<Record<string, Sort>> = {
  literal: built(1, 9, (names) => `(m, l) => ({ ${each(names, (name, i) => `${name}: m[${i}](l),`)} })`),
  wide: built(12, 24, (names) => `(m, l) => ({ ${each(names, (name, i) => `${name}: m[${i}](l),`)} })`),
  assigned: built(
    1,
    10,
    (names) => `(m, l) => { const o = {}; ${each(names, (name, i) => `o.${name} = m[${i}](l);`)} return o; }`,
  ),
  optional: built(
    3,
    8,
    (names) =>
      `(m, l) => ({ ${each(names, (name, i) => (i < 2 ? `${name}: m[${i}](l),` : `...(l.next() < 0.5 && { ${name}: m[${i}](l) }),`))} })`,
  ),
  parsed: (draw, depth) => {
    const { names, makes } = fieldsOf(draw, Math.min(1, depth), 1, 7);
    return (life) =>
      JSON.parse(
        JSON.stringify(
          Object.fromEntries(names.map((name, i) => [name, makes[i]?.(life)])),
          (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
        ),
      ) as unknown;
  },
  instance: built(
    1,
    8,
    (names) =>
      `(() => { class Kind { constructor(m, l) { ${each(names, (name, i) => `this.${name} = m[${i}](l);`)} } get first() { return this.${names[0]}; } } return (m, l) => new Kind(m, l); })()`,
  ),
  derived: built(
    2,
    8,
    (names) =>
      `(() => { class Base { constructor(m, l) { this.${names[0]} = m[0](l); } } class Kind extends Base { constructor(m, l) { super(m, l); ${each(names.slice(1), (name, i) => `this.${name} = m[${i + 1}](l);`)} } } return (m, l) => new Kind(m, l); })()`,
  ),
  private: built(
    2,
    7,
    (names) =>
      `(() => { class Kind { #${names[0]}; ${each(names.slice(1), (name, i) => `${i % 2 ? '' : '#'}${name};`)} constructor(m, l) { this.#${names[0]} = m[0](l); ${each(names.slice(1), (name, i) => `this.${i % 2 ? '' : '#'}${name} = m[${i + 1}](l);`)} } get first() { return this.#${names[0]}; } } return (m, l) => new Kind(m, l); })()`,
  ),
  closure: built(
    1,
    4,
    (names) =>
      `(m, l) => { ${each(names, (name, i) => `const ${name}_ = m[${i}](l);`)} return { read: () => [${names.map((name) => `${name}_`).join(', ')}], first: () => ${names[0]}_ }; }`,
  ),
  callback: built(
    1,
    3,
    (names) =>
      `(m, l) => { ${each(names, (name, i) => `const ${name}_ = m[${i}](l);`)} return () => [${names.map((name) => `${name}_`).join(', ')}]; }`,
  ),
  bound: built(
    1,
    3,
    (names) =>
      `(m, l) => (function () { return this.${names[0]}; }).bind({ ${each(names, (name, i) => `${name}: m[${i}](l),`)} }, 1)`,
  ),
  frozen: built(
    1,
    6,
    (names) => `(m, l) => Object.freeze({ ${each(names, (name, i) => `${name}: m[${i}](l),`)} })`,
  ),
  getter: built(
    2,
    5,
    (names) =>
      `(m, l) => ({ ${each(names, (name, i) => `${name}: m[${i}](l),`)} get all() { return this.${names[0]}; } })`,
  ),
  copied: built(
    2,
    7,
    (names) =>
      `(m, l) => { const o = { ${each(names, (name, i) => `${name}: m[${i}](l),`)} }; return { ...o, edited: true }; }`,
  ),
  deleted: built(
    3,
    8,
    (names) =>
      `(m, l) => { const o = { ${each(names, (name, i) => `${name}: m[${i}](l),`)} }; if (l.next() < 0.5) delete o.${names[0]}; return o; }`,
  ),
  bare: built(
    1,
    8,
    (names) =>
      `(m, l) => { const o = Object.create(null); ${each(names, (name, i) => `o.${name} = m[${i}](l);`)} return o; }`,
  ),
  tuple: (draw, depth) => {
    const makes = Array.from({ length: draw.between(2, 4) }, () => draw.value(depth));
    return (life) => makes.map((make) => make(life));
  },
  list: (draw, depth) => {
    const inner = draw.value(depth);
    const most = draw.between(1, 16);
    return (life) => Array.from({ length: between(life.next, 0, most) }, () => inner(life));
  },
  pushed: (draw, depth) => {
    const inner = draw.value(depth);
    const most = draw.between(1, 30);
    return (life) => {
      const list: unknown[] = [];
      for (let i = between(life.next, 1, most); i > 0; i--) list.push(inner(life));
      return list;
    };
  },
  spliced: (draw, depth) => {
    const inner = draw.value(depth);
    return (life) => {
      const list: unknown[] = [];
      for (let i = 24; i > 0; i--) list.push(inner(life));
      list.splice(4, between(life.next, 8, 18));
      return list;
    };
  },
  holey: (draw, depth) => {
    const inner = draw.value(depth);
    const length = draw.between(4, 40);
    return (life) => {
      const list: unknown[] = [];
      list.length = length;
      for (let i = 0; i < length; i += 3) list[i] = inner(life);
      return list;
    };
  },
  vector: (draw) => {
    const length = draw.between(3, 200);
    return ({ next }) => Array.from({ length }, () => next());
  },
  map: (draw, depth) => {
    const inner = draw.value(depth);
    const key = draw.leaf();
    const most = draw.between(1, 16);
    return (life) =>
      new Map(Array.from({ length: between(life.next, 0, most) }, () => [key(life), inner(life)]));
  },
  set: (draw) => {
    const inner = draw.leaf();
    const most = draw.between(1, 16);
    return (life) => new Set(Array.from({ length: between(life.next, 0, most) }, () => inner(life)));
  },
  byName: (draw, depth) => {
    const inner = draw.value(depth);
    const most = draw.between(1, 20);
    return (life) => {
      const all: Record<string, unknown> = {};
      for (let i = between(life.next, 1, most); i > 0; i--) all[word(life.next)] = inner(life);
      return all;
    };
  },
  message:
    () =>
    ({ next }) => ({
      role: next() < 0.5 ? 'user' : 'assistant',
      content: [{ type: 'text', text: words(next, between(next, 2, 80)) }],
      ...(next() < 0.3 && {
        tool_calls: [
          {
            id: `call_${randomBytes(9).toString('base64url')}`,
            type: 'function',
            function: { name: 'search', arguments: JSON.stringify({ q: words(next, 4) }) },
          },
        ],
      }),
      createdAt: new Date(),
    }),
  again: (draw, depth) => {
    const inner = draw.value(depth);
    return (life) =>
      life.recent.length > 0 && life.next() < 0.4 ? pick(life.next, life.recent) : inner(life);
  },
};
