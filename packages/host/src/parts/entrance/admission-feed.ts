import { currentScope } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { admission } from '@plimsoll/govern/internal/admission/admission-control';
import type { AdmissionControl, AdmissionRow } from '@plimsoll/govern/internal/admission/admission-control';
import type { Governor } from '@plimsoll/govern/internal/level/governor';
import { budgetFor } from '@plimsoll/govern/internal/policy/budget';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { SteadyLimits } from '@plimsoll/govern/internal/policy/sections/admission';

type Scopes = Parameters<typeof workInFlight>[0];

export interface AdmissionFeedParts {
  readonly governor: Pick<Governor, 'level' | 'levelOf' | 'mode' | 'policy' | 'raised'>;
  readonly scopes: () => Scopes;
  /** Writes what the shed points did into the ledger. */
  readonly record: (body: Readonly<Record<string, string | number>>) => void;
  /** Monotonic ms. */
  readonly now?: () => number;
}

/** Refusals are summed up in the ledger at most this often. */
const recordMs = 10_000;
/** Weight of the newest reading in the average of how busy the event loop is. */
const busyWeight = 0.25;

/** Hands the numbers of each reading to the shed points of this process, and writes what they did into the ledger. */
export class AdmissionFeed implements Disposable {
  readonly #parts: AdmissionFeedParts;
  readonly #control: AdmissionControl = admission();
  readonly #now: () => number;
  #state: AdmissionRow['state'] = 'open';
  #recordedAt = Number.NEGATIVE_INFINITY;
  #refused: number;
  #mode: string | undefined;
  #steady: SteadyLimits | undefined;
  #utilization = performance.eventLoopUtilization();
  #busyRatio: number | undefined;
  #level = 'normal';
  #rule: string | undefined;

  constructor(parts: AdmissionFeedParts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => performance.now());
    this.#refused = this.#control.counts().refused;
  }

  take(reading: Reading): void {
    const { governor, scopes } = this.#parts;
    const { mode, level, policy } = governor;
    if (mode !== this.#mode || policy.admission !== this.#steady) {
      this.#mode = mode;
      this.#steady = policy.admission;
      this.#control.govern({
        mode,
        steady: policy.admission,
        levelOf: (scope) => governor.levelOf(scope),
        priorityOf: () => budgetFor(this.#parts.governor.policy, currentScope().path).priority,
      });
    }
    this.#measureBusy();
    const [nearest] = reading.pressures;
    if (level !== this.#level) {
      // `raised` sorts every raised scope, so it is called once per level and not once per reading.
      const [top] = level === 'normal' ? [] : governor.raised();
      this.#rule = top?.scope === 'process' ? top.rule : undefined;
      this.#level = level;
    }
    this.#control.observe({
      level,
      usedBytes: nearest?.used ?? reading.used,
      limitBytes: nearest?.limit ?? reading.limit,
      source: nearest?.source ?? 'unknown',
      rule: this.#rule ?? `the ${nearest?.source ?? 'memory'} limit`,
      freeBytes: freeBytes(reading) - policy.global.reserveBytes,
      inFlight: () => workInFlight(scopes()),
      agents: () => openOf('agent', scopes()),
      ...(this.#busyRatio === undefined ? {} : { busyRatio: this.#busyRatio }),
    });
    this.#report();
  }

  /** A moving average over some seconds, so that one slow request does not refuse the next. */
  #measureBusy(): void {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#utilization);
    this.#utilization = now;
    if (!Number.isFinite(utilization)) return;
    this.#busyRatio =
      this.#busyRatio === undefined
        ? utilization
        : this.#busyRatio + busyWeight * (utilization - this.#busyRatio);
  }

  /** The row of the frame. */
  row(): AdmissionRow {
    return this.#control.row();
  }

  [Symbol.dispose](): void {
    this.#control.ungovern();
  }

  /** Writes each change of state and each 10 s of refusals into the ledger, so that a refusal can be explained afterwards. */
  #report(): void {
    const { state, ratio, admitted, refused } = this.#control.standing();
    const isNews = state !== this.#state;
    const isDue = refused > this.#refused && this.#now() - this.#recordedAt >= recordMs;
    if (!isNews && !isDue) return;
    const sheds = this.#control
      .sheds()
      .map(({ point, reason, count }) => `${point} ${reason.toLowerCase()} ${count}`)
      .join(', ');
    this.#parts.record({
      from: this.#state,
      to: state,
      ratio,
      admitted,
      refused,
      newlyRefused: refused - this.#refused,
      ...(sheds === '' ? {} : { sheds }),
    });
    this.#state = state;
    this.#refused = refused;
    this.#recordedAt = this.#now();
  }
}

function freeBytes({ pressures, used, limit }: Reading): number {
  let free = limit - used;
  for (const pressure of pressures) free = Math.min(free, pressure.limit - pressure.used);
  return free;
}

/** Kinds of scopes that are at work as long as they are open. */
const workKinds: ReadonlySet<string> = new Set(['run', 'stage', 'tool']);

/** Number of scopes that are at work: runs and their parts, and every leased scope. */
export function workInFlight(scopes: Iterable<Pick<Scope, 'kind' | 'leases'>>): number {
  let count = 0;
  for (const { kind, leases } of scopes) if (workKinds.has(kind) || leases > 0) count++;
  return count;
}

/** How many scopes of a kind are open. */
export function openOf(wanted: string, scopes: Iterable<Pick<Scope, 'kind'>>): number {
  let count = 0;
  for (const { kind } of scopes) if (kind === wanted) count++;
  return count;
}
