import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { warnOnce } from '../errors.ts';
import { builtInPolicy } from '../policy/built-in.ts';
import type { Level, Mode, Policy } from '../policy/policy.ts';
import { levels } from '../policy/policy.ts';
import type { Clock } from '../sense/clock.ts';
import { systemClock } from '../sense/clock.ts';
import type { Ladder } from './ladder/ladder.ts';
import type { Standing } from './ladder/subject.ts';
import type { LevelChange, LevelSource } from './level-change.ts';
import { LevelMachine } from './level-machine.ts';
import type { GovernedReading } from './process-levels.ts';
import { ProcessLevels, ruleOfSource } from './process-levels.ts';
import type { GovernedScope, ScopeRow } from './scope-table.ts';
import { ScopeTable, pathOf, ruleOfRow } from './scope-table.ts';

const levelChannel = channel('plimsoll:level');
/** Scopes per tick for which room is looked for once all machines are taken; each search walks all of them. */
const maxRoomTries = 16;
const openChannelName = 'plimsoll:scope.open';
const budgetChannelName = 'plimsoll:scope.budget';

export interface GovernorOptions {
  /** The policy; without one the built-in one, which observes. */
  readonly policy?: Policy;
  readonly clock?: Pick<Clock, 'now' | 'monotonic' | 'after'>;
  /** Open scopes, asked at start and after each policy swap; none by default. */
  readonly scopes?: () => Iterable<GovernedScope>;
  /** Bytes that count against the budget of a scope; what its account holds by default. */
  readonly bytesOf?: (scope: Pick<ScopeRow, 'id' | 'kind' | 'name' | 'account'>) => number;
  /** What acts on levels, made for the same policy and clock; without one levels are told and nothing acts. */
  readonly ladder?: Ladder;
  /** Most scopes looked at per tick, 20,000 by default; more take several ticks. */
  readonly maxScopesPerTick?: number;
  /** Most scopes that have a level at once, 1,024 by default; the fullest are kept. */
  readonly maxWatched?: number;
}

/** A subject that is not at normal level. */
export interface RaisedLevelRow {
  readonly scope: string;
  readonly level: Level;
  readonly ratio: number;
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly source: LevelSource;
  readonly rule: string;
}

/**
 * Turns readings into levels: one for the process, from each of its limits, and one for every scope that comes near its budget.
 * It never measures; it is told. Each change goes to the listeners and to the channel `plimsoll:level`, and the ladder, if there is one, acts
 * on them.
 */
export class Governor implements Disposable {
  readonly #clock: Pick<Clock, 'now' | 'monotonic' | 'after'>;
  readonly #scopes: () => Iterable<GovernedScope>;
  readonly #bytesOf: NonNullable<GovernorOptions['bytesOf']>;
  readonly #maxScopesPerTick: number;
  readonly #maxWatched: number;
  readonly #listeners = new Set<(change: LevelChange) => void>();
  readonly #table: ScopeTable;
  readonly #watched = new Set<ScopeRow>();
  readonly #process: ProcessLevels;
  readonly #processStanding: Standing;
  /** What acts on levels. */
  readonly ladder: Ladder | undefined;
  readonly #graceUntilMs: number;
  readonly #onOpen = (scope: unknown): void => this.opened(scope as GovernedScope);
  readonly #onBudget = (scope: unknown): void => this.#table.rebudget(scope as GovernedScope);
  readonly #visit = (row: ScopeRow): void => this.#look(row);
  #policy: Policy;
  #level: Level = 'normal';
  #lastTickMs: number;
  #tickMs = 0;
  #stepMs = 0;
  #wallMs = 0;
  #isStale = false;
  #cancelWatchdog: (() => void) | undefined;
  #unwatched = 0;

  constructor(options: GovernorOptions = {}) {
    this.#policy = options.policy ?? builtInPolicy;
    this.#clock = options.clock ?? systemClock;
    this.#scopes = options.scopes ?? (() => []);
    this.#bytesOf = options.bytesOf ?? ((scope) => scope.account.held);
    this.#maxScopesPerTick = Math.max(1, options.maxScopesPerTick ?? 20_000);
    this.#maxWatched = Math.max(1, options.maxWatched ?? 1024);
    const nowMs = this.#clock.monotonic();
    this.#lastTickMs = nowMs;
    this.#graceUntilMs = nowMs + this.#policy.signal.graceMs;
    this.#process = new ProcessLevels(this.#policy.levels, nowMs, this.#policy.signal.graceMs);
    this.#table = new ScopeTable(this.#policy, (row, why) => this.#leave(row, why));
    this.#processStanding = standingOf(this.#process);
    this.ladder = options.ladder;
  }

  get policy(): Policy {
    return this.#policy;
  }

  /** The level of the process. */
  get level(): Level {
    return this.#level;
  }

  /** The mode in force: that of the policy, or observe while readings are missing. */
  get mode(): Mode {
    return this.stale ? 'observe' : this.#policy.mode;
  }

  /** True when no reading came for the time of `signal.stale`: levels are held and nothing acts. */
  get stale(): boolean {
    return this.#clock.monotonic() - this.#lastTickMs > this.#policy.signal.staleMs;
  }

