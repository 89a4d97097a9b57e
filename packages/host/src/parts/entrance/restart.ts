import type { Successor } from '../../handover/successor.ts';
import { warnOnce } from '@plimsoll/core/internal/errors';
import { admission } from '@plimsoll/govern/internal/admission/admission-control';
import { drainHooks, setRestart } from '@plimsoll/core/internal/gate/drain-hooks';
import type { RestartState } from '@plimsoll/govern/internal/actions/levers';
import { mayHandOver, planRestart, restartExitCode } from '@plimsoll/govern/internal/restart/restart-plan';
import {
  incidentOf,
  restartTimes,
  resumeFrom,
  withEntry,
} from '@plimsoll/govern/internal/restart/restart-log';
import { runDrain } from '@plimsoll/govern/internal/restart/drain';
import type { DrainResult } from '@plimsoll/govern/internal/restart/drain';
import type { RestartFacts, RestartPlan } from '@plimsoll/govern/internal/restart/restart-plan';
import type { Restart } from '@plimsoll/core/internal/gate/drain-hooks';
import type { ContinuedIncident } from '@plimsoll/govern/internal/incident/incident';
import type { RestartEntry, Resume } from '@plimsoll/govern/internal/restart/restart-log';
import { keepers } from '@plimsoll/core/keeper';
import { systemClock } from '@plimsoll/core/internal/sense/clock';
import type { Clock } from '@plimsoll/core/internal/sense/clock';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { readRestartLog, writeRestartLog } from '../../protocol/restart-file.ts';

type RestartRequest = Parameters<Restart>[0];

interface RestartParts {
  /** Folder of the run, where restarts are remembered. */
  readonly dir: string;
  readonly inFlight: () => number;
  readonly openSessions: () => number;
  /** Ends the process. */
  readonly exit: (code: number) => void;
  /** Writes what happens into the ledger. */
  readonly record: (body: Readonly<Record<string, string | number>>) => void;
  /** Ms until V8 or the kernel ends the process; undefined when that is not in sight. */
  readonly endsInMs?: () => number | undefined;
  /** Process id of the life before this one, where this one takes over from it. */
  readonly takesOver?: number | undefined;
  /** The incident that lasts, which the next life continues. */
  readonly incident?: (() => ContinuedIncident | undefined) | undefined;
  /** The next life, where the supervisor may start it beside this one. */
  readonly successor?:
    | Pick<Successor, 'isPossible' | 'ready' | 'handOver' | 'connectionsEnded' | 'stop'>
    | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
}

interface DrainTimes {
  readonly drainMs: number;
  readonly parkMs: number;
  readonly exitInMs: number;
}

const progressMs = 500;
/** After a failed handover, for example for lack of memory, the next life is asked for again after this time. */
const aloneForMs = 10 * 60_000;
/** Text of a restart without handover: no process answers between the two lives. */
const alone = 'the next life starts when this one has ended';

/**
 * Drain and restart of this process. It decides by the plan, closes the shed points, runs the hooks, parks every session cache and ends the
 * process with exit code 75. Every step is on disk before the next one begins, so that the next life can report what happened even when
 * this one is killed in between.
 */
export class HostRestart implements Disposable, RestartState {
  readonly #parts: RestartParts;
  readonly #clock: Clock;
  readonly #startedMs: number;
  #cancelJitter: (() => void) | undefined;
  #entry: RestartEntry | undefined;
  #resume: Resume | undefined;
  #before: number | undefined;
  #isOver = false;
  /** A restart was decided and the next life is being started. */
  #isPending = false;
  #stage: string | undefined;
  /** After a failed handover, no handover is tried before this time. */
  #aloneUntilMs = Number.NEGATIVE_INFINITY;

  constructor(parts: RestartParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
    this.#startedMs = this.#clock.monotonic();
    this.#before = parts.takesOver;
  }

