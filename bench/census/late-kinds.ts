/**
 * Ten kinds of sessions that are scored before and after a round of work on the rules, and at no other time: `npm run bench -- census late`.
 * No rule may be made on their figures. Each does what programs of its kind do, and keeps what they keep.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { MakeSession, Turning } from './sessions.ts';
import { random, sentence } from './sessions.ts';

type Next = () => number;

const between = (next: Next, from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
const pick = <T>(next: Next, of: readonly T[]): T => of[between(next, 0, of.length - 1)] as T;

function begin(session: Turning, next: Next, most: number): void {
  for (let i = Math.ceil(most ** (0.3 + 0.7 * next())); i > 0; i--) session.turn();
}

/** An account as domain-driven code writes it: entities with private fields, values as classes, events of what happened. */
class Money {
  readonly #cents: bigint;
  readonly currency: string;

  constructor(cents: bigint, currency: string) {
    this.#cents = cents;
    this.currency = currency;
  }

  plus(other: Money): Money {
    return new Money(this.#cents + other.#cents, this.currency);
  }
}

class Account implements Turning {
  readonly id = randomUUID();
  #balance = new Money(0n, 'EUR');
  #events: { type: string; at: Date; amount: Money; memo?: string }[] = [];
  #holds = new Map<string, Money>();
  readonly #next: Next;

  constructor(index: number) {
    this.#next = random(index + 401);
    begin(this, this.#next, 120);
  }

  turn(): void {
    const next = this.#next;
    const amount = new Money(BigInt(between(next, 1, 90_000)), 'EUR');
    this.#balance = this.#balance.plus(amount);
    this.#events.push({
      type: pick(next, ['deposited', 'withdrawn', 'charged']),
      at: new Date(),
      amount,
      ...(next() < 0.3 && { memo: sentence(next, 4) }),
    });
    if (next() < 0.2) this.#holds.set(randomUUID(), amount);
    if (this.#holds.size > 12) this.#holds.delete(this.#holds.keys().next().value as string);
    if (this.#events.length > 90) this.#events = this.#events.slice(45);
  }

  describe(): string {
    return `${this.#events.length} ${this.#holds.size} ${this.#balance.currency}`;
  }
}

/** A browser-like client: cookies, headers, redirects, what was fetched before with its validators. */
class Client implements Turning {
  readonly jar = new Map<string, Map<string, { value: string; expires: Date | null; secure: boolean }>>();
  readonly visited: { from: URL; to: string; status: number; headers: Headers; params: URLSearchParams }[] =
    [];
  readonly validators: Record<string, { etag: string; lastModified: string }> = {};
  private readonly next: Next;

  constructor(index: number) {
    this.next = random(index + 402);
    begin(this, this.next, 40);
  }

  turn(): void {
    const { next } = this;
    const host = `${pick(next, ['api', 'cdn', 'www', 'login'])}.site-${between(next, 1, 9)}.example`;
    const url = new URL(
      `https://${host}/v${between(next, 1, 3)}/${sentence(next, 1)}?page=${between(next, 1, 50)}`,
    );
    let cookies = this.jar.get(host);
    if (cookies === undefined) this.jar.set(host, (cookies = new Map()));
    cookies.set(pick(next, ['sid', 'csrf', 'theme', 'lang']), {
      value: createHash('sha1').update(String(next())).digest('base64url'),
      expires: next() < 0.5 ? null : new Date(),
      secure: true,
    });
    const headers = new Headers({ accept: 'application/json', 'accept-language': 'de' });
    if (next() < 0.5)
      headers.set('authorization', `Bearer ${createHash('sha256').update(host).digest('hex')}`);
    this.visited.push({
      from: url,
      to: url.href,
      status: pick(next, [200, 301, 404]),
      headers,
      params: url.searchParams,
    });
    this.validators[url.pathname] = {
      etag: `"${between(next, 1e6, 1e7)}"`,
      lastModified: new Date().toUTCString(),
    };
    if (this.visited.length > 20) this.visited.shift();
  }
}

/** A queue of work: each job with its promise, the functions that settle it, and listeners for progress. */
class Queue implements Turning {
  readonly jobs = new Map<
    string,
    { promise: Promise<unknown>; resolve: (value: unknown) => void; input: unknown }
  >();
  readonly #progress = new Set<(done: number) => void>();
  readonly done: PromiseSettledResult<unknown>[] = [];
  private readonly next: Next;

