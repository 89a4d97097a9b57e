import { channel } from 'node:diagnostics_channel';
import { open } from '@plimsoll/core';
import type { OpenOptions, Scope } from '@plimsoll/core';
import { recordOf } from '@plimsoll/core/internal/scope/scope';
import type { ScopeRecord } from '@plimsoll/core/internal/scope/scope-record';
import { warnOfStage } from '../warn/stage-warning.ts';
import { runsOf } from '../warn/stage-history.ts';
import type { StageRuns } from '../warn/stage-history.ts';
import type { Allocated } from './allocated.ts';
import { callRoster } from './call-roster.ts';
import type { RunningCall } from './call-roster.ts';
import { collectionsBetween } from './collection-tally.ts';
import { attachmentTap } from './left-behind.ts';
import type { CallAttachments } from './left-behind.ts';
import { figuresBetween } from './process-figures.ts';
import { isWeightless, nothing, walkRoot } from './root-walk.ts';
import type { RootBytes } from './root-walk.ts';
import { threadReading } from './thread-reading.ts';
import type { ThreadReading } from './thread-reading.ts';
import { walkBank } from './walk-bank.ts';
import { audienceHere, hasListeners, tellListeners } from './audience.ts';
import type { Audience } from './audience.ts';
import type { StageMemory } from './stage-memory.ts';

/** The figures of every ended call, as `StageMemory`. */
const stageChannel = channel('plimsoll:stage');

interface CallSettings {
  readonly root: object | undefined;
  readonly budget: number | undefined;
  readonly parent: Scope | undefined;
  readonly signal: AbortSignal | undefined;
  readonly isExact: boolean;
  readonly attachments: boolean;
  readonly kind: string;
}

/** The last walk of a root, for calls that have no time for another one. */
interface LastWalk {
  readonly bytes: number;
  readonly external: number;
  readonly tookMs: number;
  readonly endedMs: number;
}

const lastWalks = new WeakMap<object, LastWalk>();
/** A root that was measured within this time is not measured again while no time is saved up. */
const freshMs = 100;
/** A call of at least this length gets readings of its own. */
const freshFromMs = 50;

/** One tracked call from its beginning to its end. */
export class StageCall implements RunningCall {
  readonly scope: Scope;
  readonly stage: string;
  previous: RunningCall | undefined = undefined;
  next: RunningCall | undefined = undefined;
  readonly #settings: CallSettings;
  readonly #record: ScopeRecord | undefined;
  readonly #runs: StageRuns;
  readonly #startedMs: number;
  readonly #reading: ThreadReading;
  readonly #attachments: CallAttachments | undefined;
  readonly #audience: Audience | undefined;
  readonly #wasAlone: boolean;
  readonly #opened: number;
  readonly #before: number;
  readonly #path: string;
  readonly #run: number;
  readonly #isBeforeExact: boolean;
  #peak: number;
  #isOverBound = false;
  #isRooted = false;
  /** Called once, at the first sample above the budget. */
  onOverBound: ((bytes: number) => void) | undefined = undefined;

  constructor(stage: string, settings: CallSettings) {
    this.stage = stage;
    this.#settings = settings;
    const { root } = settings;
    this.scope = open(settings.kind, stage, openOptions(settings));
    const record = recordOf(this.scope);
    this.#record = record;
    const parent = record?.parent;
    this.#runs = runsOf(stage);
    // A second copy of the package sees the scopes of the first copy, but not their records.
    this.#path =
      parent === undefined || record === undefined
        ? this.scope.path
        : this.#runs.pathBelow(parent.path, record);
    this.#run = parent?.id ?? this.scope.parent?.id ?? 0;
    this.#wasAlone = callRoster.size === 0;
    this.#opened = callRoster.add(this);
    this.#audience = audienceHere();
    const isFollowed = settings.attachments || this.#audience?.attachments === true;
    this.#attachments = isFollowed ? attachmentTap.follow(this.scope.id) : undefined;
    const { bytes, isExact } = root === undefined ? noBytes : this.#firstBytes(root);
    this.#before = bytes;
    this.#isBeforeExact = isExact;
    this.#peak = bytes;
    // Opening the scope has read the clock.
    this.#startedMs = root === undefined && record !== undefined ? record.openedMs : performance.now();
    this.#reading = threadReading(this.#startedMs);
  }

  get root(): object | undefined {
    return this.#settings.root;
  }

