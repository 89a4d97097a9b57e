/** Agent-like sessions: conversations, tool results, plans, attachments and what they share. */
import { EventEmitter } from 'node:events';

/** A session that goes on: a turn changes it as a request would. */
export interface Turning {
  turn(): void;
}

export type MakeSession = (index: number) => Turning;

const systemPrompt = `You are a careful assistant. ${'Follow the policy of the house and cite every source. '.repeat(220)}`;

const schemas = Array.from({ length: 24 }, (_, i) => ({
  name: `tool_${i}`,
  description: `Does the thing number ${i}. `.repeat(12),
  parameters: {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 6 }, (_, j) => [
        `argument${j}`,
        { type: 'string', description: `argument ${j} of ${i}` },
      ]),
    ),
  },
}));

const words = 'the agent reads a file and then asks for the next step because nothing was found in it'.split(
  ' ',
);

/** Uniform in [0, 1), the same in every run. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

class Usage {
  promptTokens = 0;
  completionTokens = 0;
  costCents = 0.5;
}

class ToolCall {
  readonly id: string;
  readonly name: string;
  readonly startedAt: Date;
  result: unknown;

  constructor(id: string, name: string, at: number, result: unknown) {
    this.id = id;
    this.name = name;
    this.startedAt = new Date(at);
    this.result = result;
  }
}

interface Message {
  readonly role: string;
  readonly content: unknown;
  readonly at: number;
  readonly parts?: readonly { readonly type: string; readonly text: string }[];
}

/** One session. Streams about a third of its answers without ever reading them back, so that they stay ropes. */
export class Session {
  readonly id: string;
  readonly system = systemPrompt;
  readonly tools = schemas;
  readonly createdAt = new Date();
  readonly messages: Message[] = [];
  readonly calls = new Map<string, ToolCall>();
  readonly topics = new Set<string>();
  readonly usage = new Usage();
  readonly plan: { step: number; notes: string[]; children: object[] } = { step: 0, notes: [], children: [] };
  embedding: Float32Array | undefined;
  attachment: Uint8Array | undefined;
  readonly events?: EventEmitter;
  private readonly next: () => number;
  private turns = 0;

  constructor(index: number) {
    this.id = `session-${String(index).padStart(6, '0')}`;
    this.next = random(index + 1);
    if (index % 9 === 0) this.events = new EventEmitter().setMaxListeners(0);
    // Sizes as people make them: most sessions short, a few very long.
    const turns = 2 + Math.floor(40 * this.next() ** 3 + 12 * this.next());
    for (let i = 0; i < turns; i++) this.turn();
  }

  turn(): void {
    const { next, messages } = this;
    const at = 1_780_000_000_000 + this.turns * 1000 + next();
    messages.push({ role: 'user', content: sentence(next, 4 + next() * 40), at });
    if (next() < 0.6) this.call(at);
    const text = this.stream(20 + 500 * next() ** 4 + next() * 80);
    messages.push({ role: 'assistant', content: text, at, parts: [{ type: 'text', text }] });
    this.topics.add(`topic ${Math.floor(next() * 1e6)}`);
    this.usage.promptTokens += Math.floor(next() * 1000);
    this.usage.costCents += next();
    this.plan.step++;
    if (next() < 0.3) this.plan.notes.push(sentence(next, 10));
    if (next() < 0.1) this.embedding = new Float32Array(768).fill(next());
    if (next() < 0.08) this.attachment = Buffer.alloc(Math.floor(2000 + next() * 40_000), 7);
    if (this.events !== undefined && this.turns % 8 === 0) this.events.on('done', () => text.length);
    this.turns++;
    // A window, as every server keeps one.
    if (messages.length > 160) messages.splice(0, 40);
    if (this.calls.size > 40) this.calls.delete(this.calls.keys().next().value as string);
  }

  private call(at: number): void {
    const { next } = this;
    const rows = Array.from({ length: 2 + Math.floor(next() * 14) }, (_, i) => ({
      id: i,
      title: sentence(next, 5),
      snippet: sentence(next, 20),
      score: next(),
      tags: ['web', `tag${Math.floor(next() * 50)}`],
    }));
    const id = `call_${this.turns}_${this.id}`;
    const result = JSON.parse(JSON.stringify({ rows, took: next(), ok: true })) as unknown;
    this.calls.set(id, new ToolCall(id, `tool_${Math.floor(next() * 24)}`, at, result));
    this.messages.push({ role: 'tool', content: result, at });
  }

  private stream(deltas: number): string {
    let text = '';
    for (let i = 0; i < deltas; i++) text += `${words[Math.floor(this.next() * words.length)]} `;
    return this.next() < 0.33 ? text : Buffer.from(text).toString();
  }
}

export function sentence(next: () => number, length: number): string {
  const picked: string[] = [];
  for (let i = 0; i < length; i++) picked.push(words[Math.floor(next() * words.length)] as string);
  return picked.join(' ');
}
