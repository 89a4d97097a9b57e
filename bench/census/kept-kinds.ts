/**
 * Twelve kinds of sessions like those of other people's agent servers: `npm run bench -- census kept`. They were scored once before any rule
 * knew them. What that showed was mended after it: timers that lead to other sessions, classes taken for slow on a busy machine, private
 * fields behind private fields, shapes of objects that are dictionaries.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { LRUCache } from 'lru-cache';
import type { MakeSession, Turning } from './sessions.ts';
import { random, sentence } from './sessions.ts';

type Next = () => number;

const between = (next: Next, from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
const pick = <T>(next: Next, of: readonly T[]): T => of[between(next, 0, of.length - 1)] as T;

/** Begins with some turns, so that sessions are of all ages. */
abstract class Begun implements Turning {
  protected readonly next: Next;

  constructor(seed: number) {
    this.next = random(seed);
  }

  protected begin(least: number, most: number): void {
    for (let i = between(this.next, least, most); i > 0; i--) this.turn();
  }

  abstract turn(): void;
}

/** Messages as objects of classes, with what they were made of beside what they are, as LangChain has them. */
class Message {
  readonly lc_serializable = true;
  readonly lc_namespace = ['langchain_core', 'messages'];
  readonly lc_kwargs: Record<string, unknown>;
  readonly content: string;
  readonly additional_kwargs: Record<string, unknown>;
  readonly response_metadata: Record<string, unknown>;
  readonly id: string | undefined;

  constructor(fields: { content: string; id?: string; additional_kwargs?: Record<string, unknown> }) {
    this.lc_kwargs = { ...fields, response_metadata: {} };
    this.content = fields.content;
    this.additional_kwargs = fields.additional_kwargs ?? {};
    this.response_metadata = {};
    this.id = fields.id;
  }
}

class ModelMessage extends Message {
  readonly tool_calls: { name: string; args: unknown; id: string; type: 'tool_call' }[] = [];
  usage_metadata: object | undefined;
}

class Thread extends Begun {
  readonly config = { configurable: { thread_id: randomUUID(), checkpoint_ns: '' }, recursionLimit: 25 };
  messages: Message[] = [];

  constructor(index: number) {
    super(index + 301);
    this.begin(2, 30);
  }

  turn(): void {
    const { next } = this;
    const answer = new ModelMessage({
      content: sentence(next, between(next, 5, 90)),
      id: `run-${randomUUID()}`,
    });
    answer.usage_metadata = { input_tokens: between(next, 20, 9000), output_tokens: between(next, 5, 800) };
    if (next() < 0.4) {
      const args: unknown = JSON.parse(`{"query":"${sentence(next, 6)}","limit":${between(next, 1, 9)}}`);
      answer.tool_calls.push({
        name: 'search',
        args,
        id: `call_${randomBytes(12).toString('hex')}`,
        type: 'tool_call',
      });
    }
    this.messages = [
      ...this.messages,
      new Message({ content: sentence(next, between(next, 3, 30)) }),
      answer,
    ];
    if (this.messages.length > 60) this.messages = this.messages.slice(20);
  }
}

/** Steps of a model with parts, as the AI SDK hands them over, and the deltas of the one that runs. */
class Steps extends Begun {
  readonly steps: object[] = [];
  deltas: { type: string; id: string; delta: string }[] = [];

  constructor(index: number) {
    super(index + 302);
    this.begin(2, 20);
  }

