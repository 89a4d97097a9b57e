/**
 * Ten more kinds of sessions: `npm run bench -- census fresh`. They judge the rules that were changed after a look at the figures of
 * `held-out.ts`. Two rules came after a look at these: lists of one name grow alike, and lists in maps were pushed to.
 */
import { randomUUID } from 'node:crypto';
import type { MakeSession, Turning } from './sessions.ts';
import { random, sentence } from './sessions.ts';

type Next = () => number;

const between = (next: Next, from: number, to: number): number => from + Math.floor(next() * (to - from + 1));

/** Messages of a model as they come from the wire: parsed JSON, tool calls, usage. */
class Conversation implements Turning {
  readonly id = randomUUID();
  readonly messages: unknown[] = [];
  readonly totals = { input: 0, output: 0, cost: 0.1 };
  private readonly next: Next;

  constructor(index: number) {
    this.next = random(index + 201);
    for (let i = 0; i < between(this.next, 2, 40); i++) this.turn();
  }

  turn(): void {
    const { next } = this;
    const call = {
      id: `call_${between(next, 1e5, 1e6)}`,
      name: 'lookup',
      arguments: { q: sentence(next, 4) },
    };
    const message = {
      role: next() < 0.5 ? 'user' : 'assistant',
      content: [{ type: 'text', text: sentence(next, between(next, 4, 120)) }],
      ...(next() < 0.3 && { tool_calls: [call] }),
      usage: { input_tokens: between(next, 10, 4000), output_tokens: between(next, 1, 900) },
    };
    this.messages.push(JSON.parse(JSON.stringify(message)));
    this.totals.cost += next();
    if (this.messages.length > 60) this.messages.splice(0, 20);
  }
}

/** A mailbox with flags, addresses and a search index of words. */
class Mailbox implements Turning {
  readonly mails = new Map<number, { from: string; to: string[]; subject: string; flags: Set<string> }>();
  readonly words = new Map<string, number[]>();
  private readonly next: Next;
  private last = 0;

  constructor(index: number) {
    this.next = random(index + 202);
    for (let i = 0; i < between(this.next, 5, 60); i++) this.turn();
  }

  turn(): void {
    const { next } = this;
    const id = this.last++;
    const subject = sentence(next, 6);
    const to = Array.from({ length: between(next, 1, 4) }, () => `${sentence(next, 1)}@mail.example`);
    this.mails.set(id, { from: `${sentence(next, 1)}@example.org`, to, subject, flags: new Set(['seen']) });
    for (const word of subject.split(' ')) {
      const found = this.words.get(word);
      if (found === undefined) this.words.set(word, [id]);
      else if (found.length < 40) found.push(id);
    }
    if (this.mails.size > 70) this.mails.delete(id - 70);
  }
}

/** Measurements of the last minutes, by name, as numbers in rings. */
class Metrics implements Turning {
  readonly series: Record<string, { at: number[]; value: number[]; unit: string }> = {};
  private readonly next: Next;
  private clock = 1.5;

  constructor(index: number) {
    this.next = random(index + 203);
    for (let i = 0; i < between(this.next, 20, 200); i++) this.turn();
  }

  turn(): void {
    const { next } = this;
    const name = `latency.${sentence(next, 1)}`;
    const series = (this.series[name] ??= { at: [], value: [], unit: 'ms' });
    this.clock += next();
    series.at.push(this.clock);
    series.value.push(100 * next());
    if (series.at.length > 30) {
      series.at.shift();
      series.value.shift();
    }
  }
}

/** A form in several pages with errors and a history of values. */
class Wizard implements Turning {
  page = 0;
  values: Record<string, string | number | boolean | null> = {};
  readonly errors: { field: string; text: string }[] = [];
  readonly history: Record<string, unknown>[] = [];
  private readonly next: Next;

  constructor(index: number) {
    this.next = random(index + 204);
    for (let i = 0; i < between(this.next, 3, 25); i++) this.turn();
  }

  turn(): void {
    const { next } = this;
    const fields = ['name', 'street', 'city', 'age', 'newsletter', 'comment'] as const;
    const field = fields[between(next, 0, fields.length - 1)] as string;
    const value =
      field === 'age' ? between(next, 18, 90) : field === 'newsletter' ? next() < 0.5 : sentence(next, 3);
    this.history.push(this.values);
    this.values = { ...this.values, [field]: value };
    if (next() < 0.2) this.errors.push({ field, text: `${field} ${sentence(next, 3)}` });
    if (this.history.length > 20) this.history.shift();
    if (this.errors.length > 10) this.errors.length = 0;
    this.page = between(next, 0, 4);
  }
}

/** Appointments with dates and people. */
class Calendar implements Turning {
  readonly days = new Map<string, { start: Date; end: Date; title: string; people: string[] }[]>();
  private readonly next: Next;

  constructor(index: number) {
    this.next = random(index + 205);
    for (let i = 0; i < between(this.next, 4, 60); i++) this.turn();
  }

