import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { warnOnce } from '@plimsoll/core/internal/errors';
import type { ActionRecord } from '../actions/action.ts';
import type { LevelChange } from '../level/level-change.ts';
import type { RollbackRecord } from '../rollback/rollback-record.ts';
import type { Trouble } from '../health/trouble.ts';
import { troubleChannelName } from '../health/trouble.ts';
import type { AlertRules } from '../policy/sections/alert-rules.ts';
import { alertLevels } from '../policy/sections/alert-rules.ts';
import { Alarm } from '@plimsoll/core/internal/alarm';
import type { BookEntry } from './alert-book.ts';
import { AlertBook, alertOf } from './alert-book.ts';
import { AlertIntake } from './alert-intake.ts';
import type { Alert, AlertClock, Notice } from './alert.ts';
import { alertClock } from './alert.ts';
import type { ApprovalFact, FindingFact, RaisedFact } from './event-alerts.ts';
import { mutingOf } from './muting.ts';
import type { RecipientCounts, Recipients } from './outbox.ts';
import type { BoardTurn, Suppression } from './recipient-board.ts';
import { groupOf } from './recipient-board.ts';
import { RecipientList } from './recipient-list.ts';
import type { Matcher, Silence } from './silence.ts';
import { SilenceList } from './silence.ts';
import type { DeliveryOutcome } from './sinks/delivery-queue.ts';

/** Outcome of alerts, for the ledger. */
export type AlertEvent =
  | {
      readonly event: 'sent' | 'lost';
      readonly notice: Notice;
      readonly attempts: number;
      readonly reason?: string;
    }
  | ({ readonly event: 'suppressed' } & Suppression)
  | { readonly event: 'mirror-failed'; readonly recipient: string; readonly reason: string }
  | { readonly event: 'silenced' | 'unsilenced'; readonly silence: Silence; readonly by: string };

interface AlertRouterOptions {
  readonly rules: AlertRules;
  readonly recipients: Recipients;
  /** Labels of every alert. */
  readonly service: string;
  readonly pod: string;
  readonly clock?: AlertClock;
  /** 0 to 1, for the pauses between attempts. */
  readonly random?: () => number;
  readonly onEvent?: (event: AlertEvent) => void;
  /** Most alerts kept at once, 256 by default. */
  readonly most?: number;
  /** Called before the alert of a finding is sent. In a fleet only one process sends it. Without it every finding is sent. */
  readonly mayTell?: (fingerprint: string) => Promise<boolean>;
}

/** Counts of the router since its start. */
export interface AlertCounts {
  readonly firing: number;
  readonly silenced: number;
  readonly inhibited: number;
  /** Alerts and scopes that found no room. */
  readonly refused: number;
  readonly recipients: Readonly<Record<string, RecipientCounts>>;
}

/** Ended alerts are kept this long for mirrors, which have to learn of the end. */
const mirrorResolvedMs = 300_000;
const keepResolvedMs = 3_600_000;
const longestSleepMs = 60_000;
const gatherMs = 100;

/**
 * Turns events of the process into notices for people and agents. There is one alert per kind of scope and level. Alerts are grouped, muted
 * by graver alerts and by silences, repeated, and their end is sent. Nothing waits for the router, and it never throws.
 */
export class AlertRouter implements Disposable {
  readonly #clock: AlertClock;
  readonly #onEvent: (event: AlertEvent) => void;
  readonly #book: AlertBook;
  readonly #intake: AlertIntake;
  readonly #silences = new SilenceList();
  readonly #alarm: Alarm;
  readonly #recipients: RecipientList;
  readonly #subscriptions: (readonly [string, (message: unknown) => void])[];
  #rules: AlertRules;
  #silenced = 0;
  #inhibited = 0;
  #seenVersion = 0;
  #closed = false;
  readonly #mayTell: AlertRouterOptions['mayTell'];

