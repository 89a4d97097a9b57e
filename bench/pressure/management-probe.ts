import { Agent } from 'node:http';
import { exchange } from './exchange.ts';

export interface ManagementReport {
  readonly asked: number;
  readonly answered: number;
  readonly slowestMs: number;
}

const everyMs = 250;
const timeoutMs = 2000;

/**
 * Asks the health route four times a second, as an operator's probe does. What the route itself says within two seconds is an answer, also
 * that the server is draining; what a guard in front of it says, or silence, is none.
 */
export class ManagementProbe {
  readonly #base: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });
  readonly #timer: NodeJS.Timeout;
  #asked = 0;
  #answered = 0;
  #slowestMs = 0;

  constructor(base: string) {
    this.#base = base;
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
    if (!/"status":"(?:ok|draining)"/.test(text)) return;
    this.#answered += 1;
    this.#slowestMs = Math.max(this.#slowestMs, performance.now() - started);
  }
}
