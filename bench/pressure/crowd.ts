import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { planSession } from '../../examples/agent-server/src/load/session-plan.ts';
import type { SessionPlan } from '../../examples/agent-server/src/load/session-plan.ts';
import { seeded, seedOf } from '../../examples/agent-server/src/random.ts';
import { exchange } from './exchange.ts';
import type { Exchange } from './exchange.ts';
import { Tally } from './tally.ts';
import type { CrowdReport } from './tally.ts';

export interface CrowdOptions {
  readonly base: string;
  readonly seed: number;
  readonly users: number;
  readonly thinkMs: number;
  readonly durationMs: number;
  readonly abandonRatio: number;
}

/** A user gives up what it is at after so long without success. */
const patienceMs = 10_000;
const requestTimeoutMs = 10_000;
/** Clients wait as long as the server asks them to, or twice as long each time, within reason. */
const mostRetryMs = 2000;

/**
 * Users as a server sees them: each runs one planned session after the other, thinks between turns, tries again when it is refused
 * and notices when its session is gone. The plans follow from the seed alone.
 */
export class Crowd {
  readonly #options: CrowdOptions;
  readonly #agent: Agent;
  readonly #tally = new Tally();
  readonly #over = new AbortController();
  #startedAt = 0;
  #planned = 0;

  constructor(options: CrowdOptions) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 2 * options.users });
  }

  async run(): Promise<CrowdReport> {
    this.#startedAt = performance.now();
    const { durationMs, users, thinkMs } = this.#options;
    const timer = setTimeout(() => this.#over.abort(), durationMs);
    await Promise.all(Array.from({ length: users }, (_, i) => this.#user((i * 2 * thinkMs) / users)));
    clearTimeout(timer);
    this.#agent.destroy();
    return this.#tally.report(this.#now());
  }

  #now(): number {
    return performance.now() - this.#startedAt;
  }

  async #user(delayMs: number): Promise<void> {
    await this.#pause(delayMs);
    while (!this.#over.signal.aborted) {
      this.#planned += 1;
      const plan = planSession(seeded(seedOf(`${this.#options.seed}/${this.#planned}`)), {
        thinkMs: this.#options.thinkMs,
        abandonRatio: this.#options.abandonRatio,
      });
      await this.#session(plan);
    }
  }

  async #session(plan: SessionPlan): Promise<void> {
    const opened = await this.#insist(
      { method: 'POST', path: '/sessions', body: { agent: plan.agent } },
      'open',
    );
    if (opened?.outcome !== 'served') return;
    const { id } = JSON.parse(opened.text) as { id: string };
    for (const [at, turn] of plan.turns.entries()) {
      await this.#pause(turn.thinkMs);
      if (this.#over.signal.aborted) return;
      const leaves = plan.abandons && at === plan.turns.length - 1;
      const call = {
        method: 'POST',
        path: `/sessions/${id}/turns`,
        body: { text: turn.text },
        ...(leaves ? { leaveAfterBytes: 400 } : {}),
      };
      const answered = await this.#insist(call, 'turn');
      if (answered === undefined) return;
      if (answered.outcome !== 'served') {
        this.#tally.sessionEnded('lost');
        return;
      }
      if (leaves) return;
    }
    const closed = await this.#insist({ method: 'DELETE', path: `/sessions/${id}` }, 'close');
    if (closed !== undefined) this.#tally.sessionEnded(closed.outcome === 'served' ? 'finished' : 'lost');
  }

  /** Tries until it is served, the session is gone or patience ends; undefined when the load is over first. */
  async #insist(
    call: Omit<Parameters<typeof exchange>[2], 'timeoutMs'>,
    kind: 'open' | 'turn' | 'close',
  ): Promise<Exchange | undefined> {
    const giveUpAt = this.#now() + patienceMs;
    for (let pauseMs = this.#options.thinkMs; ; pauseMs *= 2) {
      const started = this.#now();
      const answer = await exchange(this.#options.base, this.#agent, {
        ...call,
        timeoutMs: requestTimeoutMs,
      });
      if (this.#over.signal.aborted) return undefined;
      if (kind === 'open') this.#tally.open(answer.outcome, this.#now());
      else
        this.#tally.request(answer.outcome, this.#now(), kind === 'turn' ? this.#now() - started : undefined);
      if (answer.outcome === 'served' || answer.outcome === 'lost') return answer;
      if (answer.outcome === 'broken') this.#tally.sessionHarmed();
      if (this.#now() >= giveUpAt) return answer;
      await this.#pause(Math.min(mostRetryMs, Math.max(answer.retryAfterMs, pauseMs)));
      if (this.#over.signal.aborted) return undefined;
    }
  }

  async #pause(ms: number): Promise<void> {
    if (ms < 1) return;
    await delay(ms, undefined, { signal: this.#over.signal }).catch(() => {});
  }
}