  turn(): void {
    const { next } = this;
    const id = randomBytes(8).toString('base64url');
    this.deltas = [];
    let text = '';
    for (let i = between(next, 3, 40); i > 0; i--) {
      const delta = `${sentence(next, 1)} `;
      text += delta;
      this.deltas.push({ type: 'text-delta', id, delta });
    }
    this.steps.push({
      content: [
        {
          type: 'reasoning',
          text: sentence(next, between(next, 2, 40)),
          providerMetadata: { openai: { itemId: id } },
        },
        { type: 'text', text },
        ...(next() < 0.4
          ? [
              {
                type: 'tool-result',
                toolCallId: id,
                toolName: 'weather',
                input: { city: sentence(next, 1) },
                output: { temperature: next() * 30, at: new Date() },
              },
            ]
          : []),
      ],
      finishReason: next() < 0.5 ? 'stop' : 'tool-calls',
      usage: {
        inputTokens: between(next, 1, 9999),
        outputTokens: between(next, 1, 999),
        totalTokens: undefined,
      },
      request: { body: undefined },
      response: {
        id: randomUUID(),
        timestamp: new Date(),
        modelId: 'small',
        headers: { 'x-request-id': id },
      },
    });
    if (this.steps.length > 25) this.steps.shift();
  }
}

/** What a form or an API handed in, checked and copied field by field. */
class Validated extends Begun {
  readonly orders = new Map<string, object>();
  readonly issues: { code: string; path: (string | number)[]; message: string }[] = [];

  constructor(index: number) {
    super(index + 303);
    this.begin(3, 40);
  }

  turn(): void {
    const { next } = this;
    const input = JSON.parse(
      JSON.stringify({
        id: randomUUID(),
        email: `${sentence(next, 1)}.${between(next, 1, 999)}@example.com`,
        address: { street: sentence(next, 3), zip: String(between(next, 10_000, 99_999)), country: 'DE' },
        lines: Array.from({ length: between(next, 1, 6) }, () => ({
          sku: `A-${between(next, 1, 500)}`,
          price: next() * 90,
        })),
        ...(next() < 0.5 && { note: sentence(next, 12) }),
      }),
    ) as Record<string, unknown>;
    const output: Record<string, unknown> = {};
    for (const key of Object.keys(input)) output[key] = input[key];
    output['placed'] = new Date();
    this.orders.set(input['id'] as string, output);
    if (next() < 0.2)
      this.issues.push({ code: 'too_small', path: ['lines', 0, 'price'], message: sentence(next, 7) });
    if (this.orders.size > 40) this.orders.delete(this.orders.keys().next().value as string);
  }
}

/** A crawler: addresses, headers, who refers to whom. */
class Crawl extends Begun {
  readonly seen = new Map<string, Set<string>>();
  readonly queue: { url: URL; depth: number; headers: Headers }[] = [];
  readonly failures: Error[] = [];

  constructor(index: number) {
    super(index + 304);
    this.begin(3, 25);
  }

  turn(): void {
    const { next } = this;
    const page = `https://docs.example.com/${sentence(next, 2).replaceAll(' ', '/')}/${between(next, 1, 9999)}`;
    const links = Array.from({ length: between(next, 0, 12) }, () => `${page}#part-${between(next, 1, 99)}`);
    this.seen.set(page, new Set(links));
    this.queue.push({
      url: new URL(page),
      depth: between(next, 0, 5),
      headers: new Headers({ 'user-agent': 'bot', etag: randomBytes(6).toString('hex') }),
    });
    if (this.queue.length > 15) this.queue.shift();
    if (next() < 0.1)
      this.failures.push(new TypeError(`fetch failed: ${page}`, { cause: new Error('ECONNRESET') }));
    if (this.failures.length > 5) this.failures.shift();
    if (this.seen.size > 30) this.seen.delete(this.seen.keys().next().value as string);
  }
}

/** An upload: chunks, pieces of them, and a checksum by number. */
class Upload extends Begun {
  readonly chunks: Buffer[] = [];
  readonly heads: Uint8Array[] = [];
  readonly sums = new Map<number, bigint>();
  readonly levels = new Float32Array(64);

  constructor(index: number) {
    super(index + 305);
    this.begin(2, 20);
  }

