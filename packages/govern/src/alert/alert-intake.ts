import type { ActionRecord } from '../actions/action.ts';
import type { LevelChange } from '../level/level-change.ts';
import type { RollbackRecord } from '../rollback/rollback-record.ts';
import type { AlertBook } from './alert-book.ts';
import type { AlertClock, AlertName, Labels } from './alert.ts';
import type { AlertLevel } from '../policy/sections/alert-rules.ts';
import type { AlertFact, ApprovalFact, FindingFact, RaisedFact } from './event-alerts.ts';
import {
  factOfAction,
  factOfApproval,
  factOfFinding,
  factOfTrouble,
  factOfRaised,
  factOfStale,
} from './event-alerts.ts';
import type { Trouble } from '../health/trouble.ts';
import { LevelAlerts } from './level-alerts.ts';

interface AlertIntakeOptions {
  readonly book: AlertBook;
  readonly clock: Pick<AlertClock, 'now' | 'monotonic'>;
  /** Labels of every alert. */
  readonly service: string;
  readonly pod: string;
}

/** Writes the events of the process into the book as alerts that begin and end. */
export class AlertIntake {
  readonly #options: AlertIntakeOptions;
  readonly #levels = new LevelAlerts();

  constructor(options: AlertIntakeOptions) {
    this.#options = options;
  }

  /** Scopes that found no room. */
  get untracked(): number {
    return this.#levels.untracked;
  }

  level(change: LevelChange): void {
    const { kind, began, ended } = this.#levels.take(change);
    const { book } = this.#options;
    const now = this.#now();
    for (const level of began) {
      const labels = this.#labels('memory.level', level, kind, '');
      book.fire(labels, () => this.#levels.describe(kind, level), now);
    }
    for (const level of ended) book.resolve(this.#labels('memory.level', level, kind, ''), now);
  }

  action(record: ActionRecord): void {
    if (record.outcome === 'done' && record.action !== 'notify')
      this.#levels.note(record.scope, `${record.action}: ${record.text}`);
    this.#take(factOfAction(record));
  }

  finding(finding: FindingFact): void {
    this.#take(factOfFinding(finding));
  }

  approval(row: ApprovalFact): void {
    this.#take(factOfApproval(row));
  }

  /** Takes a rollback. When a person puts the file's policy in force again, no alert is sent. */
  rollback(record: RollbackRecord): void {
    if (record.event === 'mode') return;
    const { trigger: subject, text: summary } = record;
    this.raise({ name: 'memory.rollback', level: 'emergency', subject, summary });
  }

  stale(staleMs: number | null): void {
    this.#take(factOfStale(staleMs));
  }

  trouble(trouble: Trouble): void {
    this.#take(factOfTrouble(trouble));
  }

  raise(fact: RaisedFact): void {
    this.#take(factOfRaised(fact));
  }

  #take(fact: AlertFact | undefined): void {
    if (fact === undefined) return;
    const { book } = this.#options;
    const labels = this.#labels(fact.name, fact.level, fact.kind, fact.subject);
    const { details } = fact;
    if (details === undefined) book.resolve(labels, this.#now());
    else book.fire(labels, () => details, this.#now(), fact.options);
  }

  #labels(alertname: AlertName, level: AlertLevel, kind: string, subject: string): Labels {
    const { service, pod } = this.#options;
    return { alertname, level, service, pod, kind, subject };
  }

  #now(): { readonly ms: number; readonly at: number } {
    const { clock } = this.#options;
    return { ms: clock.monotonic(), at: clock.now() };
  }
}
