import { createHash } from 'node:crypto';
import type { LingeringScope } from '@plimsoll/core/internal/scope/roster';
import type { Watched } from '@plimsoll/core/internal/scope/watch-list';
import { startWork, systemClock } from '@plimsoll/core/internal/sense/clock';
import type { Clock } from '@plimsoll/core/internal/sense/clock';
import type { LoopState, ForcedGc } from '../floor/forced-gc.ts';
import { scopeLabel } from './survivor-claims.ts';

/** Survivors with the same kind of scope and the same label. They are one suspicion and, when confirmed, one finding. */
export interface SurvivorGroup {
  readonly fingerprint: string;
  /** Kind of the scope that closed. */
  readonly kind: string;
  /** Label of the watch, or `scope` for the scope object itself. */
  readonly label: string;
  /** Path of the scope that closed first among those with live survivors. */
  readonly example: string;
  /** Number alive after three major GCs, at the last check. */
  readonly alive: number;
  /** When the oldest of them closed, ms since the epoch. */
  readonly closedAt: number;
  readonly state: 'suspect' | 'confirmed';
}

/** Source of the watch: the roster, or an object of the same shape. */
export interface SurvivorSource {
  watched(): Iterable<Watched>;
  lingering(): Iterable<LingeringScope>;
  readonly majorGcEpoch: number;
}

interface SurvivorsOptions {
  readonly source: SurvivorSource;
  /** Forces a major GC before a survivor is confirmed. Without it, twice as many natural GCs are required. */
  readonly forced?: ForcedGc | undefined;
  /** Major GCs that an object may survive after its scope closed; default 3. */
  readonly majors?: number;
  /** Most share of one core for checks; default 0.001. */
  readonly cpuRatio?: number;
  /** Clock for timing checks. */
  readonly clock?: Pick<Clock, 'monotonic' | 'cpu'> & Partial<Pick<Clock, 'now'>>;
}

interface Tracked {
  kind: string;
  label: string;
  fingerprint: string;
  example: string;
  closedAt: number;
  alive: number;
  /** Number alive and closed long enough ago to be confirmed. */
  ripe: number;
  /** Number of ripe ones that survived so many collections that no probe is needed. */
  overdue: number;
  /** Number of the check with a probe for it; 0 before. */
  probedLook: number;
  probedAt: number;
  confirmed: boolean;
  /** Number of the check in which it was last seen. */
  look: number;
}

const maxGroups = 256;
/** Ms for finalisers after a probe before an object counts as a survivor. */
const settleMs = 1000;
const settleLooks = 2;
/**
 * Least age of a survivor since its scope closed. The number of collections is not enough: a young run has dozens within seconds, while the
 * last promise of a closed session may settle seconds later on a busy machine. So the process must also have worked since then or, when it
 * is idle, more time must have passed.
 */
const leastAgeMs = 5000;
const leastCpuMs = 250;
const idleAgeMs = 60_000;
/** At the end of a short run this share of its life is enough. */
const leastLifeRatio = 0.1;
const mostMarks = 64;

/** Clock and CPU time of the process at a check that saw collections. */
interface Mark {
  readonly epoch: number;
  readonly at: number;
  readonly cpuMs: number;
}

/**
 * Finds objects of closed scopes that are alive after three major GCs.
 *
 * Objects are judged in groups of one kind and label. A group is a suspicion until a probe GC has run for it and its members are still
 * there a second and two checks later, by `deref`. When no probe may run, it is confirmed after twice as many natural GCs. In both cases
 * the scope of a member must have closed at least five seconds ago, and the process must have worked since then. Checks are spaced so that
 * they never take more than their share of a core, however many objects are watched.
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

  /** Groups for which there was no room among the 256 followed ones. */
  get overflow(): number {
    return this.#dropped;
  }

  /** Number of members of confirmed groups at the last check. */
  get count(): number {
    let sum = 0;
    for (const group of this.#groups.values()) if (group.confirmed) sum += group.alive;
    return sum;
  }

  /** Every group with a due member at the last check. */
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

  /** Checks again if it is time and a major GC has passed or a probe is open. True when the list may have changed. */
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
    // A probe has a policy of its own. Only the check is paced here, by CPU time, so that other load on the machine does not count.
    this.#notBefore = start + spent() / this.#cpuRatio;
    this.#judge(start, loop);
    return true;
  }

  /**
   * Decides for the last time, right after a collection. A watched object that is still there is a survivor. Closed scopes themselves are
   * followed by finalisers, which may not have run, so they do not count.
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

  /** The collection before which a scope must have closed so that its objects are old enough. */
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
        // After a long stop the clock has moved on, but finalisers have not run. So the number of checks counts, too.
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
