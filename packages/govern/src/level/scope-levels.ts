import { warnOnce } from '@plimsoll/core/internal/errors';
import type { Policy } from '../policy/policy.ts';
import type { Level } from '@plimsoll/core/internal/level';
import type { LevelSource } from './level-change.ts';
import { LevelMachine } from './level-machine.ts';
import type { GovernedScope, BudgetedScope } from './budgeted-scopes.ts';
import { BudgetedScopes } from './budgeted-scopes.ts';

/** Most searches for room per tick when all machines are taken. Each search walks all of them. */
const maxRoomTries = 16;
/** Rows that are walked per tick while nothing changes, so that closed scopes are removed. */
const sweptRows = 64;

interface ScopeLevelsOptions {
  readonly policy: Policy;
  readonly graceUntilMs: number;
  readonly maxScopesPerTick: number;
  readonly maxWatched: number;
  /** A number that changes with the bytes of any scope; undefined when that is not known. */
  readonly changes: () => number | undefined;
  readonly bytesOf: (scope: Pick<BudgetedScope, 'id' | 'kind' | 'name' | 'account'>) => number;
  readonly onChange: (row: BudgetedScope, from: Level, level: Level, source: LevelSource) => void;
}

/** The levels of scopes: scopes near their budget have a level machine. If there are too many, the fullest have one. */
export class ScopeLevels {
  readonly #options: ScopeLevelsOptions;
  readonly #table: BudgetedScopes;
  readonly #watched = new Set<BudgetedScope>();
  readonly #visit = (row: BudgetedScope): void => this.#look(row);
  #policy: Policy;
  #nowMs = 0;
  #stepMs = 0;
  #unwatched = 0;
  #changes: number | undefined = undefined;
  #limitBytes = 0;
  /** Rows still to be read after a change. */
  #due = 0;

  constructor(options: ScopeLevelsOptions) {
    this.#options = options;
    this.#policy = options.policy;
    this.#table = new BudgetedScopes(options.policy, (row, why) => this.#leave(row, why));
  }

  /** Scopes with a budget, scopes with a level machine, and scopes near their budget that got none because there were too many. */
  get counts(): { readonly budgeted: number; readonly watched: number; readonly unwatched: number } {
    return { budgeted: this.#table.size, watched: this.#watched.size, unwatched: this.#unwatched };
  }

  /** Scopes above normal level. */
  *raised(): Iterable<BudgetedScope & { readonly machine: LevelMachine }> {
    for (const row of this.#watched)
      if (row.machine !== undefined && row.machine.index > 0)
        yield row as BudgetedScope & { readonly machine: LevelMachine };
  }

  add(scope: GovernedScope): void {
    if (this.#table.add(scope)) this.#changes = undefined;
  }

  rebudget(scope: GovernedScope): void {
    this.#changes = undefined;
    this.#table.rebudget(scope);
  }

  /** Puts a policy in force for these scopes. Returns the new rows of scopes that keep a level. */
  follow(policy: Policy, scopes: Iterable<GovernedScope>): Iterable<BudgetedScope> {
    this.#policy = policy;
    this.#changes = undefined;
    // Collected first, because all rows are replaced and only those with a machine stay watched.
    this.#table.replace(policy, scopes);
    this.#watched.clear();
    for (const row of this.#table.rows()) {
      if (row.machine === undefined) continue;
      row.machine.setRules(policy.levels);
      this.#watched.add(row);
    }
    return this.#watched;
  }

  /** Forgets all scopes without notice to listeners. */
  clear(): void {
    this.#watched.clear();
    this.#table.replace(this.#policy, []);
  }

  tick(nowMs: number, stepMs: number, limitBytes: number): void {
    this.#nowMs = nowMs;
    this.#stepMs = stepMs;
    this.#table.setLimit(limitBytes);
    // Watched scopes come first, so that newcomers are compared with their current bytes.
    for (const row of this.#watched) this.#judge(row);
    this.#noteChanges(limitBytes);
    if (this.#due === 0) {
      this.#table.walk(sweptRows, () => undefined);
      return;
    }
    const { maxScopesPerTick } = this.#options;
    this.#due = Math.max(0, this.#due - maxScopesPerTick);
    this.#unwatched = 0;
    this.#table.walk(maxScopesPerTick, this.#visit);
  }

  /** A scope comes near its budget only when its bytes or a limit change, so most ticks need no walk. */
  #noteChanges(limitBytes: number): void {
    const changes = this.#options.changes();
    const isSame = changes !== undefined && changes === this.#changes && limitBytes === this.#limitBytes;
    // Scopes without a machine get one when another scope gives up its own.
    if (!isSame || this.#unwatched > 0) this.#due = Math.max(1, this.#table.size);
    this.#changes = changes;
    this.#limitBytes = limitBytes;
  }

  /** Gives a scope that comes near its budget a level machine. */
  #look(row: BudgetedScope): void {
    if (row.machine !== undefined) return;
    const used = this.#used(row);
    if (used < row.watchBytes || Number.isNaN(used)) return;
    const { maxWatched, graceUntilMs } = this.#options;
    if (this.#watched.size >= maxWatched && !this.#makeRoom(used / row.limitBytes)) {
      // Warned at most once per tick, because making the text for thousands of scopes would cost more than everything else.
      if (this.#unwatched++ === 0) warnOnce('PLM_GOVERN_CROWDED', { max: maxWatched });
      return;
    }
    row.usedBytes = used;
    row.machine = new LevelMachine(this.#policy.levels, graceUntilMs);
    this.#watched.add(row);
    this.#judge(row);
  }

  /** Takes the machine of the emptiest scope at normal level, if it is emptier than the new one. */
  #makeRoom(ratio: number): boolean {
    if (this.#unwatched >= maxRoomTries) return false;
    let emptiest: BudgetedScope | undefined;
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

  #judge(row: BudgetedScope): void {
    const machine = row.machine as LevelMachine;
    if (row.account.closed === true) {
      this.#leave(row, 'closed');
      return;
    }
    const used = this.#used(row);
    if (!Number.isNaN(used)) row.usedBytes = used;
    const from = machine.level;
    const level = machine.tick(this.#nowMs, used / row.limitBytes, this.#stepMs);
    if (level !== from) this.#options.onChange(row, from, level, 'account');
    else if (machine.index === 0 && used < row.watchBytes) {
      row.machine = undefined;
      this.#watched.delete(row);
    }
  }

  #used(row: BudgetedScope): number {
    try {
      return this.#options.bytesOf(row);
    } catch (error) {
      warnOnce('PLM_GOVERN_SCOPE_BYTES', { scope: `scopes of kind "${row.kind}"`, reason: String(error) });
      return Number.NaN;
    }
  }

  /** Removes a scope that closed or lost its budget. Listeners that got its level are told of the end. */
  #leave(row: BudgetedScope, why: 'closed' | 'no-budget'): void {
    const from = row.machine?.level ?? 'normal';
    row.machine = undefined;
    this.#watched.delete(row);
    if (from !== 'normal') this.#options.onChange(row, from, 'normal', why);
  }
}
