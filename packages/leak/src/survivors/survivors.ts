import { createHash } from 'node:crypto';
import type { LingeringScope } from '@plimsoll/core/internal/scope/roster';
import type { Watched } from '@plimsoll/core/internal/scope/watch-list';
import { startWork, systemClock } from '@plimsoll/core/internal/sense/clock';
import type { Clock } from '@plimsoll/core/internal/sense/clock';
import type { LoopState, ForcedGc } from '../floor/forced-gc.ts';
import { scopeLabel } from './survivor-claims.ts';

/** Survivors that have the same kind of scope and the same label: one suspicion, and once confirmed one finding. */
export interface SurvivorGroup {
  readonly fingerprint: string;
  /** Kind of the scope that closed. */
  readonly kind: string;
  /** Label of the watch, or `scope` for the scope object itself. */
  readonly label: string;
  /** Path of the one that closed first among those still alive. */
  readonly example: string;
  /** Alive after three major GCs, at the last look. */
  readonly alive: number;
  /** When the oldest of them closed, ms since the epoch. */
  readonly closedAt: number;
  readonly state: 'suspect' | 'confirmed';
}

/** What the watch reads: the roster, or anything shaped like it. */
export interface SurvivorSource {
  watched(): Iterable<Watched>;
  lingering(): Iterable<LingeringScope>;
  readonly majorGcEpoch: number;
}

interface SurvivorsOptions {
  readonly source: SurvivorSource;
  /** Asked for a major GC before anything is confirmed; without one, twice as many natural GCs are waited for. */
  readonly forced?: ForcedGc | undefined;
  /** Major GCs something may survive after its scope closed; default 3. */
  readonly majors?: number;
  /** Largest share of one core that looking may take; default 0.001. */
  readonly cpuRatio?: number;
  /** What times the look. */
  readonly clock?: Pick<Clock, 'monotonic' | 'cpu'> & Partial<Pick<Clock, 'now'>>;
}

interface Tracked {
  kind: string;
  label: string;
  fingerprint: string;
  example: string;
  closedAt: number;
  alive: number;
  /** Alive, and closed long enough ago to be confirmed. */
  ripe: number;
  /** Ripe, and alive after so many collections that no probe is needed. */
  overdue: number;
  /** Number of the look that a probe was run in for it, 0 before. */
  probedLook: number;
  probedAt: number;
  confirmed: boolean;
  /** Number of the look in which it was last seen. */
  look: number;
}

const maxGroups = 256;
/** Ms that finalisers get after a probe before an object counts as a survivor. */
const settleMs = 1000;
const settleLooks = 2;
/**
 * Least age of a survivor since its scope closed. Collections alone say nothing about time: a young run has dozens within seconds, while
 * the last promise of a closed session may settle seconds later on a busy machine. So the process must also have worked since then, or
 * long enough have passed for one that idles.
 */
const leastAgeMs = 5000;
const leastCpuMs = 250;
const idleAgeMs = 60_000;
/** At the end of a short run this part of its life is enough. */
const leastLifeRatio = 0.1;
const mostMarks = 64;

/** Clock and CPU time of the process at a look that saw collections. */
interface Mark {
  readonly epoch: number;
  readonly at: number;
  readonly cpuMs: number;
}

/**
 * The scope watch: what a closed scope left behind, alive after three major GCs.
 *
 * Objects are judged in groups of one kind and label. A group is a suspicion until a probe GC has run for it and its members were still
 * there a second and two looks later, asked by `deref`; where no probe may run, it is confirmed after twice as many natural GCs. Either
 * way a member must have closed at least five seconds ago, in which the process worked. A look is spaced so that looking never takes more than its share of a core, however many objects are watched.
 */
export class Survivors {
  readonly #source: SurvivorSource;
  readonly #forced: ForcedGc | undefined;
  readonly #majors: number;
  readonly #cpuRatio: number;
  readonly #clock: Pick<Clock, 'monotonic' | 'cpu'> & Partial<Pick<Clock, 'now'>>;
  readonly #groups = new Map<string, Tracked>();
  #looks = 0;
  #notBefore = Number.NEGATIVE_INFINITY;
  #lookedEpoch = -1;
  #marks: Mark[] = [];
  #dropped = 0;

  constructor(options: SurvivorsOptions) {
    this.#source = options.source;
    this.#forced = options.forced;
    this.#majors = options.majors ?? 3;
    this.#cpuRatio = options.cpuRatio ?? 0.001;
    this.#clock = options.clock ?? systemClock;
  }

  /** Groups that found no room among the 256 followed ones. */
  get overflow(): number {
    return this.#dropped;
  }