  constructor(options: AlertRouterOptions) {
    this.#mayTell = options.mayTell;
    this.#clock = options.clock ?? alertClock;
    this.#onEvent = options.onEvent ?? (() => undefined);
    this.#book = new AlertBook(Math.max(16, options.most ?? 256));
    this.#rules = options.rules;
    this.#alarm = new Alarm(this.#clock, () => this.#guard(() => this.#turn(this.#rules)));
    const { service, pod, random } = options;
    this.#intake = new AlertIntake({ book: this.#book, clock: this.#clock, service, pod });
    this.#recipients = new RecipientList(options.recipients, {
      clock: this.#clock,
      ...(random === undefined ? {} : { random }),
      alertsFor: (name) => this.#mirrored(name),
      onSettled: (notice, outcome) => this.#settled(notice, outcome),
      onMirrorFailed: (recipient, reason) => {
        this.#tell({ event: 'mirror-failed', recipient, reason });
        warnOnce('PLM_ALERT_FAILED', { recipient, attempts: 1, reason });
      },
    });
    this.#subscriptions = [
      ['plimsoll:level', (message) => this.level(message as LevelChange)],
      ['plimsoll:action', (message) => this.action(message as ActionRecord)],
      ['plimsoll:finding', (message) => this.finding(message as FindingFact)],
      ['plimsoll:approval', (message) => this.approval(message as ApprovalFact)],
      ['plimsoll:rollback', (message) => this.rollback(message as RollbackRecord)],
      [troubleChannelName, (message) => this.trouble(message as Trouble)],
    ];
  }

  /** Starts listening to the diagnostics channels of the process. */
  start(): void {
    for (const [name, listener] of this.#subscriptions) subscribe(name, listener);
  }

  level(change: LevelChange): void {
    this.#guard(() => this.#intake.level(change));
  }

  action(record: ActionRecord): void {
    this.#guard(() => this.#intake.action(record));
  }

  /** Takes a finding. In a fleet only one process sends it. A withdrawn finding always ends its alert. */
  finding(finding: FindingFact): void {
    if (this.#mayTell === undefined || finding.endedAt !== undefined) {
      this.#guard(() => this.#intake.finding(finding));
      return;
    }
    void this.#mayTell(finding.fingerprint).then(
      (mayTell) => mayTell && this.#guard(() => this.#intake.finding(finding)),
      () => this.#guard(() => this.#intake.finding(finding)),
    );
  }

  /** Takes each state of an approval. An open approval is an alert. */
  approval(row: ApprovalFact): void {
    this.#guard(() => this.#intake.approval(row));
  }

  /** Takes a rollback. When a person puts the file's policy in force again, no alert is sent. */
  rollback(record: RollbackRecord): void {
    this.#guard(() => this.#intake.rollback(record));
  }

  /** Takes a trouble. Its alert fires until the trouble is withdrawn. */
  trouble(trouble: Trouble): void {
    this.#guard(() => this.#intake.trouble(trouble));
  }

  /** Takes the time without a reading; null when readings come again. */
  stale(staleMs: number | null): void {
    this.#guard(() => this.#intake.stale(staleMs));
  }

  /** Raises an alert about a single event. */
  raise(fact: RaisedFact): void {
    this.#guard(() => this.#intake.raise(fact));
  }

  /** Mutes matching alerts for a time. Throws PLM_ALERT_BAD_SILENCE. */
  silence(given: {
    readonly matchers: readonly Matcher[];
    readonly author: string;
    readonly comment?: string;
    readonly forMs: number;
  }): Silence {
    const silence = this.#silences.add(given, this.#now());
    this.#tell({ event: 'silenced', silence, by: silence.author });
    this.#changed();
    return silence;
  }

  /** Takes a silence of an earlier life of the process for the rest of its time. */
  restore(silence: Silence): void {
    this.#silences.restore(silence, this.#now());
  }

  /** Ends a silence before its time; false when there is none of this id. */
  unsilence(id: string, by: string): boolean {
    const silence = this.silences().find((each) => each.id === id);
    if (silence === undefined || !this.#silences.remove(id)) return false;
    this.#tell({ event: 'unsilenced', silence, by });
    this.#changed();
    return true;
  }

  silences(): readonly Silence[] {
    return this.#silences.list(this.#clock.monotonic());
  }

  /** Alerts that fire now, gravest first. */
  alerts(): readonly Alert[] {
    return [...this.#book.entries()]
      .filter((entry) => entry.firing)
      .sort((a, b) => alertLevels.indexOf(b.labels.level) - alertLevels.indexOf(a.labels.level))
      .map(alertOf);
  }

  get counts(): AlertCounts {
    return {
      firing: [...this.#book.entries()].filter((entry) => entry.firing).length,
      silenced: this.#silenced,
      inhibited: this.#inhibited,
      refused: this.#book.refused + this.#intake.untracked,
      recipients: this.#recipients.counts,
    };
  }

  /** Puts other rules and recipients in force. A recipient with the same name keeps its history. */
  setRules(rules: AlertRules, recipients: Recipients): void {
    if (this.#closed) return;
    this.#rules = rules;
    this.#recipients.replace(recipients);
    this.#changed();
  }

  /** Sends all waiting notices at once and resolves when they have arrived or after `ms`. It is for a process that is about to end. */
  async flush(ms: number): Promise<void> {
    this.#turn({ ...this.#rules, groupWaitMs: 0, urgentWaitMs: 0, groupIntervalMs: 0 });
    await this.#recipients.drained(ms);
  }

  /** Ends for good. Notices that still wait are counted as lost. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#alarm.stop();
    for (const [name, listener] of this.#subscriptions) unsubscribe(name, listener);
    this.#recipients.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #settled(notice: Notice, { arrived, attempts, reason }: DeliveryOutcome): void {
    this.#tell({
      event: arrived ? 'sent' : 'lost',
      notice,
      attempts,
      ...(reason === undefined ? {} : { reason }),
    });
    if (!arrived && attempts > 0)
      warnOnce('PLM_ALERT_FAILED', { recipient: notice.recipient, attempts, reason: reason ?? '' });
    this.#changed();
  }

  /** The alerts for a mirror: those that fire and those that ended recently. */
  #mirrored(name: string): readonly Alert[] {
    const nowMs = this.#clock.monotonic();
    return [...this.#book.entries()]
      .filter(
        ({ labels, firing, changedMs }) =>
          this.#rules.routes[labels.level].includes(name) && (firing || nowMs - changedMs < mirrorResolvedMs),
      )
      .filter(({ labels }) => this.#silences.find(labels) === undefined)
      .map(alertOf);
  }

  #turn(rules: AlertRules): void {
    if (this.#closed) return;
    this.#alarm.clear();
    const now = this.#now();
    this.#book.expire(now);
    this.#silences.expire(now.ms);
    const entries = [...this.#book.entries()];
    const turn: BoardTurn = {
      nowMs: now.ms,
      at: now.at,
      rules,
      mutedBy: mutingOf(entries, rules.inhibit, this.#silences),
      groupOf: memo((entry: BookEntry) => groupOf(entry, rules.groupBy)),
      alertOf: memo(alertOf),
      notices: [],
      suppressed: [],
      nextMs: Math.min(this.#silences.nextEndMs, ...entries.map(({ untilMs }) => untilMs)),
    };
    this.#recipients.turn(entries, turn);
    for (const each of turn.suppressed) this.#suppress(each);
    const leftMs = this.#sweep(entries, now.ms);
    if (this.#book.size > 0)
      this.#alarm.within(Math.min(longestSleepMs, leftMs, Math.max(1, turn.nextMs - now.ms)));
  }

  #suppress(each: Suppression): void {
    if (each.by === 'silence') this.#silenced++;
    else this.#inhibited++;
    this.#tell({ event: 'suppressed', ...each });
  }

  /** Removes ended alerts that no recipient waits for. Returns the time until the next removal. */
  #sweep(entries: readonly BookEntry[], nowMs: number): number {
    let leftMs = Number.POSITIVE_INFINITY;
    const atLeastMs = this.#recipients.hasMirrors ? mirrorResolvedMs : 0;
    for (const entry of entries) {
      const { fingerprint, firing, changedMs } = entry;
      if (firing) continue;
      const goneMs = changedMs + (this.#recipients.awaits(fingerprint) ? keepResolvedMs : atLeastMs);
      if (goneMs > nowMs) leftMs = Math.min(leftMs, goneMs - nowMs);
      else {
        this.#book.forget(entry);
        this.#recipients.forget(fingerprint);
      }
    }
    return leftMs;
  }

  /** Called when an alert begins, ends, arrives or is muted. All changes within one tick of the governor are handled together. */
  #changed(): void {
    if (this.#book.version !== this.#seenVersion) this.#recipients.changed();
    this.#seenVersion = this.#book.version;
    this.#alarm.within(gatherMs);
  }

  /** Runs a step so that its errors do not reach the program. */
  #guard(work: () => void): void {
    if (this.#closed) return;
    try {
      work();
      if (this.#book.version !== this.#seenVersion) this.#changed();
    } catch (error) {
      warnOnce('PLM_ALERT_LISTENER', { reason: String(error).slice(0, 200) });
    }
  }

  #tell(event: AlertEvent): void {
    try {
      this.#onEvent(event);
    } catch (error) {
      warnOnce('PLM_ALERT_LISTENER', { reason: String(error).slice(0, 200) });
    }
  }

  #now(): { readonly ms: number; readonly at: number } {
    return { ms: this.#clock.monotonic(), at: this.#clock.now() };
  }
}

/** Caches a result per entry, because several recipients need the same in one turn. */
function memo<T>(compute: (entry: BookEntry) => T): (entry: BookEntry) => T {
  const known = new Map<BookEntry, T>();
  return (entry) => {
    if (!known.has(entry)) known.set(entry, compute(entry));
    return known.get(entry) as T;
  };
}
