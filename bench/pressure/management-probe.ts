import { Agent } from 'node:http';
import { exchange } from './exchange.ts';

export interface ManagementReport {
  readonly asked: number;
  readonly answered: number;
  readonly slowestMs: number;
}

const everyMs = 250;
const timeoutMs = 2000;

/** What the health route of the example itself says, also that it drains; what a guard in front of it says is no answer. */
export const exampleAnswer = /"status":"(?:ok|draining)"/;

/** Asks a health route four times a second, as an operator's probe does. An answer is what the route itself says within two seconds. */
export class ManagementProbe {
  readonly #base: string;
  readonly #answer: RegExp;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });
  readonly #timer: NodeJS.Timeout;
  #asked = 0;
  #answered = 0;
  #slowestMs = 0;

  constructor(base: string, answer = exampleAnswer) {
    this.#base = base;
    this.#answer = answer;
    this.#timer = setInterval(() => void this.#ask(), everyMs);
  }

  stop(): ManagementReport {
    clearInterval(this.#timer);
    this.#agent.destroy();
    return { asked: this.#asked, answered: this.#answered, slowestMs: this.#slowestMs };
  }

  async #ask(): Promise<void> {
    const started = performance.now();
    const { text } = await exchange(this.#base, this.#agent, { method: 'GET', path: '/healthz', timeoutMs });
    this.#asked += 1;
    if (!this.#answer.test(text)) return;
    this.#answered += 1;
    this.#slowestMs = Math.max(this.#slowestMs, performance.now() - started);
  }
}
