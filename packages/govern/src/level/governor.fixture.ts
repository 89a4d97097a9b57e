import { Trend } from '@plimsoll/leak/internal/judge/forecast';
import type { Forecast } from '@plimsoll/leak/internal/judge/forecast';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { parsePolicy } from '../policy/parse.ts';
import type { Policy } from '../policy/policy.ts';
import type { GovernorOptions } from './governor.ts';
import { Governor } from './governor.ts';
import { Ladder } from '../ladder/ladder.ts';
import type { LevelChange } from './level-change.ts';
import type { Levers } from '../actions/levers.ts';
import type { GovernedReading } from './process-levels.ts';
import type { GovernedAccount, GovernedScope } from './budgeted-scopes.ts';
import { vi } from 'vitest';

export const MiB = 1024 ** 2;

export function policyOf(text: string, file = 'plimsoll.yaml'): Policy {
  return parsePolicy(`apiVersion: plimsoll/v1\n${text}`, file);
}

/** A scope whose bytes a test sets. */
export class TestScope implements GovernedScope {
  static #lastId = 0;
  readonly id = ++TestScope.#lastId;
  readonly kind: string;
  readonly name: string;
  readonly parent: TestScope | undefined;
  readonly budget: number | undefined;
  readonly account: GovernedAccount & { held: number; closed: boolean } = { held: 0, closed: false };

  constructor(kind: string, name: string, options: { parent?: TestScope; budget?: number } = {}) {
    this.kind = kind;
    this.name = name;
    this.parent = options.parent;
    this.budget = options.budget;
  }

  get path(): string {
    return `${this.parent?.path ?? 'process'}/${this.kind}:${this.name}`;
  }
}

/** A governor on a fake clock, fed one reading per second. */
export class Rig implements Disposable {
  readonly clock = new FakeClock();
  readonly changes: LevelChange[] = [];
  readonly scopes = new Set<TestScope>();
  /** The forecast that a host gets from the leak detection. */
  readonly trend = new Trend();
  readonly governor: Governor;
  readonly ladder: Ladder;
  /** Live heap and its limit; a test sets them. */
  liveBytes = 10 * MiB;
  limitBytes = 400 * MiB;
  majors = 1;
  override: Partial<GovernedReading> = {};
  /** True when no major GC has been seen yet. */
  withoutFloor = false;

  constructor(given: string | Policy, options: Partial<GovernorOptions> & { readonly levers?: Levers } = {}) {
    const policy = typeof given === 'string' ? policyOf(given) : given;
    const { clock } = this;
    const { levers = {}, ...rest } = options;
    this.ladder = new Ladder({ policy, clock, levers });
    const forecast = (): Forecast | null => this.trend.forecast(clock.monotonic(), clock.now()) ?? null;
    const scopes = (): Set<TestScope> => this.scopes;
    this.governor = new Governor({ policy, clock, ladder: this.ladder, scopes, forecast, ...rest });
    this.governor.onLevel((change) => this.changes.push(change));
  }

  open(kind: string, name: string, options?: { parent?: TestScope; budget?: number }): TestScope {
    const scope = new TestScope(kind, name, options);
    this.scopes.add(scope);
    this.governor.opened(scope);
    return scope;
  }

  reading(): GovernedReading {
    return {
      at: this.clock.now(),
      heapUsed: this.liveBytes,
      ...(this.withoutFloor ? {} : { floor: this.liveBytes, floorAgeMs: 0 }),
      majors: this.majors,
      rss: this.liveBytes + 40 * MiB,
      pressures: [{ source: 'heap', used: this.liveBytes, limit: this.limitBytes }],
      lateMs: 0,
      ...this.override,
    };
  }

  /** Lets seconds pass with a reading in each. */
  run(seconds: number, each?: (second: number) => void): void {
    for (let i = 0; i < seconds; i++) {
      each?.(i);
      const reading = this.reading();
      this.trend.take(reading, this.clock.monotonic());
      this.governor.tick(reading);
      this.clock.advance(1000);
    }
  }

  /** "process normal > warning (heap)". */
  story(): string[] {
    return this.changes.map(({ scope, from, level, source }) => `${scope} ${from} > ${level} (${source})`);
  }

  [Symbol.dispose](): void {
    this.governor.stop();
  }
}

export const noGrace = 'signal: { grace: 0s }';

export const sessions = `${noGrace}\nbudgets: { sessions: { "*": { max: 8MiB }, "vip-*": { max: 16MiB } } }`;

export interface Undo {
  [Symbol.dispose](): void;
}

/** Collects the codes of process warnings instead of printing them. */
export function warnings(codes: string[]): Undo {
  const spy = vi.spyOn(process, 'emitWarning').mockImplementation((_text, options) => {
    codes.push((options as { code: string }).code);
  });
  return { [Symbol.dispose]: () => spy.mockRestore() };
}
