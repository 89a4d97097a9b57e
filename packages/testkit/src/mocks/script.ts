import { setTimeout as sleep } from 'node:timers/promises';

/** Behaviour of a mock model. The same seed gives the same calls. */
export interface MockOptions {
  /** Default 1. */
  readonly seed?: number;
  /** Text of an answer; default a sentence with the number of the call. */
  readonly text?: string | ((call: number) => string);
  /** Number of chunks of a streamed answer; default 8. */
  readonly chunks?: number;
  /** Tools that are called, one per step, before the answer; default none. */
  readonly tools?: readonly { readonly name: string; readonly input?: Readonly<Record<string, unknown>> }[];
  /** Ms before an answer, or a range from which a value is drawn for each call; default 0. */
  readonly delay?: number | readonly [least: number, most: number];
  /** Share of calls that fail, 0 to 1; default 0. */
  readonly failures?: number;
}

/** One answer of a model. */
export interface MockAnswer {
  readonly call: number;
  readonly text: string;
  readonly pieces: readonly string[];
  /** The tool that is called instead of an answer. */
  readonly tool: { readonly id: string; readonly name: string; readonly input: string } | undefined;
}

/**
 * Draws the answers of a mock. It keeps a counter and nothing of a request. The mocks of frameworks record every call with its prompt, and
 * a leak test would find that.
 */
export class Script {
  readonly #options: MockOptions;
  #calls = 0;
  #step = 0;

  constructor(options: MockOptions = {}) {
    this.#options = options;
  }

  /** Waits and answers or fails, depending on the seed. */
  async next(signal?: AbortSignal): Promise<MockAnswer> {
    const { seed = 1, delay = 0, failures = 0, chunks = 8, tools = [], text } = this.#options;
    const call = this.#calls++;
    const random = drawer(seed, call);
    const ms = typeof delay === 'number' ? delay : delay[0] + random() * (delay[1] - delay[0]);
    if (ms > 0) await sleep(ms, undefined, signal && { signal });
    signal?.throwIfAborted();
    if (random() < failures) {
      this.#step = 0;
      throw new Error(`mock failure of call ${call}`);
    }
    const tool = tools[this.#step];
    this.#step = tool === undefined ? 0 : this.#step + 1;
    const answer = typeof text === 'function' ? text(call) : (text ?? `answer ${call} of the mock model`);
    return {
      call,
      text: answer,
      pieces: piecesOf(answer, chunks),
      tool: tool && { id: `call-${call}`, name: tool.name, input: JSON.stringify(tool.input ?? {}) },
    };
  }
}

function piecesOf(text: string, chunks: number): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / Math.max(1, chunks)));
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return pieces;
}

/** Random numbers from 0 to 1 by seed and call (mulberry32). */
function drawer(seed: number, call: number): () => number {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(call + 1, 0x85ebca6b)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface MockToolOptions extends Pick<MockOptions, 'seed' | 'delay' | 'failures'> {
  /** Bytes of text in a result; default 64. */
  readonly bytes?: number;
}

/**
 * The `execute` of a tool in any framework: a text of a given size, with a delay and with failures by seed. It keeps nothing of its input.
 */
export function mockTool(options: MockToolOptions = {}): (input?: unknown) => Promise<string> {
  const { bytes = 64, ...rest } = options;
  const script = new Script({
    ...rest,
    text: (call) => `result ${call} `.padEnd(bytes, '.').slice(0, bytes),
  });
  return async () => (await script.next()).text;
}
