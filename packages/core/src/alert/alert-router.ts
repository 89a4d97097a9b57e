import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { warnOnce } from '../errors.ts';
import type { ActionRecord } from '../govern/action.ts';
import type { LevelChange } from '../govern/level-change.ts';
import type { RollbackRecord } from '../govern/rollback/rollback-record.ts';
import type { AlertRules } from '../policy/sections/alert-rules.ts';
import { alertLevels } from '../policy/sections/alert-rules.ts';
import type { BookEntry } from './alert-book.ts';
import { AlertBook, alertOf } from './alert-book.ts';
import type { Alert, AlertClock, AlertLevel, AlertName, Labels, Notice } from './alert.ts';
import { alertClock } from './alert.ts';
import type { AlertFact, ApprovalFact, FindingFact, RaisedFact } from './event-alerts.ts';
import { factOfAction, factOfApproval, factOfFinding, factOfRaised, factOfStale } from './event-alerts.ts';
import { LevelAlerts } from './level-alerts.ts';
import { mutingOf } from './muting.ts';
import { Outbox } from './outbox.ts';
import type { RecipientCounts, Recipients } from './outbox.ts';
import type { BoardTurn, Suppression } from './recipient-board.ts';
import { RecipientBoard, groupOf } from './recipient-board.ts';
import type { Matcher, Silence } from './silence.ts';
import { SilenceList } from './silence.ts';

/** What became of alerts, for the ledger. */
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

export interface AlertRouterOptions {
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
}

/** What the router did since it began. */
export interface AlertCounts {
  readonly firing: number;
  readonly silenced: number;
  readonly inhibited: number;
  /** Alerts and scopes that found no room. */
  readonly refused: number;
  readonly recipients: Readonly<Record<string, RecipientCounts>>;
}

/** Ended alerts are kept for mirrors as long as those must be told of the end. */
const mirrorResolvedMs = 300_000;
const keepResolvedMs = 3_600_000;
const longestSleepMs = 60_000;
const gatherMs = 100;

/**
 * Turns what happens in the process into notices for people and agents: one alert per kind of scope and level, grouped, muted by
 * what is worse and by silences, repeated, and told when it ends. It only tells: nothing waits for it and it throws at nobody.
 */
export class AlertRouter implements Disposable {
  readonly #clock: AlertClock;
  readonly #service: string;
  readonly #pod: string;
  readonly #onEvent: (event: AlertEvent) => void;
  readonly #random: (() => number) | undefined;
  readonly #book: AlertBook;
  readonly #levels = new LevelAlerts();
  readonly #silences = new SilenceList();
  readonly #boards = new Map<string, RecipientBoard>();
  readonly #subscriptions: (readonly [string, (message: unknown) => void])[];
  #rules: AlertRules;
  #outbox: Outbox;
  #cancel: (() => void) | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  #silenced = 0;
  #inhibited = 0;
  #seenVersion = 0;
  #closed = false;

