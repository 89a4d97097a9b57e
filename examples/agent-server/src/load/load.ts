import { createHistogram } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { seeded, seedOf } from '../random.ts';
import { Client } from './client.ts';
import { planSession } from './session-plan.ts';
import type { SessionPlan } from './session-plan.ts';

export interface LoadOptions {
  readonly seed: number;
  /** Number of virtual users at a time. */
  readonly users: number;
  /** Mean pause before a turn. */
  readonly thinkMs: number;
  /** Most new sessions per second; 0 for no bound. */
  readonly ratePerSecond: number;
  readonly abandonRatio: number;
  /** Ends the load after this time. */
  readonly durationMs?: number;
  /** Ends the load after this number of sessions. */
  readonly sessions?: number;
}

/** Result of the load. Latencies are of whole turns. */
export interface LoadSummary {
  readonly seconds: number;
  readonly sessions: number;
  readonly turns: number;
  readonly errors: number;
  readonly firstError?: string;
  readonly turnMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

/** Virtual users against one server: each runs one planned session after the other until the load is over. */
export class Load {
  readonly #options: LoadOptions;
  readonly #client: Client;
  readonly #stop = new AbortController();
  readonly #latency = createHistogram();
  #planned = 0;
  #sessions = 0;
  #turns = 0;
  #errors = 0;
  #firstError: string | undefined;
  #nextStart = 0;

  constructor(base: string, options: LoadOptions) {
    this.#options = options;
    this.#client = new Client(base, options.users * 2);
  }

  async run(): Promise<LoadSummary> {
    const started = performance.now();
    const { durationMs, users, thinkMs } = this.#options;
    const timer = durationMs === undefined ? undefined : setTimeout(() => this.stop(), durationMs);
    this.#nextStart = started;
    // Users start one after the other within one pause and not all at once.
    await Promise.all(Array.from({ length: users }, (_, i) => this.#user((i * thinkMs) / users)));
    clearTimeout(timer);
    this.#client.destroy();
    const ms = (percentile: number): number =>
      this.#latency.count === 0 ? 0 : this.#latency.percentile(percentile) / 1e6;
    return {
      seconds: (performance.now() - started) / 1000,
      sessions: this.#sessions,
      turns: this.#turns,
      errors: this.#errors,
      ...(this.#firstError === undefined ? {} : { firstError: this.#firstError }),
      turnMs: { p50: ms(50), p99: ms(99), max: ms(100) },
    };
  }

  /** Lets every user finish the request it is in, then ends. */
  stop(): void {
    this.#stop.abort();
  }

  async #user(delayMs: number): Promise<void> {
    await this.#pause(delayMs);
    const { seed, sessions = Number.POSITIVE_INFINITY } = this.#options;
    while (!this.#stop.signal.aborted && this.#planned < sessions) {
      this.#planned += 1;
      const plan = planSession(seeded(seedOf(`${seed}/${this.#planned}`)), this.#options);
      await this.#turnstile();
      if (this.#stop.signal.aborted) return;
      try {
        await this.#session(plan);
        this.#sessions += 1;
      } catch (error) {
        // A user that is cut off because the load is over did not fail.
        if (this.#stop.signal.aborted) return;
        this.#errors += 1;
        this.#firstError ??= (error as Error).message;
        await this.#pause(100);
      }
    }
  }

  async #session(plan: SessionPlan): Promise<void> {
    const id = await this.#client.open(plan.agent);
    for (const [at, turn] of plan.turns.entries()) {
      await this.#pause(turn.thinkMs);
      if (this.#stop.signal.aborted) break;
      const leaves = plan.abandons && at === plan.turns.length - 1;
      const started = process.hrtime.bigint();
      const run = await this.#client.turn(id, turn.text, leaves ? 400 : undefined);
      if (leaves) return;
      this.#latency.record(process.hrtime.bigint() - started);
      this.#turns += 1;
      if (turn.readsAgain) await this.#client.replay(id, run);
    }
    await this.#client.close(id);
  }

  /** Waits until the rate allows another session. */
  async #turnstile(): Promise<void> {
    const { ratePerSecond } = this.#options;
    if (ratePerSecond === 0) return;
    const now = performance.now();
    this.#nextStart = Math.max(this.#nextStart + 1000 / ratePerSecond, now);
    await this.#pause(this.#nextStart - now);
  }

  async #pause(ms: number): Promise<void> {
    if (ms < 1) return;
    await delay(ms, undefined, { signal: this.#stop.signal }).catch(() => {});
  }
}