  /** Members of confirmed groups at the last look. */
  get count(): number {
    let sum = 0;
    for (const group of this.#groups.values()) if (group.confirmed) sum += group.alive;
    return sum;
  }

  /** Every group with a member that is due, as of the last look. */
  list(): readonly SurvivorGroup[] {
    const found: SurvivorGroup[] = [];
    for (const group of this.#groups.values()) {
      if (group.alive === 0) continue;
      const { kind, label, fingerprint, example, alive, closedAt } = group;
      const state = group.confirmed ? 'confirmed' : 'suspect';
      found.push({ kind, label, fingerprint, example, alive, closedAt, state });
    }
    return found;
  }

  /** Looks again if it is time and a major GC has passed or a probe is open; true when the list may have changed. */
  inspect(loop: LoopState): boolean {
    const start = this.#clock.monotonic();
    if (start < this.#notBefore) return false;
    const epoch = this.#source.majorGcEpoch;
    this.#mark(epoch, start);
    const isOpen = [...this.#groups.values()].some((group) => group.alive > 0 && !group.confirmed);
    if (epoch === this.#lookedEpoch && !isOpen) return false;
    this.#lookedEpoch = epoch;
    const spent = startWork(this.#clock);
    this.#look(epoch);
    // A probe has a policy of its own; only the look is paced here, and not for the time in which the machine did something else.
    this.#notBefore = start + spent() / this.#cpuRatio;
    this.#judge(start, loop);
    return true;
  }

  /**
   * Decides for the last time, right after a collection. A watched object that is still there has survived it. Closed scopes themselves are
   * followed by finalisers, which may not have run.
   */
  conclude(): void {
    this.#look(this.#source.majorGcEpoch);
    const ageMs = Math.min(leastAgeMs, leastLifeRatio * this.#clock.monotonic());
    const closedBy = (this.#clock.now?.() ?? Date.now()) - ageMs;
    for (const group of this.#groups.values())
      if (group.alive > 0 && group.closedAt <= closedBy && group.label !== scopeLabel) group.confirmed = true;
  }

  #mark(epoch: number, at: number): void {
    if (this.#marks.at(-1)?.epoch === epoch) return;
    this.#marks.push({ epoch, at, cpuMs: this.#clock.cpu?.() ?? at });
    if (this.#marks.length > mostMarks) this.#marks.shift();
  }

  /** The collection by which a scope must have closed for what it left behind to be old enough. */
  #ripeEpoch(): number {
    const at = this.#clock.monotonic();
    const cpuMs = this.#clock.cpu?.() ?? at;
    const ripe = this.#marks.findLast(
      (mark) => at - mark.at >= idleAgeMs || (at - mark.at >= leastAgeMs && cpuMs - mark.cpuMs >= leastCpuMs),
    );
    return ripe?.epoch ?? Number.NEGATIVE_INFINITY;
  }

  #look(epoch: number): void {
    this.#looks++;
    const ripeEpoch = this.#ripeEpoch();
    for (const { kind, label, scopePath, closedAt, majorGcEpoch } of this.#source.watched())
      this.#meet(kind, label, scopePath, closedAt, epoch - majorGcEpoch, majorGcEpoch < ripeEpoch);
    for (const { kind, path, closedAt, majorGcEpoch } of this.#source.lingering())
      this.#meet(kind, scopeLabel, path, closedAt, epoch - majorGcEpoch, majorGcEpoch < ripeEpoch);
    for (const [key, group] of this.#groups)
      if (group.look !== this.#looks) {
        if (group.confirmed) group.alive = 0;
        else this.#groups.delete(key);
      }
  }

  #meet(kind: string, label: string, path: string, closedAt: number, age: number, isRipe: boolean): void {
    if (age < this.#majors) return;
    const key = `${kind}\0${label}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      if (this.#groups.size >= maxGroups) {
        this.#dropped++;
        return;
      }
      group = {
        kind,
        label,
        fingerprint: survivorFingerprint(kind, label),
        example: path,
        closedAt,
        alive: 0,
        ripe: 0,
        overdue: 0,
        probedLook: 0,
        probedAt: 0,
        confirmed: false,
        look: 0,
      };
      this.#groups.set(key, group);
    }
    if (group.look !== this.#looks) {
      group.look = this.#looks;
      group.alive = 0;
      group.ripe = 0;
      group.overdue = 0;
      group.closedAt = Number.POSITIVE_INFINITY;
    }
    group.alive++;
    if (isRipe) group.ripe++;
    if (isRipe && age >= 2 * this.#majors) group.overdue++;
    if (closedAt < group.closedAt) {
      group.closedAt = closedAt;
      group.example = path;
    }
  }

  #judge(at: number, loop: LoopState): void {
    let isProbed: boolean | undefined;
    for (const group of this.#groups.values()) {
      if (group.confirmed || group.alive === 0) continue;
      if (group.probedLook > 0) {
        // After a long stop the clock has moved on, but finalisers have not run. So looks count, too.
        const isSettled = at - group.probedAt >= settleMs && this.#looks - group.probedLook >= settleLooks;
        if (isSettled && group.ripe > 0) group.confirmed = true;
        continue;
      }
      isProbed ??= this.#forced?.run(loop) ?? false;
      if (isProbed) {
        group.probedLook = this.#looks;
        group.probedAt = at;
      } else if (group.overdue > 1) group.confirmed = true;
    }
  }
}

/** Group key that stays the same across restarts. */
function survivorFingerprint(kind: string, label: string): string {
  return createHash('sha256').update(`survivor\0${kind}\0${label}`).digest('hex').slice(0, 16);
}