  turn(): void {
    const { next } = this;
    const chunk = Buffer.alloc(between(next, 500, 6000), 3);
    this.chunks.push(chunk);
    this.heads.push(chunk.subarray(0, 16));
    this.sums.set(this.sums.size, BigInt(between(next, 1, 1e9)) ** 5n);
    this.levels[this.chunks.length % 64] = next();
    if (this.chunks.length > 18) {
      this.chunks.shift();
      this.heads.shift();
    }
  }
}

/** Calls of tools that wait: a promise chain, a way to end it and a deadline each. */
class Calls extends Begun {
  readonly open = new Map<string, { controller: AbortController; result: Promise<string>; at: number }>();
  readonly events = new EventEmitter();
  readonly deadlines = new Map<string, NodeJS.Timeout>();

  constructor(index: number) {
    super(index + 306);
    this.events.setMaxListeners(0);
    this.begin(3, 25);
  }

  turn(): void {
    const { next } = this;
    const id = `tool-${randomBytes(5).toString('hex')}`;
    const controller = new AbortController();
    const words = sentence(next, 10);
    const result = new Promise<string>((resolve) => this.events.once(id, resolve)).then(
      (text) => text + words,
    );
    this.open.set(id, { controller, result, at: performance.now() });
    const timer = setTimeout(() => controller.abort(), 3_600_000);
    timer.unref();
    this.deadlines.set(id, timer);
    if (this.open.size > 12) this.#end(this.open.keys().next().value as string);
  }

  #end(id: string): void {
    clearTimeout(this.deadlines.get(id));
    this.deadlines.delete(id);
    this.open.delete(id);
    this.events.removeAllListeners(id);
  }
}

/** A player with private state, worth saving now and then. */
class Item {
  readonly name: string;
  #durability: number;
  #history: { at: number; what: string }[] = [];

  constructor(name: string, durability: number) {
    this.name = name;
    this.#durability = durability;
  }

