import { forgetObjectIds } from '@plimsoll/core/internal/inspector';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { makeOwnFolder } from '@plimsoll/core/internal/own-path';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import { takeSnapshot, type Refusal } from './capture.ts';
import { MachinePace } from '../floor/machine-pace.ts';
import { ShortRun } from '../judge/short-run.ts';
import { FloorRhythm, type FloorAccount } from './floor-rhythm.ts';
import { risingHolder } from './container-evidence.ts';
import { handledSignals } from './last-look.ts';
import { JudgedFloors } from './judged-floors.ts';
import { ownSuspicionMs, SnapshotPlan } from './snapshot-plan.ts';
import type { WorkerProofs, WorkerSource } from './worker-proofs.ts';
import { writeGrowthRecord, type Capture, type GrowthRecord } from './growth-record.ts';

interface GrowthRecorderSettings {
  readonly dir: string;
  /** Longest stop of the event loop for a snapshot while the program serves; 0 takes none before the end. */
  readonly maxPauseMs: number;
  /** True when a supervisor reads the record after the end. Otherwise no files are left. */
  readonly isSupervised: boolean;
  /** Process id of the supervisor. When it is gone, nothing is proved any more and snapshots are removed. */
  readonly supervisor?: number | undefined;
}

/** The account for the CPU time of our own work: floors and snapshots. */
interface WorkAccount extends FloorAccount {
  measureProof<T>(work: () => T): T;
}

const noAccount: WorkAccount = {
  measure: (work) => work(),
  measureProof: (work) => work(),
  restMs: () => undefined,
};

/** Least time between two snapshots for findings of other parts, after the pair is complete. */
const renewalMs = 60 * 60_000;
/** A program that ends within this time is a script or a test. It may be stopped for longer than a server. */
const shortLifeMs = 60_000;
const shortExitMs = 20_000;
/** Longest stop of a server at its end, also when less is allowed while it serves. Containers are killed after 10 s. */
const exitPauseMs = 4000;
/** Least time between a pair of snapshots and a third one at the end. */
const againMs = 12_000;

/**
 * The recorder inside a governed process: it watches the floors from the first moment on. It takes a first snapshot when they begin to look
 * like a leak, and a second one when they still do half a minute later or at the end. It leaves its record for the analysis in another
 * process. A healthy process only pays for reading its collections and for forced ones where natural ones are rare; it is never stopped for
 * a snapshot.
 */
export class GrowthRecorder {
  readonly #settings: GrowthRecorderSettings;
  readonly #startedAt = Date.now();
  readonly #rhythm: FloorRhythm;
  readonly #floors: JudgedFloors;
  readonly #plan: SnapshotPlan;
  readonly #onExit = (): void => this.leave();
  readonly #pace = new MachinePace();
  #timer: NodeJS.Timeout | undefined;
  #first: Capture | null = null;
  #middle: Capture | null = null;
  #last: Capture | null = null;
  #refused: Refusal | null = null;
  #workers: WorkerSource | undefined;
  #workerProofs: WorkerProofs | undefined;
  /** CPU time of the heaviest snapshot so far, as a multiple of the usual one. */
  #heaviness: number | undefined;
  /** Earliest time of a wanted snapshot that could not be taken yet. */
  #wantedSince: number | undefined;
  /** The record at the moment of an ending signal. */
  #concluded: GrowthRecord | undefined;
  /** Until the host is loaded there is no account. */
  #account = noAccount;
  #hasForgotten = false;
  #onEnd: (() => void) | undefined;
  #onPair: ((record: GrowthRecord) => void) | undefined;

