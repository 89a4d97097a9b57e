import type { ActionRecord } from '../actions/action.ts';
import { isCleanup, natureOf } from '../policy/actions.ts';
import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import type { Forecast } from '@plimsoll/leak/internal/judge/forecast';
import { levels } from '@plimsoll/core/internal/level';
import type { Level, Mode } from '@plimsoll/core/internal/level';
import { formatByteSize, formatUsedOfLimit } from '@plimsoll/core/units';
import { headlineOf } from './headline.ts';
import { hasSign, isGrave } from './sign.ts';
import type { ContinuedIncident, Incident, IncidentEvent, IncidentOutcome } from './incident.ts';
import { TimeLine } from './time-line.ts';

/** Input of the book, once per reading. */
export interface IncidentFacts {
  /** Wall time, ms. */
  readonly at: number;
  /** Monotonic ms. */
  readonly nowMs: number;
  readonly level: Level;
  readonly mode: Mode;
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** Gravest first. */
  readonly findings: readonly Finding[];
  readonly forecast: Forecast | null;
  /** State of admission, and the number of refusals since the start. */
  readonly admission: { readonly state: string; readonly refused: number };
  /** Ids of the approvals that wait for a person. */
  readonly waiting: readonly string[];
  /** The stage of a restart in words; undefined when no restart was decided. */
  readonly restart: string | undefined;
}

interface IncidentBookOptions {
  /** Called when an incident opens, ends or changes in more than its numbers. */
  readonly onChange?: (incident: Incident) => void;
  /** The incident in which the previous life was restarted. It continues, with a sign or without. */
  readonly continued?: ContinuedIncident | undefined;
}

/** An incident is over after this time without a sign. A flapping level is then one incident. */
const calmMs = 60_000;

/**
 * The incidents of a process, one at a time. The first sign opens one: a finding of severity medium or above, a raised level, or refused
 * work. It ends after a minute without a sign, or with the process. After a restart the next life continues it.
 */
export class IncidentBook {
  readonly #onChange: (incident: Incident) => void;
  #open: Story | undefined;
  #last: Incident | null = null;
  #continued: ContinuedIncident | undefined;
  #number = 0;

  constructor({ onChange = () => undefined, continued }: IncidentBookOptions = {}) {
    this.#onChange = onChange;
    this.#continued = continued;
  }

  /** The incident that the next life continues; undefined when none lasts. */
  get continued(): ContinuedIncident | undefined {
    return this.#open?.continued;
  }

  /** The incident that lasts, else the newest one; null when there was none. */
  get newest(): Incident | null {
    return this.#open?.incident ?? this.#last;
  }

