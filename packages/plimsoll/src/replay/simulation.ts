import { Trend } from '@plimsoll/leak/internal/judge/forecast';
import type { Forecast } from '@plimsoll/leak/internal/judge/forecast';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Ladder } from '@plimsoll/govern/internal/ladder/ladder';
import { Governor } from '@plimsoll/govern/internal/level/governor';
import type { ActionRecord } from '@plimsoll/govern/internal/actions/action';
import type { GovernedReading } from '@plimsoll/govern/internal/level/process-levels';
import type { Levers } from '@plimsoll/govern/internal/actions/levers';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import type { StoredSample } from '@plimsoll/ledger';
import type { Moment } from './moment.ts';
import type { PastLimits } from './past-limits.ts';
import { PastScopes, phantomKeepers } from './past-scopes.ts';
import type { ReplayTally } from './replay-tally.ts';

/** Rows of a quiet process are ten seconds apart. In a longer gap the readings are unknown. */
const mostHeldMs = 30_000;

/**
 * One policy over the history of one process: the real governor with its level machines and ladder, on a clock of its own, with levers
 * without effect. Between two rows the last one is repeated at the interval of the policy.
 */
export class Simulation {
  readonly #policy: Policy;
  readonly #limits: PastLimits;
  readonly #tally: ReplayTally;
  readonly #clock: FakeClock;
  readonly #startedAt: number;
  readonly #scopes: PastScopes;
  readonly #restarts: number[] = [];
  readonly #count = (record: unknown): void => this.#tally.action(record as ActionRecord);
  #governor: Governor;
  #trend = new Trend();
  #sample: StoredSample | undefined;
  #majors = 0;
  #floorMs = 0;
  #isRestarting = false;
  #readings = 0;

  constructor(policy: Policy, limits: PastLimits, startedAt: number, tally: ReplayTally) {
    this.#policy = policy;
    this.#limits = limits;
    this.#tally = tally;
    this.#startedAt = startedAt;
    this.#clock = new FakeClock(startedAt);
    this.#scopes = new PastScopes((scope) => this.#governor.opened(scope));
    this.#governor = this.#govern();
  }

  /** Readings that the governor got, including repeated ones. */
  get readings(): number {
    return this.#readings;
  }

  get scopes(): number {
    return this.#scopes.count;
  }

  async take(moment: Moment): Promise<void> {
    await this.#holdUntil(moment.at);
    if (moment.scopes !== undefined) this.#scopes.take(moment.scopes, this.#clock.monotonic());
    if (moment.process === undefined) return;
    this.#note(moment.process);
    await this.#tick(moment.process);
  }

  end(): void {
    this.#tally.end(this.#clock.now());
    this.#governor.stop();
  }

  async #holdUntil(at: number): Promise<void> {
    const leftMs = (): number => at - this.#startedAt - this.#clock.monotonic();
    if (this.#sample !== undefined && leftMs() <= mostHeldMs) {
      for (
        let stepMs = this.#governor.intervalMs;
        leftMs() > 1.5 * stepMs;
        stepMs = this.#governor.intervalMs
      ) {
        this.#clock.advance(stepMs);
        await this.#tick(this.#sample);
      }
    }
    this.#clock.advance(Math.max(0, leftMs()));
  }

  /** Another floor is another major GC. */
  #note(sample: StoredSample): void {
    if (sample.floor !== null && sample.floor !== this.#sample?.floor) {
      this.#majors += 1;
      this.#floorMs = this.#clock.monotonic();
    }
    this.#sample = sample;
  }

  async #tick(sample: StoredSample): Promise<void> {
    const reading: GovernedReading = {
      at: this.#clock.now(),
      heapUsed: sample.heapUsed ?? 0,
      ...(sample.floor === null
        ? {}
        : { floor: sample.floor, floorAgeMs: this.#clock.monotonic() - this.#floorMs }),
      majors: this.#majors,
      rss: sample.rss ?? 0,
      external: sample.external ?? 0,
      pressures: this.#limits.pressures(sample),
      lateMs: 0,
    };
    this.#readings += 1;
    // Simulations take turns, so all messages until the end of this one are its own.
    subscribe('plimsoll:action', this.#count);
    this.#trend.take(reading, this.#clock.monotonic());
    this.#governor.tick(reading);
    // Actions answer in a later turn. They run only above normal level, so this wait is rare.
    if ((this.#governor.ladder?.counts.inFlight ?? 0) > 0) await new Promise(setImmediate);
    unsubscribe('plimsoll:action', this.#count);
    if (this.#isRestarting) this.#restart();
  }

  #govern(): Governor {
    const [policy, clock] = [this.#policy, this.#clock];
    const ladder = new Ladder({ policy, clock, levers: this.#levers() });
    const trend = (this.#trend = new Trend());
    const forecast = (): Forecast | null => trend.forecast(clock.monotonic(), clock.now()) ?? null;
    const governor = new Governor({ policy, clock, ladder, forecast });
    governor.onLevel((change) => this.#tally.level(change));
    return governor;
  }

  /** After a simulated restart the governor starts again. The history does not, so memory fills up as recorded. */
  #restart(): void {
    this.#isRestarting = false;
    this.#tally.end(this.#clock.now());
    this.#governor.stop();
    this.#governor = this.#govern();
    for (const scope of this.#scopes.open) this.#governor.opened(scope);
  }

  #levers(): Levers {
    const keepers = phantomKeepers(() => this.#sample?.bytes ?? 0);
    return {
      keepers: () => [...keepers, ...this.#scopes.keepers],
      scopes: () => this.#scopes.levers(this.#clock.monotonic()),
      unattributedBytes: () => undefined,
      admission: {
        throttle: () => undefined,
        refuse: () => undefined,
        clamp: () => undefined,
        release: () => undefined,
        counts: () => ({ admitted: 0, refused: 0 }),
      },
      gc: () => undefined,
      hurry: () => undefined,
      evidence: () => Promise.resolve({ text: 'kept nothing, this is a replay', files: [] }),
      approvals: { request: (ticket) => ({ id: `${ticket.action} ${ticket.scope}`, state: 'open' }) },
      restart: ({ atMost }) => {
        const nowMs = this.#clock.monotonic();
        const lately = this.#restarts.filter((ms) => nowMs - ms < atMost.perMs);
        if (lately.length >= atMost.count) return { state: 'refused', why: `${lately.length} lately` };
        this.#restarts.push(nowMs);
        this.#isRestarting = true;
        return { state: 'draining' };
      },
    };
  }
}