  constructor(settings: GrowthRecorderSettings) {
    this.#settings = settings;
    this.#rhythm = new FloorRhythm({
      ...settings,
      startedAt: this.#startedAt,
      account: () => this.#account,
    });
    this.#floors = new JudgedFloors(this.#rhythm.series);
    this.#plan = new SnapshotPlan(this.#rhythm, this.#startedAt, settings.maxPauseMs);
  }

  start(): void {
    process.on('exit', this.#onExit);
    this.#beat();
    this.#rhythm.start();
  }

  stop(): void {
    process.off('exit', this.#onExit);
    clearTimeout(this.#timer);
    this.#rhythm.stop();
  }

  /**
   * Takes the last measurements when a signal asks the program to end, because its handler may release everything. This state is written at
   * the end.
   */
  lookBeforeEnd(): void {
    if (!this.#settings.isSupervised || this.#concluded !== undefined) return;
    try {
      this.#conclude(Date.now());
      this.#concluded = this.record;
    } catch {
      // The disk is full or V8 refused: the look at the exit has to do.
    }
  }

  /** Also proves growth in the heaps of worker threads, in a run with a verdict. */
  followWorkers(source: WorkerSource): void {
    if (!this.#settings.isSupervised) return;
    this.#workers = source;
    source.wantFloors?.();
  }

  /** Called when our own host begins to load. */
  hostIsLoading(): void {
    this.#floors.hostIsLoading(Date.now());
  }

  /** Called when our own host is loaded. Earlier floors, and those that show its loading, do not count for the program. */
  hostIsLoaded(): void {
    this.#floors.hostIsLoaded(Date.now());
  }

  /** Charges looks, forced collections and snapshots to an account from here on. */
  accountTo(account: WorkAccount): void {
    this.#account = account;
  }

  /** Called when the program opens scopes of its own. */
  scopesAreInUse(): void {
    this.#plan.scopesAreInUse();
  }

  /** Called when the process ends, right after a last collection and before a last snapshot. */
  onEnd(listener: () => void): void {
    this.#onEnd = listener;
  }

  /** Called once when both snapshots are there while the program still runs. */
  onPair(listener: (record: GrowthRecord) => void): void {
    this.#onPair = listener;
  }

  get record(): GrowthRecord {
    // Every frame calls this. The allocations of judging are not the program's.
    return this.#rhythm.series.discount(() => this.#recordNow());
  }

  #recordNow(): GrowthRecord {
    const { points, channels } = this.#floors.current;
    return {
      v: 1,
      pid: process.pid,
      node: process.version,
      startedAt: this.#startedAt,
      at: Date.now(),
      channels,
      suspectedAt: this.#plan.suspectedAt,
      first: this.#first,
      middle: this.#middle,
      last: this.#last,
      refused: this.#refused,
      handled: handledSignals(),
      floors: points.map((point) => point.heapBytes),
      sites: this.#rhythm.addingSites(),
      containers: this.#rhythm.grownContainers(),
      workers: this.#workerProofs?.records ?? [],
    };
  }

  /**
   * A snapshot for a finding of another part, not older than `since`: the newest existing one, or one taken now. When it is refused the
   * result is undefined, and one is taken at the end.
   */
  snapshotSince(since = 0): Capture | undefined {
    const found = this.#newest(since);
    if (found !== undefined) return found;
    if (this.#settings.maxPauseMs > 0 && !this.#plan.hasOverrun) this.#takeNext(Date.now());
    const taken = this.#newest(since);
    if (taken === undefined) this.want(since);
    return taken;
  }

  /** After a while the pair is not needed any more, and its second snapshot is replaced by newer ones. */
  #takeNext(now: number): void {
    if (this.#last === null) this.capture();
    else if (now - this.#last.at >= renewalMs)
      this.#last = this.#take('last', this.#settings.maxPauseMs) ?? this.#last;
  }

  /** Requests a snapshot at the end that is not older than this. */
  want(since: number): void {
    this.#wantedSince = Math.max(since, this.#wantedSince ?? 0);
  }

  #newest(since: number): Capture | undefined {
    return [this.#last, this.#first].find((capture) => capture !== null && capture.at >= since) ?? undefined;
  }

  /** Takes the next snapshot of the pair for a suspicion raised elsewhere; false when it is refused or both are there. */
  capture(): boolean {
    if (this.#isOrphaned()) return false;
    if (this.#first === null) {
      this.#first = this.#take('first', this.#settings.maxPauseMs);
      if (this.#first !== null) this.#floors.snapshotWasTaken(this.#first);
    } else if (this.#last === null) {
      this.#last = this.#take('last', this.#settings.maxPauseMs);
      if (this.#last !== null) this.#onPair?.(this.record);
    } else return false;
    return this.#refused === null;
  }

  #beat(): void {
    if (this.#isOrphaned()) {
      this.#discard();
      this.stop();
      return;
    }
    const now = Date.now();
    this.#timer = setTimeout(() => this.#beat(), this.#rhythm.nextMs(now)).unref();
    try {
      this.#pace.look();
      this.#lookAtWorkers().catch(() => undefined);
      this.#account.measure(() => this.#rhythm.series.discount(() => this.#look(now)));
    } catch {
      // The disk is full or V8 refused: the program goes on, the record has less in it.
    }
  }

  /** The proof of worker threads is loaded with the first worker, because workers are rare. */
  async #lookAtWorkers(): Promise<void> {
    const workers = this.#workers?.workers() ?? [];
    if (workers.length === 0) return;
    if (this.#workerProofs === undefined) {
      const { WorkerProofs } = await import('./worker-proofs.ts');
      this.#workerProofs ??= new WorkerProofs({
        ...this.#settings,
        slowness: () => this.#pace.slowness,
      });
    }
    await this.#workerProofs.look(workers);
  }

  #look(now: number): void {
    const isAwaited = this.#plan.awaitsFloor(now, this.#first, this.#last);
    if (!this.#rhythm.look(now, isAwaited)) return;
    if (this.#isOld(now) && this.#first !== null && !this.#hasForgotten) {
      // No third snapshot will be compared with the first one.
      forgetObjectIds();
      this.#hasForgotten = true;
    }
    if (this.#plan.isDue(now, this.#floors.current, this.#first, this.#last)) this.capture();
  }

  /** At the end no later snapshot has to be comparable. */
  #take(which: 'first' | 'last' | 'end', maxStopMs: number, isEnd = false): Capture | null {
    return this.#rhythm.series.discount(() => this.#takeNow(which, maxStopMs, isEnd));
  }

  #takeNow(which: 'first' | 'last' | 'end', maxStopMs: number, isEnd: boolean): Capture | null {
    if (this.#isOrphaned()) return null;
    const taken = this.#account.measureProof(() =>
      takeSnapshot({
        dir: this.#settings.dir,
        name: which,
        maxStopMs,
        heapBytes: this.#rhythm.newest?.heapBytes ?? 0,
        // One slow moment of a busy machine must not prevent the verdict on a script.
        slowness: isEnd && this.#isShort(Date.now()) ? this.#pace.meanSlowness : this.#pace.slowness,
        ...(this.#heaviness !== undefined && { heaviness: this.#heaviness }),
        ...(!isEnd && { onAdmitted: () => this.#rhythm.readBeforeSnapshot() }),
      }),
    );
    const { capture, refusal } = taken;
    if (taken.capture !== null) this.#heaviness = Math.max(this.#heaviness ?? 0, taken.heaviness);
    if (capture !== null && !isEnd) this.#rhythm.series.readSnapshot();
    this.#refused = refusal;
    if (refusal !== null && !isEnd && !this.#isExplained) this.#rhythm.enterFunctions(maxStopMs);
    this.#plan.stopped(capture, maxStopMs, Date.now());
    const work = this.#rhythm.newest?.allocatedBytes;
    return capture && { ...capture, ...(work !== undefined && { work }) };
  }

  /** A container was seen to rise that accounts for each growth. */
  get #isExplained(): boolean {
    const containers = this.#rhythm.grownContainers();
    const growing = Object.values(this.#floors.current.channels).filter(({ shape }) => shape === 'growing');
    return growing.every((judgement) => risingHolder(containers, judgement) !== undefined);
  }

  /** Leaves the record for the analysis elsewhere; called when the process ends. */
  leave(): void {
    try {
      if (!this.#settings.isSupervised || this.#isOrphaned()) {
        this.#discard();
        return;
      }
      if (this.#concluded === undefined) this.#conclude(Date.now());
      makeOwnFolder(this.#settings.dir);
      writeGrowthRecord(this.#settings.dir, {
        ...(this.#concluded ?? this.record),
        series: this.#rhythm.series.points,
      });
    } catch {
      // The failure cannot be reported. The run is undecided.
    }
  }

  #isShort(now: number): boolean {
    return now - this.#startedAt < shortLifeMs;
  }

  /** True when the long run handles growth. */
  #isOld(now: number): boolean {
    return now - this.#startedAt > ownSuspicionMs;
  }

  #isOrphaned(): boolean {
    const { supervisor } = this.#settings;
    return supervisor !== undefined && !isAlive(supervisor);
  }

  #discard(): void {
    this.#workerProofs?.discard();
    for (const capture of [this.#first, this.#middle, this.#last])
      if (capture !== null) removeFile(capture.file);
    this.#first = null;
    this.#middle = null;
    this.#last = null;
  }

  #conclude(now: number): void {
    this.#floors.isEnding(now);
    if (this.#rhythm.readLast(now)) this.#onEnd?.();
    const isOld = this.#isOld(now);
    const isGrowing =
      !isOld &&
      (this.#last === null
        ? new ShortRun(this.#floors.current.channels).isOpen
        : now - this.#last.at >= againMs);
    const isWanted = this.#wantedSince !== undefined && this.#newest(this.#wantedSince) === undefined;
    if (!isGrowing && !isWanted) return;
    const { maxPauseMs } = this.#settings;
    const leastMs = isOld ? 0 : this.#isShort(now) ? shortExitMs : exitPauseMs;
    const maxStopMs = Math.max(maxPauseMs, leastMs);
    const before = this.#last;
    const taken = this.#take(before === null ? 'last' : 'end', maxStopMs, true);
    if (taken === null) return;
    this.#middle = before;
    this.#last = taken;
  }
}
