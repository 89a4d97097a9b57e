import { setImmediate as immediate, setTimeout as delay } from 'node:timers/promises';
import { seeded, seedOf } from '../random.ts';
import type { Message } from './message.ts';
import { scripts } from './script.ts';
import type { ToolCall } from './script.ts';

export interface ModelRequest {
  readonly agent: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly signal: AbortSignal;
}

export type ModelChunk =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ToolCall }
  | { readonly type: 'usage'; readonly promptTokens: number; readonly completionTokens: number };

export interface MockModelOptions {
  readonly seed: number;
  /** Delay before each chunk of a few words; 0 yields to the event loop instead. */
  readonly tokenMs: number;
}

const words =
  'the vessel carries its cargo below the line and the crew keeps watch over weather depth and time while ' +
  'every port asks for papers weights and names before it lets a ship load more than she can safely bear';
const vocabulary = words.split(' ');
const wordsPerChunk = 4;

/** A model without a network. Its replies depend only on the seed and the conversation, and come at a set pace. */
export class MockModel {
  readonly #options: MockModelOptions;

  constructor(options: MockModelOptions) {
    this.#options = options;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelChunk> {
    // The body of the request to a provider, whose client serialises the whole conversation at every step.
    const body = JSON.stringify({ system: request.system, messages: request.messages });
    const step = stepOf(request.messages);
    const task = taskOf(request.messages);
    const random = seeded(seedOf(`${this.#options.seed}/${request.agent}/${step}/${body.length}/${task}`));
    const script = scripts[request.agent];
    if (script === undefined) throw new Error(`The mock model has no script for agent "${request.agent}".`);
    const move = script(step, random, task);
    let completion = 0;
    if ('calls' in move) {
      for (const call of move.calls) {
        await this.#pace(request.signal);
        completion += 12;
        yield { type: 'tool-call', call };
      }
    } else {
      for (let left = move.words; left > 0; left -= wordsPerChunk) {
        await this.#pace(request.signal);
        const count = Math.min(left, wordsPerChunk);
        completion += count;
        yield {
          type: 'text',
          text: `${Array.from({ length: count }, () => random.pick(vocabulary)).join(' ')} `,
        };
      }
    }
    yield { type: 'usage', promptTokens: Math.ceil(body.length / 4), completionTokens: completion };
  }

  async #pace(signal: AbortSignal): Promise<void> {
    if (this.#options.tokenMs > 0) await delay(this.#options.tokenMs, undefined, { signal });
    else await immediate(undefined, { signal });
  }
}

/** How many times the model has already answered the last thing the user said. */
function stepOf(messages: readonly Message[]): number {
  let step = 0;
  for (let i = messages.length - 1; i >= 0 && messages[i]?.role !== 'user'; i -= 1) {
    if (messages[i]?.role === 'assistant') step += 1;
  }
  return step;
}

function taskOf(messages: readonly Message[]): string {
  return messages.findLast((message) => message.role === 'user')?.content ?? '';
}