  take(facts: IncidentFacts): void {
    const signs = hasSign(facts);
    if (this.#open === undefined) {
      if (!signs && this.#continued === undefined) return;
      this.#number++;
      this.#open = new Story(this.#number, facts, this.#continued);
      this.#continued = undefined;
    }
    const story = this.#open;
    const isNews = story.take(facts, signs);
    if (story.calmForMs >= calmMs) this.#end(story.calmOutcome, facts.at);
    else if (isNews) this.#onChange(story.incident);
  }

  /** Takes a record of the channel `plimsoll:action`. */
  action(record: ActionRecord): void {
    this.#open?.action(record);
  }

  /** Takes the end of the process. */
  exit(at: number, isRestart: boolean): void {
    if (this.#open !== undefined) this.#end(isRestart ? 'restarted' : 'exited', at);
  }

  #end(outcome: IncidentOutcome, at: number): void {
    if (this.#open === undefined) return;
    this.#last = this.#open.end(outcome, at);
    this.#open = undefined;
    this.#onChange(this.#last);
  }
}

/**
 * The finding that explains most: one that names its holder. Otherwise among the gravest ones a closed scope itself comes before the
 * objects that it owned.
 */
function explaining(grave: readonly Finding[]): Finding | undefined {
  const [first] = grave;
  const held = grave.find(({ trace }) => trace !== undefined);
  if (held !== undefined) return held;
  return (
    grave.find(
      ({ severity, subject }) => severity === first?.severity && subject?.startsWith('the closed'),
    ) ?? first
  );
}

/** One incident while it lasts. */
class Story {
  readonly #id: string;
  readonly #openedAt: number;
  readonly #refusedBefore: number;
  readonly #line = new TimeLine();
  readonly #told = new Map<string, string>();
  readonly #waiting = new Set<string>();
  readonly #restarts: number;
  #facts: IncidentFacts;
  #finding: Finding | undefined;
  #level: Level = 'normal';
  #seenLevel: Level = 'normal';
  #seenAdmission = 'open';
  #seenRestart: string | undefined;
  #peakUsedBytes = 0;
  #freedBytes = 0;
  #acted: string | undefined;
  #calmSinceMs = Number.NaN;
  #key = '';
  #revision = 0;
  #incident: Incident | undefined;

  constructor(number: number, facts: IncidentFacts, before: ContinuedIncident | undefined) {
    this.#facts = facts;
    this.#openedAt = before?.openedAt ?? facts.at;
    this.#id = before?.id ?? `I-${Math.floor(facts.at / 1000).toString(36)}-${number}`;
    this.#refusedBefore = facts.admission.refused - (before?.refused ?? 0);
    this.#restarts = before?.restarts ?? 0;
    if (before === undefined) return;
    this.#level = before.level;
    this.#revision = before.revision;
    this.#freedBytes = before.freedBytes;
    this.#peakUsedBytes = before.peakUsedBytes;
    const text = `the next life goes on, restart ${before.restarts} since the first sign`;
    this.#line.add({ kind: 'restart', key: 'next life', at: facts.at, text });
  }

  get continued(): ContinuedIncident {
    const { id, revision, level, openedAt, refused, freedBytes, peakUsedBytes } = this.incident;
    const restarts = this.#restarts + 1;
    return { id, revision, level, openedAt, refused, freedBytes, peakUsedBytes, restarts };
  }

  /** The incident at the last reading. Its texts are made on demand, not at every reading. */
  get incident(): Incident {
    return (this.#incident ??= this.#compose(null, null));
  }

  get calmForMs(): number {
    return Number.isNaN(this.#calmSinceMs) ? 0 : this.#facts.nowMs - this.#calmSinceMs;
  }

  /**
   * The outcome after the calm time: relieved when a raised level fell, also by a restart. When all its findings were withdrawn, the
   * incident is withdrawn.
   */
  get calmOutcome(): IncidentOutcome {
    return this.#level === 'normal' && this.#restarts === 0 ? 'taken back' : 'relieved';
  }

  /** Takes a reading; true when more than numbers changed. */
  take(facts: IncidentFacts, isSign: boolean): boolean {
    this.#facts = facts;
    this.#incident = undefined;
    if (isSign) this.#calmSinceMs = Number.NaN;
    else if (Number.isNaN(this.#calmSinceMs)) this.#calmSinceMs = facts.nowMs;
    this.#peakUsedBytes = Math.max(this.#peakUsedBytes, facts.usedBytes);
    const grave = facts.findings.filter(isGrave);
    this.#finding = explaining(grave) ?? this.#finding;
    for (const finding of grave) this.#tellFinding(finding, facts);
    this.#tellLevel(facts);
    this.#tellAdmission(facts);
    this.#tellApprovals(facts);
    this.#tellRestart(facts);
    return this.#isNews();
  }

  action(record: ActionRecord): void {
    const { action, outcome, text, freedBytes, at } = record;
    if (!finalOutcomes.has(outcome) || natureOf(action) === 'tells') return;
    const freed = freedBytes === null ? null : Math.max(0, freedBytes);
    this.#freedBytes += freed ?? 0;
    // A restart frees memory by ending the process, and is reported separately.
    if (outcome === 'done' && isCleanup(action) && action !== 'process.restart') this.#acted = action;
    const key = `action ${action} ${outcome}`;
    const failed = outcome === 'failed' ? ' failed' : '';
    this.#line.add({ kind: 'action', key, at, text: `${action}${failed}: ${text}`, freedBytes: freed });
  }

  end(outcome: IncidentOutcome, at: number): Incident {
    this.#line.add({ kind: 'end', key: 'end', at, text: this.#endText(outcome) });
    this.#revision++;
    return this.#compose(outcome, at);
  }

  #tellFinding(finding: Finding, { at }: IncidentFacts): void {
    const { fingerprint, severity, holder, kind, scope, bytes, subject } = finding;
    const state = `${severity} ${holder ?? ''}`;
    if (this.#told.get(fingerprint) === state) return;
    if (this.#told.size >= mostTold) this.#told.clear();
    this.#told.set(fingerprint, state);
    const what = subject ?? (kind === 'growth' ? 'growing memory' : kind);
    const by = holder === undefined ? '' : `, held by ${holder}`;
    const size = bytes > 0 ? `, ${formatByteSize(bytes)}` : '';
    const text = `${severity} finding: ${what} in ${scope}${size}${by}`;
    this.#line.add({ kind: 'growth', key: fingerprint, at, text });
  }

  #tellLevel({ level, at, usedBytes, limitBytes }: IncidentFacts): void {
    if (level === this.#seenLevel) return;
    const rose = levels.indexOf(level) > levels.indexOf(this.#seenLevel);
    this.#seenLevel = level;
    if (levels.indexOf(level) > levels.indexOf(this.#level)) this.#level = level;
    const text = `level ${rose ? 'rises' : 'falls'} to ${level} at ${formatUsedOfLimit(usedBytes, limitBytes)}`;
    this.#line.add({ kind: 'level', key: `level ${level} ${rose}`, at, text });
  }

  #tellAdmission({ admission: { state, refused }, at }: IncidentFacts): void {
    if (state === this.#seenAdmission) return;
    this.#seenAdmission = state;
    const sofar = `${refused - this.#refusedBefore} refused so far`;
    const text = state === 'open' ? `work is let in again, ${sofar}` : `new work meets: ${state}, ${sofar}`;
    this.#line.add({ kind: 'refusal', key: `admission ${state}`, at, text });
  }

  #tellApprovals({ waiting, at }: IncidentFacts): void {
    for (const id of waiting) {
      if (this.#waiting.has(id)) continue;
      if (this.#waiting.size < mostApprovals) this.#waiting.add(id);
      this.#line.add({ kind: 'approval', key: 'approval', at, text: `approval ${id} waits for an answer` });
    }
  }

  #tellRestart({ restart, at }: IncidentFacts): void {
    if (restart === this.#seenRestart) return;
    this.#seenRestart = restart;
    const text = restart ?? 'the restart was taken back';
    this.#line.add({ kind: 'restart', key: `restart ${text}`, at, text });
  }

  #isNews(): boolean {
    const { level, admission, waiting, restart } = this.#facts;
    const { fingerprint, holder, severity } = this.#finding ?? {};
    const told = [
      fingerprint,
      holder,
      severity,
      level,
      admission.state,
      this.#acted,
      waiting.length,
      restart,
    ];
    const key = told.join();
    if (key === this.#key) return false;
    this.#key = key;
    this.#revision++;
    return true;
  }

  #compose(outcome: IncidentOutcome | null, endedAt: number | null): Incident {
    const { findings, admission, waiting } = this.#facts;
    const refused = admission.refused - this.#refusedBefore;
    const events: readonly IncidentEvent[] = this.#line.events;
    return {
      id: this.#id,
      revision: this.#revision,
      headline: headlineOf({
        ...this.#facts,
        finding: this.#finding,
        admission: admission.state,
        refused,
        acted: this.#acted,
        freedBytes: this.#freedBytes,
        waiting: waiting.length,
        restarts: this.#restarts,
      }),
      level: this.#level,
      openedAt: this.#openedAt,
      endedAt,
      outcome,
      events,
      eventsLeftOut: this.#line.leftOut,
      findings: findings
        .filter(isGrave)
        .map(({ fingerprint }) => fingerprint)
        .slice(0, mostFindings),
      refused,
      freedBytes: this.#freedBytes,
      peakUsedBytes: this.#peakUsedBytes,
      fix: this.#finding?.fix ?? null,
    };
  }

  #endText(outcome: IncidentOutcome): string {
    const { usedBytes, limitBytes } = this.#facts;
    const used = `${formatUsedOfLimit(usedBytes, limitBytes)} used, at most ${formatByteSize(this.#peakUsedBytes)}`;
    if (outcome === 'relieved') return `relieved: ${used}`;
    if (outcome === 'taken back') return `taken back: the growth is over, ${used}`;
    return outcome === 'restarted'
      ? `the process ends to be restarted: ${used}`
      : `the process ends while it lasts: ${used}`;
  }
}

/** Outcomes that are events. A running action is no event yet, and a skipped one changed nothing. */
const finalOutcomes: ReadonlySet<string> = new Set(['done', 'would-have', 'failed']);
const mostTold = 1000;
const mostApprovals = 200;
const mostFindings = 10;