  /** Measures the root while the call runs, within `mostMs`; returns its bytes. */
  sample(mostMs: number): number {
    const { root } = this.#settings;
    // Registering a root takes 30 µs, and most calls end before the census reads their scope. So the root is registered at the first
    // sample.
    if (root !== undefined && !this.#isRooted) this.scope.root(root);
    this.#isRooted = true;
    const bytes = root === undefined ? 0 : walkRoot(root, undefined, mostMs).root;
    this.#see(bytes);
    return bytes;
  }

  /** Ends the call and closes its scope. `value` is what it returned. */
  end(value: unknown, ok: boolean, allocated: Allocated | null = null): StageMemory {
    const now = performance.now();
    const durationMs = now - this.#startedMs;
    const isAlone = this.#wasAlone && callRoster.added === this.#opened;
    // A reading takes 0.1 ms. A long call that ran alone gets its own. Short calls and calls that overlap share one.
    const isFresh = isAlone && durationMs >= freshFromMs;
    const reading = threadReading(now, isFresh);
    callRoster.remove(this);
    const held = this.#lastBytes(value, now, durationMs);
    this.#see(held.root);
    const charged = this.scope.account.peak;
    const left = this.#attachments?.left();
    if (this.#attachments !== undefined) attachmentTap.unfollow(this.scope.id);
    if (this.#record !== undefined && this.#settings.root !== undefined) this.#record.rootBytes = held.root;
    this.scope[Symbol.dispose]();
    const memory: StageMemory = {
      stage: this.stage,
      path: this.#path,
      run: this.#run,
      startedAt: Math.round(this.#startedMs + reading.wallOffsetMs),
      durationMs,
      ok,
      before: this.#before,
      after: held.root,
      peak: this.#peak,
      returned: held.value,
      kept: held.root - this.#before + held.value,
      isExact: held.isExact && this.#isBeforeExact,
      external: held.external,
      charged,
      listeners: left?.listeners ?? null,
      timers: left?.timers ?? null,
      collections: collectionsBetween(this.#reading.collections, reading.collections),
      process: figuresBetween(this.#reading.process, reading.process, isAlone),
      allocated,
    };
    this.#remember(memory);
    return memory;
  }

  #firstBytes(root: object): { readonly bytes: number; readonly isExact: boolean } {
    const last = lastWalks.get(root);
    const { isExact } = this.#settings;
    // Saved time is kept for the walk at the end. The first figure of the root is then the one from the end of the previous call.
    if (!isExact && last !== undefined && !walkBank.affords(2 * last.tookMs, performance.now()))
      return { bytes: last.bytes, isExact };
    const walk = walkBank.spend(isExact, this.#runs.meanMs, (mostMs) => walkRoot(root, undefined, mostMs));
    return { bytes: walk.isExact ? walk.root : (last?.bytes ?? walk.root), isExact: walk.isExact };
  }

  #lastBytes(value: unknown, now: number, durationMs: number): RootBytes {
    const { root, isExact } = this.#settings;
    if (root === undefined && isWeightless(value)) return nothing;
    const last = root === undefined ? undefined : lastWalks.get(root);
    const isFresh = last !== undefined && now - last.endedMs < freshMs;
    if (!isExact && isFresh && !walkBank.affords(last.tookMs, now)) {
      const returned = isWeightless(value)
        ? nothing
        : walkBank.spend(false, 0, (mostMs) => walkRoot(undefined, value, mostMs));
      return { ...returned, root: last.bytes, external: last.external + returned.external, isExact: false };
    }
    const walk = walkBank.spend(isExact, durationMs, (mostMs) => walkRoot(root, value, mostMs));
    const { spentMs: tookMs, spentAt: endedMs } = walkBank;
    if (root !== undefined)
      lastWalks.set(root, { bytes: walk.root, external: walk.external, tookMs, endedMs });
    return walk;
  }

  #see(bytes: number): void {
    if (bytes > this.#peak) this.#peak = bytes;
    const { budget } = this.#settings;
    if (budget === undefined || bytes <= budget || this.#isOverBound) return;
    this.#isOverBound = true;
    const details = { stage: this.stage, path: this.#path, bytes, bound: budget };
    warnOfStage('PLM_PIPELINE_OVER_BOUND', details, { stage: this.stage, scope: this.#path, bytes });
    this.onOverBound?.(bytes);
  }

  #remember(memory: StageMemory): void {
    const { stage, path, durationMs } = memory;
    const grew = memory.kept;
    const runs = this.#runs;
    const exceeded = runs.exceeded(grew);
    if (exceeded !== undefined) {
      const details = { stage, path, grew, ...exceeded };
      warnOfStage('PLM_PIPELINE_CONTEXT_GREW', details, { stage, scope: path, bytes: grew });
    }
    runs.add(grew, durationMs);
    if (hasListeners(this.#audience))
      tellListeners({ memory, attachments: this.#attachments }, this.#audience);
    if (stageChannel.hasSubscribers) stageChannel.publish(memory);
  }
}

const noBytes = { bytes: 0, isExact: true };

/** The options of the scope; undefined when there are none, as for most calls. */
function openOptions({ budget, parent, signal }: CallSettings): OpenOptions | undefined {
  if (budget === undefined && signal === undefined) return parent === undefined ? undefined : { parent };
  return {
    ...(budget !== undefined && { budget }),
    ...(parent !== undefined && { parent }),
    ...(signal !== undefined && { signal }),
  };
}