  constructor(index: number) {
    this.next = random(index + 403);
    begin(this, this.next, 60);
  }

  turn(): void {
    const { next } = this;
    const id = `job-${between(next, 1, 1e9).toString(36)}`;
    const input = { prompt: sentence(next, between(next, 4, 40)), options: { retries: 3, priority: next() } };
    let resolve: (value: unknown) => void = () => undefined;
    const promise = new Promise<unknown>((settle) => {
      resolve = settle;
    });
    this.jobs.set(id, { promise, resolve, input });
    let seen = 0;
    const label = `${id}: ${sentence(next, 3)}`;
    this.#progress.add((step) => {
      seen += step + label.length;
    });
    if (this.#progress.size > 15) this.#progress.clear();
    if (this.jobs.size > 12) {
      const [first] = this.jobs;
      if (first === undefined) return;
      this.jobs.delete(first[0]);
      const value = { text: sentence(next, 12), tokens: between(next, 1, 900) };
      first[1].resolve(value);
      this.done.push({ status: 'fulfilled', value });
      if (this.done.length > 20) this.done.shift();
    }
    for (const tell of this.#progress) tell(0);
  }
}

/** Samples of a sensor: a ring of doubles, a growing array of bytes that doubles, a histogram. */
class Telemetry implements Turning {
  #ring = new Float64Array(128);
  #bytes = new Uint8Array(64);
  #length = 0;
  readonly histogram = new Map<number, number>();
  readonly marks: { at: number; label: string; window: Float64Array }[] = [];
  readonly #next: Next;

