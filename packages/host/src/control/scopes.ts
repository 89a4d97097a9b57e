import type { ScopeRecord } from '@plimsoll/core/internal/scope/scope-record';
import { budgetFor } from '@plimsoll/govern/internal/policy/budget';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { ScopePage } from '../protocol/answers.ts';
import type { ControlArgs, ControlOps } from '../protocol/control.ts';
import type { Level, ScopeRow } from '../protocol/frame.ts';
import type { ScopeBytes } from '../parts/scopes/scope-bytes.ts';

/** What the operation needs of the host. */
export interface ScopeView {
  readonly bytes: Pick<ScopeBytes, 'open' | 'of' | 'peakOf' | 'knownBy' | 'measuredAt' | 'spreadOf'>;
  /** Scopes above normal, by path. */
  readonly raised: () => Iterable<{ readonly scope: string; readonly level: Level }>;
  readonly policy: () => Policy;
  readonly limitBytes: () => number;
}

/** The last state of a scope that was sent. A scope that has only aged since is not sent again. */
interface Mark {
  readonly path: string;
  bytes: number;
  peakBytes: number;
  leases: number;
  activeMs: number;
  level: Level;
  budgetBytes: number | null;
  policy: Policy;
  limitBytes: number;
  round: number;
}

/** The state of one watcher: its marks and the position of its round. */
interface Watch {
  readonly marks: Map<number, Mark>;
  /** How many marks have a path, because two scopes may share one. */
  readonly paths: Map<string, number>;
  /** Scopes of the round under way: records, which hold nothing of a scope that has closed. */
  list: readonly ScopeRecord[];
  next: number;
  round: number;
  askedAt: number;
}

const mostWatches = 4;
const mostRowsPerPage = 500;
const mostMsPerPage = 1;
const restMs = 10_000;

/**
 * The operation `scopes`: every open scope, sent once and then only when it changed. The work of one page ends after a millisecond or 500
 * rows, whatever the number of scopes, and nothing is kept for a watch that has not asked for ten seconds.
 */
export class ScopeWatches {
  readonly #view: ScopeView;
  readonly #watches = new Map<string, Watch>();
  #timer: NodeJS.Timeout | undefined;

  constructor(view: ScopeView) {
    this.#view = view;
  }

  /** Watches that are remembered. */
  get size(): number {
    return this.#watches.size;
  }

  page(name: string, fresh: boolean): ScopePage {
    const known = fresh ? undefined : this.#watches.get(name);
    const watch = known ?? newWatch();
    this.#keep(name, watch);
    if (watch.next === 0) {
      watch.list = this.#view.bytes.open;
      watch.round++;
    }
    const rows = this.#walk(watch, watch.list);
    const done = watch.next >= watch.list.length;
    const gone = done ? finish(watch) : [];
    return { at: Date.now(), full: known === undefined, rows, gone, done };
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#watches.clear();
  }

  #walk(watch: Watch, list: readonly ScopeRecord[]): readonly ScopeRow[] {
    const rows: ScopeRow[] = [];
    const view = this.#view;
    const levels = new Map<string, Level>();
    for (const { scope, level } of view.raised()) levels.set(scope, level);
    const [policy, limitBytes, nowMs, now] = [
      view.policy(),
      view.limitBytes(),
      performance.now(),
      Date.now(),
    ];
    while (watch.next < list.length && rows.length < mostRowsPerPage) {
      const scope = list[watch.next++] as ScopeRecord;
      if (scope.state === 'closed') continue;
      const level = levels.get(scope.path) ?? 'normal';
      const mark = changed(watch, scope, level, { bytes: view.bytes, policy, limitBytes });
      if (mark !== undefined) rows.push(rowOf(scope, mark, view.bytes, now, nowMs));
      if ((watch.next & 31) === 0 && performance.now() - nowMs > mostMsPerPage) break;
    }
    return rows;
  }

  #keep(name: string, watch: Watch): void {
    watch.askedAt = performance.now();
    this.#watches.delete(name);
    this.#watches.set(name, watch);
    if (this.#watches.size > mostWatches) this.#watches.delete(this.#watches.keys().next().value as string);
    this.#timer ??= setTimeout(() => this.#forget(), restMs).unref();
  }

  #forget(): void {
    this.#timer = undefined;
    const line = performance.now() - restMs;
    for (const [name, watch] of this.#watches) if (watch.askedAt <= line) this.#watches.delete(name);
    if (this.#watches.size > 0) this.#timer = setTimeout(() => this.#forget(), restMs).unref();
  }
}

