/**
 * Ten kinds of sessions that the layout rules of the census were not made on at first. The rules for short words in lists, symbols, strings
 * in pieces and lists that grow were made after a look at their figures; `fresh-kinds.ts` judges those.
 */
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { MakeSession, Turning } from './sessions.ts';
import { random, sentence } from './sessions.ts';

const between = (next: () => number, from: number, to: number): number =>
  from + Math.floor(next() * (to - from + 1));

interface Item {
  sku: string;
  title: string;
  cents: number;
  quantity: number;
  options?: Record<string, string>;
}

/** A shopping cart with the pages that were looked at. */
function cart(index: number): Turning {
  const next = random(index + 11);
  const state = {
    customer: { id: index, email: `user${index}@example.com`, since: new Date(2020, 1, 1 + (index % 300)) },
    items: new Map<string, Item>(),
    viewed: [] as { path: string; at: number; referrer: string | null }[],
    coupons: new Set<string>(),
    total: 0,
    turn(): void {
      const sku = `SKU-${between(next, 1, 400)}`;
      const known = state.items.get(sku);
      if (known === undefined) {
        const options = next() < 0.4 ? { colour: 'blue', size: 'XL' } : undefined;
        const item: Item = { sku, title: sentence(next, 6), cents: between(next, 100, 9999), quantity: 1 };
        state.items.set(sku, options === undefined ? item : { ...item, options });
      } else if (++known.quantity > 3) state.items.delete(sku);
      state.viewed.push({
        path: `/products/${sku}`,
        at: Date.now(),
        referrer: next() < 0.5 ? null : '/home',
      });
      if (next() < 0.05) state.coupons.add(`SAVE${between(next, 10, 99)}`);
      state.total = [...state.items.values()].reduce((sum, item) => sum + item.cents * item.quantity, 0);
      if (state.viewed.length > 80) state.viewed = state.viewed.slice(-60);
    },
  };
  for (let i = 0; i < between(next, 5, 90); i++) state.turn();
  return state;
}

/** A room of a game: a board of numbers, players with positions, a log of moves. */
class GameRoom implements Turning {
  readonly board: number[][];
  readonly players: { name: string; x: number; y: number; score: number; inventory: string[] }[] = [];
  readonly moves: { player: number; dx: number; dy: number; t: number }[] = [];
  private readonly next: () => number;
  private clock = 0;

  constructor(index: number) {
    this.next = random(index + 22);
    const size = between(this.next, 8, 24);
    this.board = Array.from({ length: size }, () => Array.from({ length: size }, () => 0));
    for (let i = 0; i < between(this.next, 2, 8); i++) {
      this.players.push({ name: sentence(this.next, 2), x: 0.5, y: 0.5, score: 0, inventory: [] });
    }
    for (let i = 0; i < between(this.next, 20, 200); i++) this.turn();
  }

  turn(): void {
    const player = between(this.next, 0, this.players.length - 1);
    const who = this.players[player] as (typeof this.players)[number];
    const dx = this.next() - 0.5;
    const dy = this.next() - 0.5;
    who.x += dx;
    who.y += dy;
    who.score += between(this.next, 0, 10);
    if (this.next() < 0.1) who.inventory.push(sentence(this.next, 1));
    const row = this.board[between(this.next, 0, this.board.length - 1)] as number[];
    row[between(this.next, 0, row.length - 1)] = player;
    this.clock += this.next();
    this.moves.push({ player, dx, dy, t: this.clock });
    if (this.moves.length > 300) this.moves.splice(0, 100);
  }
}

/** State of a graph of agents with checkpoints as bytes. */
class Checkpoints implements Turning {
  readonly channels = new Map<string, unknown>();
  readonly history: { id: string; parent: string | null; at: string; blob: Uint8Array }[] = [];
  private readonly next: () => number;

  constructor(index: number) {
    this.next = random(index + 33);
    for (let i = 0; i < between(this.next, 2, 25); i++) this.turn();
  }

  turn(): void {
    const state = {
      messages: Array.from({ length: between(this.next, 1, 8) }, () => ({
        type: 'ai',
        content: sentence(this.next, between(this.next, 5, 60)),
        usage: { input: between(this.next, 1, 999), output: between(this.next, 1, 999) },
      })),
      scratch: { plan: sentence(this.next, 12), confidence: this.next() },
    };
    this.channels.set('messages', JSON.parse(JSON.stringify(state.messages)));
    this.channels.set(`branch:${between(this.next, 0, 5)}`, state.scratch);
    const parent = this.history.at(-1)?.id ?? null;
    const blob = new TextEncoder().encode(JSON.stringify(state));
    this.history.push({ id: randomBytes(12).toString('hex'), parent, at: new Date().toISOString(), blob });
    if (this.history.length > 20) this.history.shift();
  }
}