  /** Starts serving the lever, and returns what is known about the end of the previous life. */
  start(): Resume | undefined {
    setRestart(this.restart);
    const log = readRestartLog(this.#parts.dir);
    const last = log.entries.at(-1);
    // A process that the program forks while it drains is not its next life.
    if (last?.phase === 'begun' && last.pid !== process.pid && isAlive(last.pid)) return undefined;
    const found = resumeFrom(log, process.pid, this.#clock.now());
    if (found !== undefined) {
      writeRestartLog(this.#parts.dir, found.log);
      this.#before ??= last?.pid;
    }
    this.#resume = found?.resume;
    return this.#resume;
  }

  /** The incident of the previous life when that life was restarted; null while it is not known yet. */
  get incidentBefore(): ContinuedIncident | null | undefined {
    if (this.#before === undefined) return undefined;
    return incidentOf(readRestartLog(this.#parts.dir), this.#before, this.#clock.now());
  }

  /** The end of the previous life; undefined when it was planned. */
  get resume(): Resume | undefined {
    return this.#resume;
  }

  /** The reason of the exit, once a drain has begun. */
  get exitReason(): string | undefined {
    if (this.#entry === undefined) return undefined;
    const { reason, parked, lost } = this.#entry;
    return `restart: ${reason}; ${parked} sessions parked, ${lost} lost`;
  }

  /** The stage of a restart in words; undefined when no restart was decided. */
  get stage(): string | undefined {
    return this.#stage;
  }

  /** The lever of the ladder. It answers at once and works in the background. */
  readonly restart: Restart = (request) => {
    if (this.#isOver) return { state: 'refused', why: 'governing has ended' };
    if (this.isUnderWay) return { state: 'draining' };
    const plan = planRestart(request, this.#facts());
    if (plan.verdict === 'refused') return { state: 'refused', why: plan.why };
    const { despite } = plan;
    const said =
      despite === undefined
        ? request
        : {
            ...request,
            reason: `${request.reason}; it was about to die, so it ended in order although ${despite}`,
          };
    const begin = (): void => {
      this.#cancelJitter = undefined;
      this.#isPending = true;
      const times = { drainMs: plan.drainMs, parkMs: plan.parkMs, exitInMs: plan.exitInMs - plan.drainInMs };
      void this.#begin(said, times, plan);
    };
    if (plan.drainInMs === 0) begin();
    else this.#cancelJitter = this.#clock.after(plan.drainInMs, begin);
    const exitAtMs = this.#clock.now() + plan.exitInMs;
    if (plan.drainInMs > 0) this.#stage = `restart at ${timeOf(this.#clock.now() + plan.drainInMs)}`;
    return { state: 'draining', exitAtMs, ...(despite !== undefined && { despite }) };
  };

  get isUnderWay(): boolean {
    return this.#entry !== undefined || this.#cancelJitter !== undefined || this.#isPending;
  }

  get endsInMs(): number | undefined {
    return this.#parts.endsInMs?.();
  }

  mayHandOver(request: Parameters<RestartState['mayHandOver']>[0]): boolean {
    return !this.#isOver && !this.isUnderWay && this.#hasNextLife && mayHandOver(request, this.#facts());
  }

  /** Cancels a restart that has not begun when its reason is over. */
  note(level: string): void {
    if (level !== 'normal' || this.#cancelJitter === undefined) return;
    this.#cancelJitter();
    this.#cancelJitter = undefined;
    this.#stage = undefined;
    this.#parts.record({ event: 'withdrawn', text: 'the level is normal again before the drain began' });
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#parts.successor?.stop();
    this.#cancelJitter?.();
    setRestart(undefined);
  }

  /** Lets the next life take over first where it can. A process that is about to die does not wait for it. */
  async #begin(
    request: RestartRequest,
    times: DrainTimes,
    { despite, isHandover, onlyHandedOver }: Extract<RestartPlan, { verdict: 'go' }>,
  ): Promise<void> {
    const { successor } = this.#parts;
    const parkedBefore = parkedOf(keepers());
    const mayHand = successor !== undefined && despite === undefined && request.overlapBytes !== 0;
    this.#stage = mayHand ? 'the next life is being started' : alone;
    const isHanded = mayHand && (await this.#handOver(request, successor));
    if (this.#isOver) return;
    if (!isHanded && onlyHandedOver !== undefined) {
      this.#isPending = false;
      this.#stage = undefined;
      this.#parts.record({
        event: 'withdrawn',
        text: `without a next life it does not end: ${onlyHandedOver}`,
      });
      return;
    }
    await this.#drain(request, times, parkedBefore, { isHanded, counts: isHandover === true });
  }

  /** True when the next life has taken over the ports. */
  async #handOver(
    { overlapBytes }: RestartRequest,
    successor: NonNullable<RestartParts['successor']>,
  ): Promise<boolean> {
    const { record } = this.#parts;
    try {
      const why = await successor.ready(overlapBytes ?? null);
      if (why === undefined) {
        await successor.handOver(keepers());
        this.#stage = 'the next life listens, and this one finishes its running work';
        record({ event: 'handover', text: this.#stage });
        return true;
      }
      this.#stage = `${alone}: ${why}`;
    } catch (error) {
      this.#stage = `${alone}: ${String(error)}`;
    }
    this.#aloneUntilMs = this.#clock.monotonic() + aloneForMs;
    record({ event: 'alone', text: this.#stage });
    return false;
  }

  async #drain(
    request: RestartRequest,
    { drainMs, parkMs, exitInMs: ownMs }: DrainTimes,
    parkedBefore: number,
    { isHanded, counts }: { readonly isHanded: boolean; readonly counts: boolean },
  ): Promise<void> {
    const now = this.#clock.now();
    const all = keepers();
    const { successor } = this.#parts;
    const exitInMs = ownMs + (isHanded ? drainMs : 0);
    const incident = this.#parts.incident?.();
    this.#note({
      at: now,
      pid: process.pid,
      phase: 'begun',
      reason: request.reason,
      exitBy: now + exitInMs,
      sessions: Math.max(this.#parts.openSessions(), entriesOf(all)),
      parked: 0,
      lost: 0,
      interrupted: 0,
      ...(isHanded && counts && { isHanded }),
      ...(incident !== undefined && { incident }),
    });
    this.#parts.record({ event: 'drain', text: request.reason, exitBy: now + exitInMs });
    // From here on every end of the program is a restart.
    process.exitCode = restartExitCode;
    if (!isHanded) admission().drain(request.reason);
    // Referenced: the hooks may close every socket, and an empty loop would end the process before its sessions are parked.
    const alive = setInterval(() => this.#progress(parkedOf(all) - parkedBefore), progressMs);
    const cancelEnd = this.#clock.after(exitInMs, () => this.#end());
    try {
      // The next life takes new work while the last connections of this one end, so nothing is refused.
      if (isHanded && (await successor?.connectionsEnded(all, drainMs)) === false)
        admission().drain(request.reason);
      const { inFlight, openSessions } = this.#parts;
      const parkedEarlier = parkedOf(all) - parkedBefore;
      const parts = { clock: this.#clock, hooks: drainHooks(), keepers: all, inFlight, openSessions };
      const result = await runDrain(parts, { reason: request.reason, drainMs, parkMs });
      this.#finish({ ...result, parked: result.parked + parkedEarlier });
    } catch (error) {
      warnOnce('PLM_RESTART_HOOK', { reason: String(error) });
    }
    clearInterval(alive);
    cancelEnd();
    this.#end();
  }

  #facts(): RestartFacts {
    const { random = Math.random, endsInMs } = this.#parts;
    return {
      now: this.#clock.now(),
      uptimeMs: this.#clock.monotonic() - this.#startedMs,
      ...restartTimes(readRestartLog(this.#parts.dir)),
      random: random(),
      endsInMs: endsInMs?.(),
      mayHandOver: this.#hasNextLife,
    };
  }

  /**
   * Whether a next life may be asked for. The ladder asks at every reading of an emergency, so this is checked before the log is read from
   * disk.
   */
  get #hasNextLife(): boolean {
    return this.#parts.successor?.isPossible === true && this.#clock.monotonic() >= this.#aloneUntilMs;
  }

  #progress(parked: number): void {
    if (this.#entry !== undefined && parked !== this.#entry.parked) this.#note({ ...this.#entry, parked });
  }

  #finish({ parked, lost, interrupted }: DrainResult): void {
    this.#note({ ...(this.#entry as RestartEntry), phase: 'parked', parked, lost, interrupted });
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.exit(restartExitCode);
  }

  #note(entry: RestartEntry): void {
    this.#entry = entry;
    writeRestartLog(this.#parts.dir, withEntry(readRestartLog(this.#parts.dir), entry));
  }
}

function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(11, 19)} UTC`;
}

function parkedOf(all: ReturnType<typeof keepers>): number {
  return sumOf(all, 'parked');
}

function entriesOf(all: ReturnType<typeof keepers>): number {
  return sumOf(
    all.filter(({ kind }) => kind === 'session-cache'),
    'entries',
  );
}

function sumOf(all: ReturnType<typeof keepers>, figure: string): number {
  let sum = 0;
  for (const keeper of all) {
    try {
      const value = (keeper.stats() as Readonly<Record<string, unknown>>)[figure];
      if (typeof value === 'number') sum += value;
    } catch {
      // A keeper that throws is not counted.
    }
  }
  return sum;
}
