import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { warnOnce } from '@plimsoll/core/internal/errors';
import { builtInPolicy } from '../policy/built-in.ts';
import type { Forecast } from '@plimsoll/leak/internal/judge/forecast';
import type { Policy } from '../policy/policy.ts';
import type { Level, Mode } from '@plimsoll/core/internal/level';
import { levels } from '@plimsoll/core/internal/level';
import type { Clock } from '@plimsoll/core/internal/sense/clock';
import { systemClock } from '@plimsoll/core/internal/sense/clock';
import type { Ladder } from '../ladder/ladder.ts';
import type { Standing } from '../ladder/subject.ts';
import type { LevelChange, LevelSource } from './level-change.ts';
import type { GovernedReading } from './process-levels.ts';
import { ProcessLevels, ruleOfSource } from './process-levels.ts';
import { ScopeLevels } from './scope-levels.ts';
import type { GovernedScope, BudgetedScope } from './budgeted-scopes.ts';
import { pathOf, ruleOfRow } from './budgeted-scopes.ts';

const levelChannel = channel('plimsoll:level');
const openChannelName = 'plimsoll:scope.open';
const budgetChannelName = 'plimsoll:scope.budget';

export interface GovernorOptions {
  /** The forecast of the process by the leak detection; none by default. Less than a minute to the limit raises the level. */
  readonly forecast?: () => Forecast | null;
  /** The policy. The default is the built-in one, which only observes. */
  readonly policy?: Policy;
  readonly clock?: Pick<Clock, 'now' | 'monotonic' | 'after'>;
  /** Open scopes, read at start and after each new policy; none by default. */
  readonly scopes?: () => Iterable<GovernedScope>;
  /** Bytes that count against the budget of a scope; by default those of its account. */
  readonly bytesOf?: (scope: Pick<BudgetedScope, 'id' | 'kind' | 'name' | 'account'>) => number;
  /** A number that changes when `bytesOf` has changed for some scope. Without it every scope is read each time. */
  readonly changes?: () => number;
  /** The ladder, made for the same policy and clock. Without one, levels are published and nothing acts. */
  readonly ladder?: Ladder;
  /** Called when a collection should measure the live bytes: the floor is missing or old, and much is in use. */
  readonly look?: () => void;
  /** Most scopes read per tick, default 20,000. More take several ticks. */
  readonly maxScopesPerTick?: number;
  /** Most scopes with a level at once, default 1,024. The fullest are kept. */
  readonly maxWatched?: number;
}

/** A subject that is not at normal level. */
interface RaisedLevelRow {
  readonly scope: string;
  readonly level: Level;
  readonly ratio: number;
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly source: LevelSource;
  readonly rule: string;
}

/**
 * Turns readings into levels: one for the process, from each of its limits, and one for every scope that comes near its budget. It never
 * measures itself. Each change goes to the listeners, to the channel `plimsoll:level` and to the ladder, if there is one.
 */
export class Governor implements Disposable {
  readonly #clock: Pick<Clock, 'now' | 'monotonic' | 'after'>;
  readonly #scopes: () => Iterable<GovernedScope>;
  readonly #look: () => void;
  readonly #listeners = new Set<(change: LevelChange) => void>();
  readonly #scopeLevels: ScopeLevels;
  readonly #process: ProcessLevels;
  readonly #processStanding: Standing;
  /** The ladder that acts on levels. */
  readonly ladder: Ladder | undefined;
  readonly #onOpen = (scope: unknown): void => this.opened(scope as GovernedScope);
  readonly #onBudget = (scope: unknown): void => this.#scopeLevels.rebudget(scope as GovernedScope);
  readonly #forecast: () => Forecast | null;
  #policy: Policy;
  #level: Level = 'normal';
  #lastTickMs: number;
  #wallMs = 0;
  #isStale = false;
  #cancelWatchdog: (() => void) | undefined;

