/** Sessions of ten kinds that the layout rules of the census are developed on. `held-out.ts` has ten others that they are not. */
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { random, sentence, Session } from './sessions.ts';

/** A session that goes on: a turn changes it as a request would. */
export interface Turning {
  turn(): void;
}

export type MakeSession = (index: number) => Turning;

class Chat extends Session {}

class PrivateChat implements Turning {
  readonly #messages: { role: string; text: string }[] = [];
  readonly #byId = new Map<string, string>();
  readonly #next: () => number;
  readonly handlers: (() => number)[] = [];
  #summary = '';

  constructor(index: number) {
    this.#next = random(index + 1);
    for (let i = 0; i < 4 + this.#next() * 30; i++) this.turn();
  }

  turn(): void {
    const text = sentence(this.#next, 10 + this.#next() * 60);
    this.#messages.push({ role: 'user', text });
    this.#byId.set(`message ${this.#messages.length}`, text);
    this.#summary = sentence(this.#next, 30);
    const parts = text.split(' ');
    if (this.#next() < 0.2) this.handlers.push(() => parts.length + this.#summary.length);
    if (this.handlers.length > 12) this.handlers.shift();
  }
}

class Slices implements Turning {
  readonly fields: string[] = [];
  readonly #next: () => number;

  constructor(index: number) {
    this.#next = random(index + 1);
    for (let i = 0; i < 5 + this.#next() * 20; i++) this.turn();
  }

  turn(): void {
    const page = Buffer.from(sentence(this.#next, 40 + this.#next() * 200)).toString();
    this.fields.push(page.slice(5, 45));
  }
}

class Graph implements Turning {
  readonly nodes = new Map<number, { readonly out: Set<number>; readonly data: Map<string, unknown> }>();
  readonly #next: () => number;

  constructor(index: number) {
    this.#next = random(index + 1);
    for (let i = 0; i < 10 + this.#next() * 60; i++) this.turn();
  }

  turn(): void {
    const { nodes } = this;
    const out = new Set<number>();
    for (let i = 0; i < this.#next() * 8; i++) out.add(Math.floor(this.#next() * 1e6));
    nodes.set(nodes.size, { out, data: new Map<string, unknown>([['label', sentence(this.#next, 3)]]) });
  }
}

class Records implements Turning {
  readonly id = randomUUID();
  readonly rows: object[] = [];
  readonly index: Record<string, number> = {};
  readonly #next: () => number;

  constructor(index: number) {
    this.#next = random(index + 1);
    for (let i = 0; i < 10 + this.#next() * 40; i++) this.turn();
  }

  turn(): void {
    const id = randomUUID();
    this.rows.push({ id, at: new Date(), owner: sentence(this.#next, 2), price: this.#next() * 100 });
    this.index[id] = this.rows.length;
  }
}

class Edited implements Turning {
  readonly #next: () => number;
  readonly forms: Record<string, unknown>[] = [];

  constructor(index: number) {
    this.#next = random(index + 1);
    for (let i = 0; i < 5 + this.#next() * 40; i++) this.turn();
  }

  turn(): void {
    const form: Record<string, unknown> = { a: sentence(this.#next, 6), draft: true, c: 1, d: 2, e: 3 };
    if (this.#next() < 0.5) delete form['draft'];
    for (let i = 0; i < this.#next() * 10; i++) form[`field_${i}`] = sentence(this.#next, 4);
    this.forms.push(form);
  }
}

class Numbers implements Turning {
  readonly #next: () => number;
  readonly vectors: number[][] = [];
  readonly mixed: unknown[] = [];

  constructor(index: number) {
    this.#next = random(index + 1);
    for (let i = 0; i < 3 + this.#next() * 20; i++) this.turn();
  }

  turn(): void {
    const list = Array.from({ length: 16 + Math.floor(this.#next() * 100) }, () => this.#next());
    this.vectors.push(this.#next() < 0.5 ? list : (JSON.parse(JSON.stringify(list)) as number[]));
    this.mixed.push('score', this.#next(), this.vectors.length);
  }
}

class Requests implements Turning {
  readonly #next: () => number;
  readonly seen: { url: URL; headers: Headers; body: Uint8Array }[] = [];

  constructor(index: number) {
    this.#next = random(index + 1);
    for (let i = 0; i < 3 + this.#next() * 15; i++) this.turn();
  }

  turn(): void {
    this.seen.push({
      url: new URL(`https://example.com/api/${Math.floor(this.#next() * 1e6)}?page=${this.seen.length}`),
      headers: new Headers({ accept: 'text/html', 'x-id': sentence(this.#next, 3) }),
      body: Buffer.alloc(200 + Math.floor(this.#next() * 3000), 1),
    });
    if (this.seen.length > 30) this.seen.shift();
  }
}

class Waiting implements Turning {
  readonly #next: () => number;
  readonly jobs = new Map<number, { promise: Promise<string>; stop: AbortController; text: string }>();
  readonly events = new EventEmitter();
  #count = 0;

  constructor(index: number) {
    this.#next = random(index + 1);
    this.events.setMaxListeners(0);
    for (let i = 0; i < 3 + this.#next() * 15; i++) this.turn();
  }

  turn(): void {
    const text = sentence(this.#next, 20 + this.#next() * 80);
    const stop = new AbortController();
    const promise = new Promise<string>((resolve) => this.events.once(`done${this.#count}`, resolve));
    stop.signal.addEventListener('abort', () => void text);
    this.jobs.set(this.#count++, { promise, stop, text });
    if (this.jobs.size > 20) {
      const [first] = this.jobs.keys();
      this.events.removeAllListeners(`done${first}`);
      this.jobs.delete(first as number);
    }
  }
}

class Mixed implements Turning {
  readonly parts: Turning[];
  readonly #next: () => number;

  constructor(index: number) {
    this.#next = random(index + 77);
    const makers = [Graph, Records, Edited, Numbers, Requests];
    this.parts = makers.filter(() => this.#next() < 0.6).map((Maker, i) => new Maker(index + i));
  }

  turn(): void {
    this.parts[Math.floor(this.#next() * this.parts.length)]?.turn();
  }
}

export const developedOn: Readonly<Record<string, MakeSession>> = {
  chat: (index) => new Chat(index),
  private: (index) => new PrivateChat(index),
  slices: (index) => new Slices(index),
  graph: (index) => new Graph(index),
  records: (index) => new Records(index),
  edited: (index) => new Edited(index),
  numbers: (index) => new Numbers(index),
  requests: (index) => new Requests(index),
  waiting: (index) => new Waiting(index),
  mixed: (index) => new Mixed(index),
};