  turn(): void {
    const { next } = this;
    const start = new Date(2026, between(next, 0, 11), between(next, 1, 28), between(next, 8, 18));
    const day = start.toISOString().slice(0, 10);
    const list = this.days.get(day) ?? [];
    const people = Array.from({ length: between(next, 1, 5) }, () => sentence(next, 2));
    list.push({ start, end: new Date(start.getTime() + 3.6e6), title: sentence(next, 5), people });
    this.days.set(day, list);
    if (this.days.size > 50) this.days.delete(this.days.keys().next().value as string);
  }
}

/** A sheet of cells by column and row, with formulas. */
class Sheet implements Turning {
  readonly cells = new Map<string, Map<number, { value: number | string; formula?: string }>>();
  private readonly next: Next;

  constructor(index: number) {
    this.next = random(index + 206);
    for (let i = 0; i < between(this.next, 20, 150); i++) this.turn();
  }

  turn(): void {
    const { next } = this;
    const column = 'ABCDEFGH'[between(next, 0, 7)] as string;
    const row = between(next, 1, 40);
    let cells = this.cells.get(column);
    if (cells === undefined) this.cells.set(column, (cells = new Map()));
    const value = next() < 0.6 ? next() * 1000 : sentence(next, 2);
    cells.set(row, next() < 0.2 ? { value, formula: `=SUM(${column}1:${column}${row})` } : { value });
  }
}

/** Subscriptions of a connection: a callback per topic that holds what it sent last. */
class Subscriptions implements Turning {
  readonly topics = new Map<string, (text: string) => string>();
  sent = 0;
  private readonly next: Next;

  constructor(index: number) {
    this.next = random(index + 207);
    for (let i = 0; i < between(this.next, 3, 30); i++) this.turn();
  }

  turn(): void {
    const topic = `topic:${between(this.next, 1, 40)}`;
    const last = { text: sentence(this.next, 8), count: 0 };
    this.topics.set(topic, (text) => {
      last.count++;
      return last.text + text;
    });
    this.sent++;
  }
}

/** Jobs with attempts, each in a class of its own with private state. */
class Job {
  readonly id: string = randomUUID();
  readonly payload: object;
  #attempts: { at: number; error: string | undefined }[] = [];
  #state: 'queued' | 'running' | 'done' = 'queued';

  constructor(payload: object) {
    this.payload = payload;
  }

  try(error: string | undefined): boolean {
    this.#attempts.push({ at: Date.now(), error });
    this.#state = error === undefined ? 'done' : 'running';
    return this.#state === 'done';
  }
}

class Jobs implements Turning {
  readonly jobs: Job[] = [];
  private readonly next: Next;

  constructor(index: number) {
    this.next = random(index + 208);
    for (let i = 0; i < between(this.next, 4, 50); i++) this.turn();
  }

  turn(): void {
    const { next } = this;
    const job = new Job({
      kind: 'render',
      file: `/var/data/${between(next, 1, 9999)}.png`,
      pages: between(next, 1, 9),
    });
    job.try(next() < 0.3 ? sentence(next, 5) : undefined);
    this.jobs.push(job);
    if (this.jobs.length > 60) this.jobs.shift();
  }
}

/** Pieces of an answer that is streamed: lines as they came, and the whole text so far. */
class Streamed implements Turning {
  readonly events: { event: string; data: string; id: number }[] = [];
  text = '';
  private readonly next: Next;

  constructor(index: number) {
    this.next = random(index + 209);
    for (let i = 0; i < between(this.next, 10, 90); i++) this.turn();
  }

  turn(): void {
    const delta = ` ${sentence(this.next, between(this.next, 1, 3))}`;
    this.text += delta;
    this.events.push({ event: 'delta', data: JSON.stringify({ delta }), id: this.events.length });
    if (this.events.length > 100) this.events.splice(0, 50);
    if (this.text.length > 4000) this.text = '';
  }
}

/** A map of tiles: bytes, positions, and who looks at them. */
class Tiles implements Turning {
  readonly tiles = new Map<
    string,
    { z: number; bytes: Uint8Array; bounds: [number, number, number, number] }
  >();
  readonly order: string[] = [];
  private readonly next: Next;

  constructor(index: number) {
    this.next = random(index + 210);
    for (let i = 0; i < between(this.next, 3, 24); i++) this.turn();
  }

  turn(): void {
    const { next } = this;
    const key = `${between(next, 1, 18)}/${between(next, 0, 4096)}/${between(next, 0, 4096)}`;
    const [x, y] = [360 * next() - 180, 180 * next() - 90];
    this.tiles.set(key, {
      z: between(next, 1, 18),
      bytes: new Uint8Array(between(next, 200, 1500)),
      bounds: [x, y, x + 1.5, y + 1.5],
    });
    this.order.push(key);
    if (this.order.length > 24) this.tiles.delete(this.order.shift() as string);
  }
}

export const freshKinds: Readonly<Record<string, MakeSession>> = {
  conversation: (index) => new Conversation(index),
  mailbox: (index) => new Mailbox(index),
  metrics: (index) => new Metrics(index),
  wizard: (index) => new Wizard(index),
  calendar: (index) => new Calendar(index),
  sheet: (index) => new Sheet(index),
  subscriptions: (index) => new Subscriptions(index),
  jobs: (index) => new Jobs(index),
  streamed: (index) => new Streamed(index),
  tiles: (index) => new Tiles(index),
};