  use(what: string): number {
    this.#history.push({ at: Date.now(), what });
    if (this.#history.length > 6) this.#history.shift();
    return (this.#durability -= 0.5);
  }
}

class Player extends Begun {
  #gold = 10.5;
  readonly #bag = new Map<string, Item>();
  readonly position = { x: 0.1, y: 0.2, zone: 'harbour' };

  constructor(index: number) {
    super(index + 307);
    this.begin(4, 50);
  }

  turn(): void {
    const { next } = this;
    const name = sentence(next, 2);
    let item = this.#bag.get(name);
    if (item === undefined) this.#bag.set(name, (item = new Item(name, 100 * next())));
    item.use(sentence(next, 4));
    this.#gold += next();
    if (this.#gold > 1000) this.#gold = 0.5;
    this.position.x += next();
    if (this.#bag.size > 20) this.#bag.delete(this.#bag.keys().next().value as string);
  }
}

/** Answers that were found before, in a cache with a bound. */
class Cached extends Begun {
  readonly answers = new LRUCache<string, { text: string; sources: string[]; score: number }>({ max: 50 });
  hits = 0;

  constructor(index: number) {
    super(index + 308);
    this.begin(5, 80);
  }

  turn(): void {
    const { next } = this;
    const key = `q:${between(next, 1, 70)}`;
    if (this.answers.get(key) !== undefined) this.hits++;
    else
      this.answers.set(key, {
        text: sentence(next, between(next, 5, 50)),
        sources: [sentence(next, 2), 'wiki'],
        score: next(),
      });
  }
}

/** Features of a user by name, of which some are taken away again. */
class Features extends Begun {
  readonly flags: Record<string, boolean | number | string> = {};
  readonly overrides: Record<string, unknown>[] = [];

  constructor(index: number) {
    super(index + 309);
    this.begin(10, 60);
  }

  turn(): void {
    const { next } = this;
    const name = `${pick(next, ['search', 'editor', 'billing'])}.${pick(next, ['beta', 'limit', 'theme', 'v2', 'dark'])}`;
    if (name in this.flags && next() < 0.3) delete this.flags[name];
    else this.flags[name] = pick(next, [true, between(next, 1, 99), sentence(next, 3)]);
    const override: Record<string, unknown> = {
      name,
      by: sentence(next, 2),
      at: Date.now(),
      reason: sentence(next, 5),
    };
    if (next() < 0.3) delete override['reason'];
    this.overrides.push(override);
    if (this.overrides.length > 30) this.overrides.shift();
  }
}

/** Log lines cut out of what came over the wire, and a report that is put together. */
class Logs extends Begun {
  readonly lines: { level: string; text: string; fields: Map<string, string> }[] = [];
  report = '';

  constructor(index: number) {
    super(index + 310);
    this.begin(4, 40);
  }

  turn(): void {
    const { next } = this;
    const raw = Buffer.from(
      `level=${pick(next, ['info', 'warn', 'error'])} user=${between(next, 1, 9999)} msg=${sentence(next, 14)}`,
    ).toString();
    const [level = '', user = '', message = ''] = raw.split(/ (?=user=|msg=)/);
    this.lines.push({
      level: level.slice(6),
      text: message.slice(4),
      fields: new Map([
        ['user', user.slice(5)],
        ['raw', raw],
      ]),
    });
    this.report += `${this.lines.length}. ${message}\n`;
    if (this.report.length > 3000) this.report = this.report.slice(-1000);
    if (this.lines.length > 50) this.lines.splice(0, 25);
  }
}

const state = Symbol('state');
const kinds = ['root', 'branch', 'leaf'] as const;

interface TreeNode {
  kind: (typeof kinds)[number];
  parent: TreeNode | null;
  children: TreeNode[];
  [state]: { dirty: boolean; size: bigint };
}

/** A tree of nodes that know their parents, with a weak index over them. */
class Outline extends Begun {
  readonly root: TreeNode = { kind: 'root', parent: null, children: [], [state]: { dirty: false, size: 0n } };
  readonly index = new WeakMap<TreeNode, string>();
  #all: TreeNode[] = [this.root];

  constructor(index: number) {
    super(index + 311);
    this.begin(5, 90);
  }

  turn(): void {
    const { next } = this;
    const parent = pick(next, this.#all);
    const node: TreeNode = {
      kind: pick(next, kinds),
      parent,
      children: [],
      [state]: { dirty: next() < 0.5, size: BigInt(between(next, 1, 1e6)) },
    };
    parent.children.push(node);
    this.index.set(node, sentence(next, 4));
    this.#all.push(node);
    if (this.#all.length > 120) {
      this.root.children.length = 0;
      this.#all = [this.root];
    }
  }
}

/** Work that waits in generators and closures, and an answer that is read piece by piece. */
class Pending extends Begun {
  readonly readers: AsyncGenerator<string>[] = [];
  readonly undo: (() => void)[] = [];
  readonly matcher = new RegExp(`^${sentence(random(312), 2)}$`, 'i');
  value = 0.5;

  constructor(index: number) {
    super(index + 312);
    this.begin(3, 25);
  }

  turn(): void {
    const { next } = this;
    const text = sentence(next, between(next, 5, 40));
    async function* read(): AsyncGenerator<string> {
      for (const word of text.split(' ')) yield word;
    }
    this.readers.push(read());
    const before = this.value;
    this.value = next();
    this.undo.push(() => {
      this.value = before;
    });
    if (this.readers.length > 15) this.readers.shift();
    if (this.undo.length > 30) this.undo.shift();
  }
}

export const keptKinds: Readonly<Record<string, MakeSession>> = {
  thread: (index) => new Thread(index),
  steps: (index) => new Steps(index),
  validated: (index) => new Validated(index),
  crawl: (index) => new Crawl(index),
  upload: (index) => new Upload(index),
  calls: (index) => new Calls(index),
  player: (index) => new Player(index),
  cached: (index) => new Cached(index),
  features: (index) => new Features(index),
  logs: (index) => new Logs(index),
  outline: (index) => new Outline(index),
  pending: (index) => new Pending(index),
};