function newWatch(): Watch {
  return { marks: new Map(), paths: new Map(), list: [], next: 0, round: 0, askedAt: 0 };
}

/** Ends a round. Scopes that the round did not meet have closed. */
function finish(watch: Watch): readonly string[] {
  watch.next = 0;
  watch.list = [];
  const gone: string[] = [];
  for (const [id, { path, round }] of watch.marks) {
    if (round === watch.round) continue;
    watch.marks.delete(id);
    const left = (watch.paths.get(path) ?? 1) - 1;
    if (left > 0) watch.paths.set(path, left);
    else {
      watch.paths.delete(path);
      gone.push(path);
    }
  }
  return gone;
}

interface Now {
  readonly bytes: ScopeView['bytes'];
  readonly policy: Policy;
  readonly limitBytes: number;
}

/** Marks a scope as seen; returns its mark when something other than its age changed. */
function changed(watch: Watch, scope: ScopeRecord, level: Level, now: Now): Mark | undefined {
  const bytes = now.bytes.of(scope);
  const peakBytes = now.bytes.peakOf(scope);
  const { leases } = scope;
  const activeMs = performance.now() - scope.idleMs;
  const mark = watch.marks.get(scope.id);
  if (mark === undefined) {
    const { path } = scope;
    const { policy, limitBytes } = now;
    const budgetBytes = budgetOf(scope, policy, limitBytes);
    const { round } = watch;
    const made = { path, bytes, peakBytes, leases, activeMs, level, budgetBytes, policy, limitBytes, round };
    watch.marks.set(scope.id, made);
    watch.paths.set(path, (watch.paths.get(path) ?? 0) + 1);
    return made;
  }
  mark.round = watch.round;
  const isSame =
    mark.bytes === bytes &&
    mark.peakBytes === peakBytes &&
    mark.leases === leases &&
    mark.level === level &&
    // The clock and the idle time are read one after the other.
    activeMs - mark.activeMs < 20 &&
    mark.policy === now.policy &&
    mark.limitBytes === now.limitBytes;
  if (isSame) return undefined;
  if (mark.policy !== now.policy || mark.limitBytes !== now.limitBytes)
    mark.budgetBytes = budgetOf(scope, now.policy, now.limitBytes);
  const { policy, limitBytes } = now;
  return Object.assign(mark, { bytes, peakBytes, leases, activeMs, level, policy, limitBytes });
}

function budgetOf(scope: ScopeRecord, policy: Policy, limitBytes: number): number | null {
  return scope.budget ?? budgetFor(policy, scope.path, limitBytes).own?.maxBytes ?? null;
}

function rowOf(
  scope: ScopeRecord,
  mark: Mark,
  bytes: ScopeView['bytes'],
  now: number,
  nowMs: number,
): ScopeRow {
  return {
    path: mark.path,
    kind: scope.kind,
    bytes: mark.bytes,
    by: bytes.knownBy(scope),
    measuredAt: bytes.measuredAt(scope, now),
    spread: bytes.spreadOf(scope),
    peakBytes: mark.peakBytes,
    budgetBytes: mark.budgetBytes,
    level: mark.level,
    ageMs: Math.max(0, now - scope.openedAt),
    idleMs: Math.max(0, Math.round(nowMs - mark.activeMs)),
    leases: mark.leases,
  };
}

/** `scopes` with `{ watch, fresh }`. */
export function scopeOps(watches: ScopeWatches): ControlOps {
  return {
    scopes: (args: ControlArgs) => {
      const { watch, fresh } = args;
      return watches.page(typeof watch === 'string' ? watch.slice(0, 64) : 'anyone', fresh === true);
    },
  };
}