  constructor(options: AlertRouterOptions) {
    this.#clock = options.clock ?? alertClock;
    this.#service = options.service;
    this.#pod = options.pod;
    this.#random = options.random;
    this.#onEvent = options.onEvent ?? (() => undefined);
    this.#book = new AlertBook(Math.max(16, options.most ?? 256));
    this.#rules = options.rules;
    this.#outbox = this.#open(options.recipients);
    this.#subscriptions = [
      ['plimsoll:level', (message) => this.level(message as LevelChange)],
      ['plimsoll:action', (message) => this.action(message as ActionRecord)],
      ['plimsoll:finding', (message) => this.finding(message as FindingFact)],
      ['plimsoll:approval', (message) => this.approval(message as ApprovalFact)],
      ['plimsoll:rollback', (message) => this.rollback(message as RollbackRecord)],
    ];
  }

  /** Begins to listen to the diagnostics channels of the process. */
  start(): void {
    for (const [name, listener] of this.#subscriptions) subscribe(name, listener);
  }

  level(change: LevelChange): void {
    this.#guard(() => {
      const { kind, began, ended } = this.#levels.take(change);
      const now = this.#now();
      for (const level of began) {
        const labels = this.#labels('memory.level', level, kind, '');
        this.#book.fire(labels, () => this.#levels.describe(kind, level), now);
      }
      for (const level of ended) this.#book.resolve(this.#labels('memory.level', level, kind, ''), now);
    });
  }

  action(record: ActionRecord): void {
    this.#guard(() => {
      if (record.outcome === 'done' && record.action !== 'notify')
        this.#levels.note(record.scope, `${record.action}: ${record.text}`);
      const fact = factOfAction(record);
      if (fact !== undefined) this.#take(fact);
    });
  }

  finding(finding: FindingFact): void {
    this.#guard(() => {
      const fact = factOfFinding(finding);
      if (fact !== undefined) this.#take(fact);
    });
  }

  /** Takes each state of an approval: it alerts while it is open. */
  approval(row: ApprovalFact): void {
    this.#guard(() => this.#take(factOfApproval(row)));
  }

  /** A human who puts the file's policy in force again alerts nobody. */
  rollback(record: RollbackRecord): void {
    if (record.event === 'mode') return;
    this.raise({
      name: 'memory.rollback',
      level: 'emergency',
      subject: record.trigger,
      summary: record.text,
    });
  }

  /** Says how long no reading came; null when they come again. */
  stale(staleMs: number | null): void {
    this.#guard(() => this.#take(factOfStale(staleMs)));
  }

  /** Raises an alert about something that happened. */
  raise(fact: RaisedFact): void {
    this.#guard(() => this.#take(factOfRaised(fact)));
  }

  /** Mutes what matches for a time. Throws PLM_ALERT_BAD_SILENCE. */
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

  /** What fires now, gravest first. */
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
      refused: this.#book.refused + this.#levels.untracked,
      recipients: this.#outbox.counts,
    };
  }

  /** Puts other rules and recipients in force; what was told to a recipient of the same name stays known. */
  setRules(rules: AlertRules, recipients: Recipients): void {
    if (this.#closed) return;
    this.#outbox.close();
    this.#rules = rules;
    this.#outbox = this.#open(recipients);
    this.#changed();
  }

  /** Tells at once what waits, and resolves when it has arrived or after `ms`. For a process that is about to end. */
  async flush(ms: number): Promise<void> {
    this.#turn({ ...this.#rules, groupWaitMs: 0, urgentWaitMs: 0, groupIntervalMs: 0 });
    await this.#outbox.drained(ms);
  }

  /** Ends for good: what waits is counted as lost. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancel?.();
    for (const [name, listener] of this.#subscriptions) unsubscribe(name, listener);
    this.#outbox.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #open(recipients: Recipients): Outbox {
    for (const name of this.#boards.keys())
      if (!recipients.some((each) => each.rule.name === name)) this.#boards.delete(name);
    const outbox = new Outbox({
      recipients,
      clock: this.#clock,
      ...(this.#random === undefined ? {} : { random: this.#random }),
      alertsFor: (name) => this.#mirrored(name),
      onSettled: (notice, { arrived, attempts, reason }) => {
        this.#boards.get(notice.recipient)?.settled(notice, arrived);
        this.#tell({
          event: arrived ? 'sent' : 'lost',
          notice,
          attempts,
          ...(reason === undefined ? {} : { reason }),
        });
        if (!arrived && attempts > 0)
          warnOnce('PLM_ALERT_FAILED', { recipient: notice.recipient, attempts, reason: reason ?? '' });
        this.#changed();
      },
      onMirrorFailed: (recipient, reason) => {
        this.#tell({ event: 'mirror-failed', recipient, reason });
        warnOnce('PLM_ALERT_FAILED', { recipient, attempts: 1, reason });
      },
    });
    for (const name of outbox.queued)
      if (!this.#boards.has(name)) this.#boards.set(name, new RecipientBoard(name));
    return outbox;
  }

  #take(fact: AlertFact): void {
    const labels = this.#labels(fact.name, fact.level, fact.kind, fact.subject);
    const { details } = fact;
    if (details === undefined) this.#book.resolve(labels, this.#now());
    else this.#book.fire(labels, () => details, this.#now(), fact.options);
  }

  #labels(alertname: AlertName, level: AlertLevel, kind: string, subject: string): Labels {
    return { alertname, level, service: this.#service, pod: this.#pod, kind, subject };
  }

  /** What a mirror is told: what fires for it, and what ended lately. */
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
    this.#cancel?.();
    this.#dueMs = Number.POSITIVE_INFINITY;
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
    for (const [name, board] of this.#boards) if (!this.#outbox.isGone(name)) board.turn(entries, turn);
    for (const each of turn.suppressed) this.#suppress(each);
    for (const notice of turn.notices) this.#outbox.push(notice);
    const leftMs = this.#sweep(entries, now.ms);
    if (this.#book.size > 0) this.#arm(Math.min(longestSleepMs, leftMs, Math.max(1, turn.nextMs - now.ms)));
  }

  #arm(ms: number): void {
    const dueMs = this.#clock.monotonic() + ms;
    if (this.#closed || dueMs >= this.#dueMs) return;
    this.#cancel?.();
    this.#dueMs = dueMs;
    this.#cancel = this.#clock.after(ms, () => this.#guard(() => this.#turn(this.#rules)));
  }

  #suppress(each: Suppression): void {
    if (each.by === 'silence') this.#silenced++;
    else this.#inhibited++;
    this.#tell({ event: 'suppressed', ...each });
  }

  /** Lets go of ended alerts that nobody has to hear of any more; the time until the next may go. */
  #sweep(entries: readonly BookEntry[], nowMs: number): number {
    let leftMs = Number.POSITIVE_INFINITY;
    const atLeastMs = this.#outbox.hasMirrors ? mirrorResolvedMs : 0;
    for (const entry of entries) {
      const { fingerprint, firing, changedMs } = entry;
      if (firing) continue;
      const isAwaited = [...this.#boards.values()].some((board) => board.awaits(fingerprint));
      const goneMs = changedMs + (isAwaited ? keepResolvedMs : atLeastMs);
      if (goneMs > nowMs) leftMs = Math.min(leftMs, goneMs - nowMs);
      else {
        this.#book.forget(entry);
        for (const board of this.#boards.values()) board.forget(fingerprint);
      }
    }
    return leftMs;
  }

  /** Something began, ended, arrived or was muted. What comes in one tick of the governor is looked at together. */
  #changed(): void {
    if (this.#book.version !== this.#seenVersion) this.#outbox.changed();
    this.#seenVersion = this.#book.version;
    this.#arm(gatherMs);
  }

  /** Nothing that goes wrong in here reaches the program. */
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

/** Answers once per entry: several recipients ask the same in one turn. */
function memo<T>(compute: (entry: BookEntry) => T): (entry: BookEntry) => T {
  const known = new Map<BookEntry, T>();
  return (entry) => {
    if (!known.has(entry)) known.set(entry, compute(entry));
    return known.get(entry) as T;
  };
}