  constructor(options: GovernorOptions = {}) {
    this.#policy = options.policy ?? builtInPolicy;
    this.#clock = options.clock ?? systemClock;
    this.#scopes = options.scopes ?? (() => []);
    this.#look = options.look ?? (() => undefined);
    this.#forecast = options.forecast ?? (() => null);
    const nowMs = this.#clock.monotonic();
    this.#lastTickMs = nowMs;
    this.#process = new ProcessLevels(this.#policy.levels, nowMs, this.#policy.signal.graceMs);
    this.#scopeLevels = new ScopeLevels({
      policy: this.#policy,
      graceUntilMs: nowMs + this.#policy.signal.graceMs,
      maxScopesPerTick: Math.max(1, options.maxScopesPerTick ?? 20_000),
      maxWatched: Math.max(1, options.maxWatched ?? 1024),
      changes: options.changes ?? (() => undefined),
      bytesOf: options.bytesOf ?? ((scope) => scope.account.held),
      onChange: (row, from, level, source) => this.#publishScope(row, from, level, source),
    });
    this.#processStanding = standingOf(this.#process);
    this.ladder = options.ladder;
  }

  /** Used bytes and limit at the last reading, for the limit that binds. */
  get standing(): { readonly usedBytes: number; readonly limitBytes: number } {
    const { usedBytes, limitBytes } = this.#processStanding;
    return { usedBytes, limitBytes };
  }

  get policy(): Policy {
    return this.#policy;
  }

  /** The level of the process. */
  get level(): Level {
    return this.#level;
  }

  /** True when the level of the process comes from a number of the policy and not from a limit of V8 or of the control group. */
  get isOwnLimit(): boolean {
    const source = this.#process.highest()?.source;
    return source !== undefined && source !== 'heap' && source !== 'cgroup';
  }

  /** The mode in force: that of the policy, or observe while readings are missing. */
  get mode(): Mode {
    return this.stale ? 'observe' : this.#policy.mode;
  }

  /** True when no reading came for the time of `signal.stale`: levels are held and nothing acts. */
  get stale(): boolean {
    return this.#clock.monotonic() - this.#lastTickMs > this.#policy.signal.staleMs;
  }

  /** Time until the next reading. */
  get intervalMs(): number {
    const { fastMs, sampleMs } = this.#policy.signal;
    return levels.indexOf(this.#level) >= 2 || this.#process.isNear ? fastMs : sampleMs;
  }

  /** True while no level is raised or near, of the process and of scopes: the next reading may wait. */
  get isCalm(): boolean {
    return this.#process.isCalm && this.#scopeLevels.counts.watched === 0;
  }

  /** Ms until the limit is met by the forecast; infinite when nothing grows. */
  get timeToLimitMs(): number {
    return this.#process.timeToLimitMs;
  }

  /** Scopes with a budget, scopes with a level machine, and scopes near their budget that got none because there were too many. */
  get counts(): { readonly budgeted: number; readonly watched: number; readonly unwatched: number } {
    return this.#scopeLevels.counts;
  }

  /** Starts following scopes: the open ones and those that open later. */
  start(): void {
    if (this.#cancelWatchdog !== undefined) return;
    this.#scopeLevels.follow(this.#policy, this.#scopes());
    subscribe(openChannelName, this.#onOpen);
    subscribe(budgetChannelName, this.#onBudget);
    this.#armWatchdog();
  }

  /** Ends for good. */
  stop(): void {
    unsubscribe(openChannelName, this.#onOpen);
    unsubscribe(budgetChannelName, this.#onBudget);
    this.#cancelWatchdog?.();
    this.#cancelWatchdog = () => undefined;
    this.ladder?.stop();
    this.#listeners.clear();
    this.#scopeLevels.clear();
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  /** Takes a scope that has opened. `start` does this for every scope of the process. */
  opened(scope: GovernedScope): void {
    this.#scopeLevels.add(scope);
  }

  /** Adds a listener for level changes and returns its removal. */
  onLevel(listener: (change: LevelChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Puts another policy in force. Levels stay where they are and move by the new lines from the next tick on. */
  setPolicy(policy: Policy): void {
    if (policy === this.#policy) return;
    this.#policy = policy;
    this.#process.setRules(policy.levels);
    for (const row of this.#scopeLevels.follow(policy, this.#scopes())) this.ladder?.rebind(row);
    this.ladder?.setPolicy(policy);
  }

  /** Takes a reading. Only readings move levels. Never throws. */
  tick(reading: GovernedReading): void {
    const nowMs = this.#clock.monotonic();
    const passedMs = Math.max(0, nowMs - this.#lastTickMs);
    // The due time comes from the reading. A first or irregular reading counts as one interval of the policy.
    const dueMs = passedMs - reading.lateMs;
    const intervalMs = dueMs > 0 && dueMs <= this.#policy.signal.sampleMs ? dueMs : this.intervalMs;
    this.#lastTickMs = nowMs;
    this.#isStale = false;
    this.#wallMs = reading.at;
    this.#process.tick(nowMs, intervalMs, reading, this.#policy, this.#forecast());
    this.#judgeProcess();
    if (this.#process.wantsLook) this.#look();
    this.#scopeLevels.tick(nowMs, intervalMs, lowestLimit(reading));
    this.ladder?.tick(reading, nowMs, passedMs > 5 * intervalMs ? intervalMs : passedMs);
  }

  /**
   * The level of a scope by its path, or the highest level of the scopes named `kind:name`, such as `service:messaging`. `process` gives
   * the level of the process. It is normal when no such scope is near its budget.
   */
  levelOf(scope: string): Level {
    if (scope === 'process') return this.#level;
    let highest = 0;
    for (const row of this.#scopeLevels.raised()) {
      const path = pathOf(row);
      if (path === scope || path.endsWith(`/${scope}`)) highest = Math.max(highest, row.machine.index);
    }
    return levels[highest] as Level;
  }

  /** Everything above normal: the process first, then scopes, highest level and fullest first. */
  raised(): readonly RaisedLevelRow[] {
    const found: RaisedLevelRow[] = [];
    const top = this.#process.highest();
    for (const row of this.#scopeLevels.raised()) {
      found.push({
        scope: pathOf(row),
        level: row.machine.level,
        ratio: row.usedBytes / row.limitBytes,
        usedBytes: row.usedBytes,
        limitBytes: row.limitBytes,
        source: 'account',
        rule: ruleOfRow(row),
      });
    }
    found.sort((a, b) => levels.indexOf(b.level) - levels.indexOf(a.level) || b.ratio - a.ratio);
    if (top !== undefined && this.#level !== 'normal') {
      const { usedBytes, limitBytes, source } = top;
      const ratio = usedBytes / limitBytes;
      const rule = ruleOfSource(source, this.#policy);
      found.unshift({ scope: 'process', level: this.#level, ratio, usedBytes, limitBytes, source, rule });
    }
    return found;
  }

  #judgeProcess(): void {
    const top = this.#process.highest();
    if (top === undefined || top.machine.level === this.#level) return;
    const from = this.#level;
    this.#level = top.machine.level;
    const { usedBytes, limitBytes, source, machine } = top;
    const rule = ruleOfSource(source, this.#policy);
    const forecast = machine.lifted ? { timeToLimitMs: this.#process.timeToLimitMs } : {};
    const change: LevelChange = {
      ...this.#stamp(),
      ...forecast,
      scope: 'process',
      level: this.#level,
      from,
      ratio: usedBytes / limitBytes,
      usedBytes,
      limitBytes,
      source,
      rule,
    };
    this.#publish(change, this.#processStanding);
  }

  #publishScope(row: BudgetedScope, from: Level, level: Level, source: LevelSource): void {
    const usedBytes = source === 'closed' ? 0 : row.usedBytes;
    const change: LevelChange = {
      ...this.#stamp(),
      scope: pathOf(row),
      level,
      from,
      ratio: usedBytes / row.limitBytes,
      usedBytes,
      limitBytes: row.limitBytes,
      source,
      rule: ruleOfRow(row),
    };
    this.#publish(change, row);
  }

  #stamp(): Pick<LevelChange, 'at' | 'mode' | 'policy'> {
    const { mode, revision, sha256 } = this.#policy;
    return { at: this.#wallMs === 0 ? this.#clock.now() : this.#wallMs, mode, policy: { revision, sha256 } };
  }

  #publish(change: LevelChange, standing: Standing): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        warnOnce('PLM_GOVERN_LISTENER', { reason: String(error) });
      }
    }
    if (levelChannel.hasSubscribers) levelChannel.publish(change);
    this.ladder?.change(change, standing);
  }

  /** Warns once that readings have stopped. Level and mode need no timer, because they are computed on demand. */
  #armWatchdog(): void {
    this.#cancelWatchdog = this.#clock.after(this.#policy.signal.staleMs, () => {
      if (this.stale && !this.#isStale) {
        this.#isStale = true;
        warnOnce('PLM_GOVERN_STALE', { ms: this.#clock.monotonic() - this.#lastTickMs });
      }
      this.#armWatchdog();
    });
  }
}

/** The standing of the process for the ladder: the source that is nearest to its limit. */
function standingOf(process: ProcessLevels): Standing {
  return {
    id: 0,
    get usedBytes() {
      return process.highest()?.usedBytes ?? 0;
    },
    get limitBytes() {
      return process.highest()?.limitBytes ?? 1;
    },
    get machine() {
      return process.highest()?.machine;
    },
  };
}

/** The lowest of all limits, which is reached first when everything grows. */
function lowestLimit(reading: GovernedReading): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const { limit } of reading.pressures) if (limit < lowest) lowest = limit;
  return lowest;
}