  /** How soon the next reading is wanted. */
  get intervalMs(): number {
    const { fastMs, sampleMs } = this.#policy.signal;
    return levels.indexOf(this.#level) >= 2 ? fastMs : sampleMs;
  }

  /** Forecast of the heap in ms; infinite when it does not grow. */
  get timeToLimitMs(): number {
    return this.#process.timeToLimitMs;
  }

  /** Scopes with a budget, scopes with a level machine, and scopes near their budget that got none because there were too many. */
  get counts(): { readonly budgeted: number; readonly watched: number; readonly unwatched: number } {
    return { budgeted: this.#table.size, watched: this.#watched.size, unwatched: this.#unwatched };
  }

  /** Begins to follow scopes: those that are open now and those that open later. */
  start(): void {
    if (this.#cancelWatchdog !== undefined) return;
    this.#table.replace(this.#policy, this.#scopes());
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
    this.#watched.clear();
    this.#table.replace(this.#policy, []);
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  /** Takes a scope that has opened. `start` does this for every scope of the process. */
  opened(scope: GovernedScope): void {
    this.#table.add(scope);
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
    // Collected first: rows are made anew, and only those that keep a machine stay watched.
    this.#table.replace(policy, this.#scopes());
    this.#watched.clear();
    for (const row of this.#table.rows()) {
      if (row.machine === undefined) continue;
      row.machine.setRules(policy.levels);
      this.#watched.add(row);
      this.ladder?.rebind(row);
    }
    this.ladder?.setPolicy(policy);
  }

  /** Takes a reading: the one thing that moves levels. Never throws. */
  tick(reading: GovernedReading): void {
    const nowMs = this.#clock.monotonic();
    const passedMs = Math.max(0, nowMs - this.#lastTickMs);
    // Due when the reading says it was due; a first or unpunctual one counts as one interval of the policy.
    const dueMs = passedMs - reading.lateMs;
    const intervalMs = dueMs > 0 && dueMs <= this.#policy.signal.sampleMs ? dueMs : this.intervalMs;
    this.#lastTickMs = nowMs;
    this.#isStale = false;
    this.#tickMs = nowMs;
    this.#wallMs = reading.at;
    this.#process.tick(nowMs, intervalMs, reading, this.#policy);
    this.#judgeProcess();
    this.#table.setLimit(lowestLimit(reading));
    this.#stepMs = intervalMs;
    // Watched scopes first, so that newcomers are compared with what those hold now.
    for (const row of this.#watched) this.#judgeScope(row);
    this.#unwatched = 0;
    this.#table.walk(this.#maxScopesPerTick, this.#visit);
    this.ladder?.tick(reading, nowMs, passedMs > 5 * intervalMs ? intervalMs : passedMs);
  }

  /** Everything above normal: the process first, then scopes, highest level and fullest first. */
  raised(): readonly RaisedLevelRow[] {
    const found: RaisedLevelRow[] = [];
    const top = this.#process.highest();
    for (const row of this.#watched) {
      if (row.machine === undefined || row.machine.index === 0) continue;
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

  /** Gives a scope that comes near its budget a level machine. */
  #look(row: ScopeRow): void {
    if (row.machine !== undefined) return;
    const used = this.#used(row);
    if (used < row.watchBytes || Number.isNaN(used)) return;
    if (this.#watched.size >= this.#maxWatched && !this.#makeRoom(used / row.limitBytes)) {
      // Told once per tick at most: building the text for thousands of scopes would cost more than all the rest.
      if (this.#unwatched++ === 0) warnOnce('PLM_GOVERN_CROWDED', { max: this.#maxWatched });
      return;
    }
    row.usedBytes = used;
    row.machine = new LevelMachine(this.#policy.levels, this.#graceUntilMs);
    this.#watched.add(row);
    this.#judgeScope(row);
  }

  /** Takes the machine of the emptiest scope at normal level, if it is emptier than the one that asks. */
  #makeRoom(ratio: number): boolean {
    if (this.#unwatched >= maxRoomTries) return false;
    let emptiest: ScopeRow | undefined;
    let lowest = ratio;
    for (const row of this.#watched) {
      const other = row.usedBytes / row.limitBytes;
      if (row.machine?.index === 0 && other < lowest) {
        emptiest = row;
        lowest = other;
      }
    }
    if (emptiest === undefined) return false;
    emptiest.machine = undefined;
    return this.#watched.delete(emptiest);
  }

  #judgeScope(row: ScopeRow): void {
    const machine = row.machine as LevelMachine;
    if (row.account.closed === true) {
      this.#leave(row, 'closed');
      return;
    }
    const used = this.#used(row);
    if (!Number.isNaN(used)) row.usedBytes = used;
    const from = machine.level;
    const level = machine.tick(this.#tickMs, used / row.limitBytes, this.#stepMs);
    if (level !== from) this.#publishScope(row, from, level, 'account');
    else if (machine.index === 0 && used < row.watchBytes) {
      row.machine = undefined;
      this.#watched.delete(row);
    }
  }

  #used(row: ScopeRow): number {
    try {
      return this.#bytesOf(row);
    } catch (error) {
      warnOnce('PLM_GOVERN_SCOPE_BYTES', { scope: `scopes of kind "${row.kind}"`, reason: String(error) });
      return Number.NaN;
    }
  }

  /** A scope closed or lost its budget: whoever was told of its level is told that it is over. */
  #leave(row: ScopeRow, why: 'closed' | 'no-budget'): void {
    const from = row.machine?.level ?? 'normal';
    row.machine = undefined;
    this.#watched.delete(row);
    if (from !== 'normal') this.#publishScope(row, from, 'normal', why);
  }

  #publishScope(row: ScopeRow, from: Level, level: Level, source: LevelSource): void {
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

  /** Says once that readings stopped; the level and the mode need no timer, they are computed when asked. */
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

/** The process as its ladder sees it: always the source that is nearest to its limit. */
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

/** The true limit: the lowest of all, which is reached first when everything grows. */
function lowestLimit(reading: GovernedReading): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const { limit } of reading.pressures) if (limit < lowest) lowest = limit;
  return lowest;
}
