import { randomBytes } from 'node:crypto';
import { failure, warnOnce } from '@plimsoll/core/internal/errors';
import type { Policy } from '../policy/policy.ts';
import { formatPercent } from '../policy/form/quantity.ts';
import type { Clock } from '@plimsoll/core/internal/sense/clock';
import { formatUsedOfLimit } from '@plimsoll/core/units';
import { formatDuration } from '@plimsoll/core/units';
import type { ActionOutcome, ActionRecord } from '../actions/action.ts';
import { ActionLog } from './action-log.ts';
import type { Step } from './steps.ts';
import type { Subject } from './subject.ts';

/** Least time between two reports of a rung with nothing to do. */
const skipEveryMs = 5 * 60_000;
const mostSkips = 128;

/** Makes the records of the ladder. */
export class Narrator {
  readonly log = new ActionLog();
  readonly #clock: Pick<Clock, 'now'>;
  readonly #run = randomBytes(3).toString('hex');
  readonly #skips = new Map<string, { readonly atMs: number; more: number }>();
  #lastId = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** The record of a rung that begins. With an id the rung continues after an approval. */
  recordOf(subject: Subject, step: Step, policy: Policy, id: string = this.#newId()): ActionRecord {
    return {
      id,
      action: step.rung.action,
      scope: subject.path,
      level: subject.level,
      outcome: 'running',
      mode: step.mode,
      text: '',
      releasedBytes: 0,
      freedBytes: null,
      rule: step.rule,
      change: subject.change,
      at: this.#clock.now(),
      policy: { revision: policy.revision, sha256: policy.sha256 },
    };
  }

  /** A record of one of the ladder's own steps. */
  tell(subject: Subject, policy: Policy, action: string, outcome: ActionOutcome, text: string): void {
    const { change } = subject;
    this.log.publish({
      id: this.#newId(),
      action,
      scope: subject.path,
      level: subject.level,
      outcome,
      mode: policy.mode,
      text,
      releasedBytes: 0,
      freedBytes: null,
      rule: `ladder.${subject.level} (${policy.file})`,
      change,
      at: this.#clock.now(),
      policy: { revision: policy.revision, sha256: policy.sha256 },
    });
  }

  /** Reports that most of the work was refused and the memory did not fall. */
  tellSelfDisable(subject: Subject, policy: Policy, shareRatio: number): void {
    const lasted = formatDuration(policy.guards.selfDisable.forMs);
    const text = `refused ${formatPercent(shareRatio)} of the work for ${lasted} and the pressure did not fall; refuses nothing until the level is normal or emergency, or the policy changes.`;
    this.tell(subject, policy, 'self-disable', 'done', text);
  }

  /** Reports that every rung had its turn and the emergency lasts. */
  tellStuck(subject: Subject, policy: Policy, hasExit: boolean): void {
    const { path, isProcess, standing } = subject;
    const exit = !isProcess
      ? 'a human has to look at it'
      : hasExit
        ? 'it could not be restarted, so a human has to end it'
        : 'the policy has no process.restart, so a human has to end it';
    const held = formatUsedOfLimit(standing.usedBytes, standing.limitBytes);
    const text = `every rung ran and ${path} still holds ${held}; ${exit}.`;
    this.tell(subject, policy, 'stuck', 'failed', text);
  }

  released(record: ActionRecord, text: string): void {
    const at = this.#clock.now();
    this.log.publish({
      ...record,
      id: this.#newId(),
      at,
      action: 'ladder.release',
      outcome: 'done',
      text,
    });
  }

  /** Reports why nothing was done. */
  skip(record: ActionRecord, text: string): void {
    this.log.publish({ ...record, outcome: 'skipped', text });
  }

  /**
   * Like `skip`, but the same sentence about the same action is reported once in five minutes for all scopes together, and only counted in
   * between. Otherwise a server with a thousand sessions over their budget would fill the list with one sentence.
   */
  skipQuietly(record: ActionRecord, text: string, nowMs: number): void {
    const key = `${record.action} ${text}`;
    const told = this.#skips.get(key);
    if (told !== undefined && nowMs - told.atMs < skipEveryMs) {
      told.more++;
      this.log.countSkip();
      return;
    }
    this.#skips.delete(key);
    this.#skips.set(key, { atMs: nowMs, more: 0 });
    if (this.#skips.size > mostSkips) this.#skips.delete(this.#skips.keys().next().value as string);
    const more =
      told === undefined || told.more === 0 ? '' : ` (${told.more} more times since the last report)`;
    this.skip(record, `${text}${more}`);
  }

  fail(record: ActionRecord, reason: string): void {
    const details = { action: record.action, scope: record.scope, reason };
    warnOnce('PLM_GOVERN_ACTION', details);
    this.log.publish({ ...record, outcome: 'failed', text: failure('PLM_GOVERN_ACTION', details).message });
  }

  #newId(): string {
    return `${this.#run}-${++this.#lastId}`;
  }
}
