import type { Successor } from '../../handover/successor.ts';
import { roster } from '@plimsoll/core/internal/scope/index';
import type { Scope } from '@plimsoll/core';
import type { RestartState } from '@plimsoll/govern/internal/actions/levers';
import type { Governor } from '@plimsoll/govern/internal/level/governor';
import type { Restart } from '@plimsoll/core/internal/gate/drain-hooks';
import type { ContinuedIncident } from '@plimsoll/govern/internal/incident/incident';
import type { Resume } from '@plimsoll/govern/internal/restart/restart-log';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import { AdmissionFeed, openOf, workInFlight } from './admission-feed.ts';
import type { History } from '../history/history.ts';
import type { Part } from '../part.ts';
import { HostRestart } from './restart.ts';

interface EntranceParts {
  readonly dir: string;
  /** The next life, where the supervisor may start it beside this one. */
  readonly successor?: Successor | undefined;
  /** Process id of the life before this one, where this one takes over from it. */
  readonly takesOver?: number | undefined;
  /** The incident that lasts, which the next life continues. */
  readonly incident?: () => ContinuedIncident | undefined;
  readonly governor: Governor;
  /** Open scopes at the last reading. They are walked at every reading while something is refused. */
  readonly scopes: () => Iterable<Pick<Scope, 'kind' | 'leases'>>;
  readonly history: Pick<History, 'note'>;
  /** Ms until V8 or the kernel ends the process; undefined when that is not in sight. */
  readonly endsInMs?: () => number | undefined;
  /** Called with the end of the previous life when it was not planned. */
  readonly onResume?: (resume: Resume) => void;
  /** Prints the report about the end of the previous life. */
  readonly say?: (line: string) => void;
  /** Ends the process. */
  readonly exit?: (code: number) => void;
}

/** Work enters and leaves a governed process here: shed points, which the readings feed, drain and restart. */
export class Entrance implements Part {
  readonly #parts: EntranceParts;
  readonly #admission: AdmissionFeed;
  readonly #restart: HostRestart;

  constructor(parts: EntranceParts) {
    this.#parts = parts;
    const { governor, history, dir } = parts;
    this.#admission = new AdmissionFeed({
      governor,
      scopes: parts.scopes,
      record: (body) => history.note('admission', body),
    });
    this.#restart = new HostRestart({
      dir,
      inFlight: () => workInFlight(roster.records()),
      openSessions: () => openOf('session', roster.records()),
      exit: parts.exit ?? ((code) => process.exit(code)),
      record: (body) => history.note('restart', body),
      successor: parts.successor,
      takesOver: parts.takesOver,
      incident: parts.incident,
      ...(parts.endsInMs !== undefined && { endsInMs: parts.endsInMs }),
    });
  }

  /** Starts, and reports the end of the previous life when it was not planned. */
  start(): void {
    const resume = this.#restart.start();
    if (resume === undefined) return;
    const { text, phase, reason, parked, lost, interrupted } = resume;
    this.#parts.history.note('resume', { text, phase, reason, parked, lost, interrupted });
    const { say = (line: string) => void process.stderr.write(line) } = this.#parts;
    say(`plimsoll: ${text}\n`);
    this.#parts.onResume?.(resume);
  }

  /** Takes a reading, after the governor has. */
  take(reading: Reading): void {
    this.#admission.take(reading);
    this.#restart.note(this.#parts.governor.level);
  }

  /** The lever of the ladder. */
  get restart(): Restart {
    return this.#restart.restart;
  }

  get restartState(): RestartState {
    return this.#restart;
  }

  get resume(): Resume | undefined {
    return this.#restart.resume;
  }

  /** The incident of the previous life when that life was restarted; null while it is not known yet. */
  get incidentBefore(): ContinuedIncident | null | undefined {
    return this.#restart.incidentBefore;
  }

  /** The reason of the exit, when it is a restart. */
  get exitReason(): string | undefined {
    return this.#restart.exitReason;
  }

  /** The stage of a restart in words; undefined when no restart was decided. */
  get restartStage(): string | undefined {
    return this.#restart.stage;
  }

  stop(): void {
    this.#restart[Symbol.dispose]();
    this.#admission[Symbol.dispose]();
  }
}