/** A chat room over web sockets, as a class with private fields. */
class Room extends EventEmitter implements Turning {
  #members = new Map<string, { nick: string; joined: number; typing: boolean }>();
  #backlog: string[] = [];
  #topic = '';
  readonly #next: () => number;

  constructor(index: number) {
    super();
    this.#next = random(index + 44);
    this.setMaxListeners(0);
    for (let i = 0; i < between(this.#next, 3, 60); i++) this.turn();
  }

  turn(): void {
    const id = `member-${between(this.#next, 1, 40)}`;
    if (this.#members.has(id) && this.#next() < 0.2) this.#members.delete(id);
    else {
      const member = { nick: sentence(this.#next, 2), joined: Date.now(), typing: false };
      this.#members.set(id, member);
      if (this.#next() < 0.1) this.on('message', (text: string) => (member.typing = text.length > 3));
    }
    this.#backlog.push(JSON.stringify({ from: id, text: sentence(this.#next, between(this.#next, 3, 40)) }));
    if (this.#backlog.length > 50) this.#backlog.shift();
    this.#topic = sentence(this.#next, 5);
  }

  get topic(): string {
    return this.#topic;
  }
}

/** A document that several people edit: lines, a stack of undo steps, cursors. */
function editor(index: number): Turning {
  const next = random(index + 55);
  const text = Array.from({ length: between(next, 10, 120) }, () => sentence(next, 9)).join('\n');
  const state = {
    title: sentence(next, 4),
    lines: text.split('\n'),
    undo: [] as { line: number; before: string; after: string }[],
    cursors: new Map<number, { line: number; column: number; selection?: [number, number] }>(),
    turn(): void {
      const line = between(next, 0, state.lines.length - 1);
      const before = state.lines[line] as string;
      const after = `${before.slice(0, between(next, 0, 10))}${sentence(next, 2)}`;
      state.lines[line] = after;
      state.undo.push({ line, before, after });
      if (state.undo.length > 100) state.undo.shift();
      state.cursors.set(between(next, 0, 6), { line, column: after.length, selection: [0, after.length] });
    },
  };
  for (let i = 0; i < between(next, 5, 60); i++) state.turn();
  return state;
}

/** Spans of one trace until it is sent. */
class Trace implements Turning {
  readonly traceId = randomBytes(16).toString('hex');
  readonly spans: object[] = [];
  private readonly next: () => number;

  constructor(index: number) {
    this.next = random(index + 66);
    for (let i = 0; i < between(this.next, 3, 50); i++) this.turn();
  }

  turn(): void {
    const attributes: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    attributes['http.method'] = 'GET';
    attributes['http.url'] = `https://api.example.com/v1/${sentence(this.next, 1)}`;
    attributes['http.status_code'] = 200;
    if (this.next() < 0.5) attributes['db.statement'] = sentence(this.next, 14);
    const start = process.hrtime.bigint();
    this.spans.push({
      name: sentence(this.next, 2),
      spanId: randomBytes(8).toString('hex'),
      start,
      end: start + BigInt(between(this.next, 1, 1e9)),
      attributes,
      events: Array.from({ length: between(this.next, 0, 3) }, (_, i) => ({
        name: `event ${i}`,
        time: this.next(),
      })),
      links: [],
    });
    if (this.spans.length > 60) this.spans.splice(0, 30);
  }
}

/** Tool calls that are under way, each with its promise, its timer and its way out. */
class ToolRuns implements Turning {
  readonly running = new Map<number, { done: Promise<unknown>; cancel: () => void; input: object }>();
  readonly results: unknown[] = [];
  private readonly next: () => number;
  private id = 0;

  constructor(index: number) {
    this.next = random(index + 88);
    for (let i = 0; i < between(this.next, 4, 40); i++) this.turn();
  }

  turn(): void {
    const id = this.id++;
    const input = { tool: 'search', query: sentence(this.next, 8), limit: between(this.next, 1, 50) };
    const controller = new AbortController();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const payload = { rows: Array.from({ length: between(this.next, 1, 12) }, () => sentence(this.next, 6)) };
    const cancel = (): void => {
      controller.abort();
      resolve(payload);
    };
    this.running.set(id, { done: promise, cancel, input });
    if (this.running.size > 15) {
      const [oldest] = this.running.keys();
      this.running.get(oldest as number)?.cancel();
      this.running.delete(oldest as number);
      this.results.push(payload);
    }
    if (this.results.length > 25) this.results.shift();
  }
}

/** A table that somebody uploaded, with statistics of its columns. */
class Table implements Turning {
  readonly header = ['id', 'name', 'city', 'amount', 'ratio'];
  readonly rows: (string | number)[][] = [];
  readonly distinct = new Map<string, Set<string>>();
  private readonly next: () => number;

  constructor(index: number) {
    this.next = random(index + 99);
    for (let i = 0; i < between(this.next, 10, 150); i++) this.turn();
  }

  turn(): void {
    const line = `${this.rows.length},${sentence(this.next, 2)},${sentence(this.next, 1)},${between(this.next, 1, 9999)},${this.next()}`;
    const cells = line.split(',');
    this.rows.push(cells.map((cell, i) => (i >= 3 ? Number(cell) : cell)));
    const city = cells[2] as string;
    let known = this.distinct.get('city');
    if (known === undefined) this.distinct.set('city', (known = new Set()));
    known.add(city);
    if (this.rows.length > 200) this.rows.splice(0, 50);
  }
}

/** Passages with their vectors, and the scores of the last questions. */
class Retrieval implements Turning {
  readonly passages: { id: string; text: string; vector: Float32Array; meta: Record<string, unknown> }[] = [];
  readonly questions: { text: string; scores: number[]; best: number }[] = [];
  private readonly next: () => number;

  constructor(index: number) {
    this.next = random(index + 111);
    for (let i = 0; i < between(this.next, 2, 20); i++) this.passage();
    for (let i = 0; i < between(this.next, 1, 12); i++) this.turn();
  }

  private passage(): void {
    this.passages.push({
      id: `doc-${between(this.next, 1, 1e5)}#${this.passages.length}`,
      text: sentence(this.next, between(this.next, 40, 160)),
      vector: Float32Array.from({ length: 256 }, () => this.next()),
      meta: { source: 'wiki', page: between(this.next, 1, 400), tags: [sentence(this.next, 1), 'en'] },
    });
  }

  turn(): void {
    const scores = this.passages.map(() => this.next());
    this.questions.push({ text: sentence(this.next, 12), scores, best: Math.max(...scores) });
    if (this.questions.length > 20) this.questions.shift();
    if (this.next() < 0.2) this.passage();
    if (this.passages.length > 25) this.passages.shift();
  }
}

const lease = Symbol('lease');

interface Step {
  name: string;
  at: Date;
  error: Error | null;
  previous: Step | null;
  [lease]: number;
}

/** A workflow: a generator that waits, a linked list of steps, errors of attempts. */
class Workflow implements Turning {
  last: Step | null = null;
  readonly variables: Record<string, unknown> = {};
  readonly machine: Generator<number, void, number>;
  private readonly next: () => number;
  private steps = 0;

  constructor(index: number) {
    this.next = random(index + 122);
    this.machine = this.run();
    this.machine.next();
    for (let i = 0; i < between(this.next, 4, 60); i++) this.turn();
  }

  turn(): void {
    this.machine.next(this.steps);
    const error = this.next() < 0.1 ? new Error(`attempt ${this.steps} failed`) : null;
    this.last = {
      name: sentence(this.next, 2),
      at: new Date(),
      error,
      previous: this.last,
      [lease]: this.steps,
    };
    this.variables[`step${this.steps % 12}`] = { output: sentence(this.next, 15), ok: error === null };
    if (++this.steps % 80 === 0 && this.last !== null) this.last.previous = null;
  }

  private *run(): Generator<number, void, number> {
    let sum = 0;
    for (;;) sum += yield sum;
  }
}

export const heldOut: Readonly<Record<string, MakeSession>> = {
  cart,
  game: (index) => new GameRoom(index),
  checkpoints: (index) => new Checkpoints(index),
  room: (index) => new Room(index),
  editor,
  trace: (index) => new Trace(index),
  'tool runs': (index) => new ToolRuns(index),
  table: (index) => new Table(index),
  retrieval: (index) => new Retrieval(index),
  workflow: (index) => new Workflow(index),
};