  constructor(index: number) {
    this.#next = random(index + 404);
    begin(this, this.#next, 200);
  }

  turn(): void {
    const next = this.#next;
    const value = next() * 100;
    this.#ring[this.#length % 128] = value;
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#bytes.length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = value;
    const bucket = Math.floor(value / 5) * 5;
    this.histogram.set(bucket, (this.histogram.get(bucket) ?? 0) + 1);
    if (next() < 0.05)
      this.marks.push({ at: performance.now(), label: sentence(next, 2), window: this.#ring.slice(0, 32) });
    if (this.marks.length > 10) this.marks.shift();
  }
}

/** An index of source files: symbols cut out of the text, who uses them, matches of expressions. */
class CodeIndex implements Turning {
  readonly files = new Map<string, { text: string; lines: number[]; hash: string }>();
  readonly uses = new Map<string, Set<string>>();
  readonly tokens: { kind: string; text: string; start: number; end: number }[] = [];
  private readonly next: Next;

  constructor(index: number) {
    this.next = random(index + 405);
    begin(this, this.next, 30);
  }

  turn(): void {
    const { next } = this;
    const path = `src/${sentence(next, 2).replaceAll(' ', '/')}-${between(next, 1, 400)}.ts`;
    const text = Array.from(
      { length: between(next, 3, 25) },
      () => `const item${between(next, 1, 900)} = call${between(next, 1, 60)}(${between(next, 1, 9999)});`,
    ).join('\n');
    const lines: number[] = [];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.push(at);
    this.files.set(path, { text, lines, hash: createHash('md5').update(text).digest('hex') });
    for (const match of text.matchAll(/(item|call)\d+/g)) {
      const name = match[0];
      let users = this.uses.get(name);
      if (users === undefined) this.uses.set(name, (users = new Set()));
      users.add(path);
      this.tokens.push({
        kind: match[1] as string,
        text: name,
        start: match.index,
        end: match.index + name.length,
      });
    }
    if (this.tokens.length > 300) this.tokens.splice(0, 150);
    if (this.files.size > 15) this.files.delete(this.files.keys().next().value as string);
    if (this.uses.size > 250) this.uses.clear();
  }
}

/** An assistant with memory: messages as they are sent, summaries, and facts by subject with their sources. */
function assistant(index: number): Turning {
  const next = random(index + 406);
  const facts = new Map<string, Map<string, { text: string; confidence: number; sources: Set<string> }>>();
  let history: { role: string; content: string | { type: string; text?: string; image?: Uint8Array }[] }[] = [
    { role: 'system', content: 'You remember what people tell you and you never make anything up.' },
  ];
  const session = {
    id: `asst_${between(next, 1e8, 1e9).toString(16)}`,
    get size(): number {
      return history.length + facts.size;
    },
    state: { history, facts, summary: '', cost: 0 },
    turn(): void {
      history.push({ role: 'user', content: sentence(next, between(next, 2, 40)) });
      const words: string[] = [];
      for (let i = between(next, 5, 120); i > 0; i--) words.push(sentence(next, 1));
      history.push({
        role: 'assistant',
        content:
          next() < 0.7
            ? words.join(' ')
            : [
                { type: 'text', text: words.join(' ') },
                { type: 'image', image: new Uint8Array(between(next, 100, 900)) },
              ],
      });
      const subject = `person:${between(next, 1, 8)}`;
      let known = facts.get(subject);
      if (known === undefined) facts.set(subject, (known = new Map()));
      const relation = pick(next, ['likes', 'knows', 'works-at', 'lives-in', 'owns']);
      const fact = known.get(relation) ?? { text: '', confidence: 0, sources: new Set<string>() };
      fact.text = `${subject} ${relation} ${sentence(next, 2)}`;
      fact.confidence = next();
      fact.sources.add(`turn-${history.length}`);
      known.set(relation, fact);
      session.state.cost += next();
      if (history.length > 50) {
        session.state.summary = history
          .slice(0, 10)
          .map(({ role }) => `${role}: ${sentence(next, 6)}`)
          .join('\n');
        history = history.slice(10);
        session.state.history = history;
      }
    },
  };
  begin(session, next, 60);
  return session;
}

/** A reader of a stream: the parser waits in a generator, rows wait in iterators, a text decoder keeps what is incomplete. */
class Reader implements Turning {
  readonly decoder = new TextDecoder();
  readonly rows: Record<string, string | number | null>[] = [];
  readonly #parser: Generator<Record<string, string | number | null> | undefined, void, string>;
  readonly cursors: Iterator<unknown>[] = [];
  rest = Buffer.alloc(0);
  private readonly next: Next;

  constructor(index: number) {
    this.next = random(index + 407);
    this.#parser = this.#parse(['sku', 'stock', 'city']);
    this.#parser.next('');
    begin(this, this.next, 90);
  }

  turn(): void {
    const { next } = this;
    const line = `A-${between(next, 1, 9e5)};${next() < 0.1 ? '' : between(next, 0, 400)};${sentence(next, 2)}`;
    const row = this.#parser.next(this.decoder.decode(Buffer.from(line), { stream: true })).value;
    if (row !== undefined) this.rows.push(row);
    this.rest = Buffer.from(line).subarray(0, between(next, 0, 9));
    if (next() < 0.1)
      this.cursors.push(new Map(this.rows.slice(-5).map((each) => [each['sku'], each])).values());
    if (this.cursors.length > 6) this.cursors.shift();
    if (this.rows.length > 80) this.rows.splice(0, 40);
  }

  *#parse(
    header: readonly string[],
  ): Generator<Record<string, string | number | null> | undefined, void, string> {
    let row: Record<string, string | number | null> | undefined;
    for (let count = 0; ; count++) {
      const cells = (yield row).split(';');
      row = Object.fromEntries(
        header.map((name, i) => [
          name,
          i === 1 ? (cells[i] === '' ? null : Number(cells[i])) : (cells[i] ?? ''),
        ]),
      );
      row['line'] = count;
    }
  }
}

/** A store of state with subscribers, undo by closures and selectors that remember. */
function store(index: number): Turning {
  const next = random(index + 408);
  type State = { todos: { id: number; title: string; done: boolean; tags: string[] }[]; filter: string };
  let state: State = { todos: [], filter: 'all' };
  const past: (() => void)[] = [];
  const listeners = new Map<symbol, () => void>();
  const memo = <T>(compute: (of: State) => T): (() => T) => {
    let last: State | undefined;
    let value: T;
    return () => {
      if (last !== state) value = compute(state);
      last = state;
      return value;
    };
  };
  const open = memo(({ todos }) => todos.filter(({ done }) => !done));
  const byTag = memo(({ todos }) => Map.groupBy(todos, ({ tags }) => tags[0] ?? ''));
  let id = 0;
  const set = (change: Partial<State>): void => {
    const before = state;
    state = { ...state, ...change };
    past.push(() => {
      state = before;
    });
    if (past.length > 15) past.shift();
  };
  const session = {
    open,
    byTag,
    past,
    subscribe(listener: () => void): symbol {
      const key = Symbol('listener');
      listeners.set(key, listener);
      return key;
    },
    turn(): void {
      const todo = {
        id: ++id,
        title: sentence(next, between(next, 2, 9)),
        done: false,
        tags: [pick(next, ['home', 'work'])],
      };
      set({ todos: [...state.todos.slice(-40), todo] });
      if (next() < 0.3)
        set({ todos: state.todos.map((each) => (each.id === id - 3 ? { ...each, done: true } : each)) });
      if (next() < 0.1) session.subscribe(() => void todo.title);
      if (listeners.size > 10) listeners.clear();
      open();
      byTag();
    },
  };
  begin(session, next, 70);
  return session;
}

/** A node of a scene with components, as games and editors have them: classes that inherit, private caches, links both ways. */
abstract class Component {
  enabled = true;
  readonly owner: SceneNode;
  #updates = 0;

  constructor(owner: SceneNode) {
    this.owner = owner;
  }

  update(): number {
    return ++this.#updates;
  }
}

class Transform extends Component {
  readonly matrix = new Float32Array(16);
  x = 0.5;
  y = 0.5;
}

class Label extends Component {
  text: string;
  #lines: string[] | undefined;

  constructor(owner: SceneNode, text: string) {
    super(owner);
    this.text = text;
  }

  override update(): number {
    this.#lines ??= this.text.split(' ').slice(0, 4);
    return super.update() + this.#lines.length;
  }
}

class SceneNode {
  readonly name: string;
  readonly children: SceneNode[] = [];
  readonly components = new Map<string, Component>();
  readonly parent: SceneNode | null;

  constructor(name: string, parent: SceneNode | null) {
    this.name = name;
    this.parent = parent;
  }
}

class Scene implements Turning {
  readonly root = new SceneNode('root', null);
  readonly selected = new Set<SceneNode>();
  readonly #bounds = new WeakMap<SceneNode, { x: number; y: number; w: number; h: number }>();
  #nodes = [this.root];
  readonly #next: Next;

  constructor(index: number) {
    this.#next = random(index + 409);
    begin(this, this.#next, 60);
  }

  turn(): void {
    const next = this.#next;
    const parent = pick(next, this.#nodes);
    const node = new SceneNode(`node_${this.#nodes.length}`, parent);
    parent.children.push(node);
    node.components.set('transform', new Transform(node));
    if (next() < 0.4) node.components.set('label', new Label(node, sentence(next, 6)));
    for (const component of node.components.values()) component.update();
    this.#bounds.set(node, { x: next(), y: next(), w: 1.5, h: 2.5 });
    if (next() < 0.2) this.selected.add(node);
    this.#nodes.push(node);
    if (this.#nodes.length > 80) {
      this.root.children.length = 0;
      this.selected.clear();
      this.#nodes = [this.root];
    }
  }
}

/** Results of a search service: rows of a database with dates, decimals as strings, facets and pages. */
function search(index: number): Turning {
  const next = random(index + 410);
  const session = {
    query: { text: '', filters: [] as [string, string][], sort: null as string | null },
    pages: new Map<number, Record<string, unknown>[]>(),
    facets: {} as Record<string, Record<string, number>>,
    recent: [] as string[],
    scores: [] as number[],
    turn(): void {
      session.query = {
        text: sentence(next, between(next, 1, 5)),
        filters: [['lang', 'en']],
        sort: next() < 0.5 ? null : 'date',
      };
      session.recent.unshift(session.query.text);
      session.recent.length = Math.min(12, session.recent.length);
      const page = between(next, 0, 9);
      session.pages.set(
        page,
        Array.from({ length: between(next, 2, 12) }, () => ({
          id: between(next, 1, 1e9),
          uuid: randomUUID(),
          title: sentence(next, 6).toUpperCase(),
          price: (next() * 1000).toFixed(2),
          published: new Date(between(next, 0, 1.7e12)),
          author: next() < 0.2 ? null : { name: sentence(next, 2), verified: next() < 0.5 },
          highlights: [sentence(next, 8).replace('the', '<em>the</em>')],
        })),
      );
      const facet = pick(next, ['brand', 'colour', 'size']);
      (session.facets[facet] ??= {})[sentence(next, 1)] = between(next, 1, 500);
      session.scores = (session.pages.get(page) ?? []).map(() => next());
    },
  };
  begin(session, next, 25);
  return session;
}

export const lateKinds: Readonly<Record<string, MakeSession>> = {
  account: (index) => new Account(index),
  client: (index) => new Client(index),
  queue: (index) => new Queue(index),
  telemetry: (index) => new Telemetry(index),
  'code index': (index) => new CodeIndex(index),
  assistant,
  reader: (index) => new Reader(index),
  store,
  scene: (index) => new Scene(index),
  search,
};
