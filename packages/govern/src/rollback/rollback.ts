import { channel } from 'node:diagnostics_channel';
import { failure, warnOnce } from '@plimsoll/core/internal/errors';
import type { catalogue } from '@plimsoll/core/internal/errors';
import type { Policy, Rung } from '../policy/policy.ts';
import type { Mode, RaisedLevel } from '@plimsoll/core/internal/level';
import type { Clock } from '@plimsoll/core/internal/sense/clock';
import { systemClock } from '@plimsoll/core/internal/sense/clock';
import { PolicyShelf } from './policy-shelf.ts';
import type { GivenUp } from './policy-shelf.ts';
import type { RollbackRecord, PolicyMark } from './rollback-record.ts';
import { rollbackChannelName } from './rollback-record.ts';
import type { RollbackSignals, Trip } from './rollback-signals.ts';
import { RollbackWatch } from './rollback-watch.ts';
import { UsualMeter } from './usual.ts';
import type { Usual } from './usual.ts';
import { raisedLevels } from '@plimsoll/core/internal/level';

type GivenUpDetails = Parameters<typeof catalogue.PLM_ROLLBACK_GIVEN_UP.text>[0];

const rollbackChannel = channel(rollbackChannelName);

interface RollbackOptions {
  readonly shelf?: PolicyShelf;
  readonly clock?: Pick<Clock, 'now' | 'monotonic'>;
  /** Puts a policy in force. */
  readonly apply: (policy: Policy) => void;
  /** Called after each rollback, for the ledger. Its errors are caught. */
  readonly onRollback?: (record: RollbackRecord) => void;
}

/** The state of rollback. */
export interface RollbackState {
  /** True while a policy is given up, until its author writes another one or a person puts it in force again. */
  readonly isLatched: boolean;
  readonly last: RollbackRecord | null;
  /** One sentence about the policy that was given up: which, when, why, and how to put it in force again. Null when none was given up. */
  readonly givenUp: string | null;
  /** Revisions that can be named, newest first. */
  readonly good: readonly { readonly revision: number; readonly sha256: string; readonly keptAt: number }[];
}

/**
 * Watches the effect of a policy on its process, and gives the policy up when it does harm. It then uses the last policy that was enforced
 * without harm, or mode shadow, at most once per cooldown. A policy stays given up, also over restarts, until the file has another text or
 * a person decides.
 */
export class Rollback {
  readonly #shelf: PolicyShelf;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #options: RollbackOptions;
  readonly #startMs: number;
  /** The policy of the file. */
  #written: { readonly policy: Policy; readonly text: string | undefined };
  /** The policy in force. After a rollback it differs from the file. */
  #inForce: Policy;
  #watch: RollbackWatch | undefined;
  #meter: UsualMeter;
  /** The usual values with which a new policy is compared. */
  #usual: Usual | undefined;
  #enforcedMs = Number.NaN;
  #isKept = false;
  #isLatched = false;
  #rolledMs = Number.NEGATIVE_INFINITY;
  #last: RollbackRecord | null = null;

  /** `text` is the source of the policy. Without it the policy cannot be kept as good. */
  constructor(policy: Policy, text: string | undefined, options: RollbackOptions) {
    this.#options = options;
    this.#shelf = options.shelf ?? new PolicyShelf();
    this.#clock = options.clock ?? systemClock;
    this.#startMs = this.#clock.monotonic();
    this.#written = { policy, text };
    this.#inForce = policy;
    this.#meter = new UsualMeter(policy.rollback.loopDelayMs);
    // The usual values of an earlier process, so that a policy that was deployed by a restart is compared, too.
    this.#usual = this.#shelf.lastGoodBut(policy.sha256)?.usual;
    this.#begin(policy);
    this.#resume();
  }

  /** The policy that should be in force. */
  get policy(): Policy {
    return this.#inForce;
  }

  /** One sentence about the policy that was given up; null when none was. */
  get givenUp(): string | null {
    const found = this.#isLatched ? this.#shelf.givenUp : null;
    if (found === null) return null;
    const { message, fix } = failure('PLM_ROLLBACK_GIVEN_UP', this.#givenUpDetails(found));
    return `${message} To take it back: ${fix}`;
  }

  get state(): RollbackState {
    const good = this.#shelf.good.map(({ revision, sha256, keptAt }) => ({ revision, sha256, keptAt }));
    return { isLatched: this.#isLatched, last: this.#last, givenUp: this.givenUp, good };
  }

  /** Takes another text of the file. A person wrote it, so no policy counts as given up any more. */
  swapped(policy: Policy, text: string | undefined): void {
    // It is compared with the measurements until now. If they cover too little time, the earlier ones stay.
    this.#usual = this.#meter.usual ?? this.#usual;
    this.#written = { policy, text };
    this.#unlatch();
    this.#put(policy);
  }

  /** Takes a reading's signals. When a trigger fires, the other policy is in force when this returns. Never throws. */
  take(signals: RollbackSignals): RollbackRecord | undefined {
    this.#meter.take(signals);
    if (this.#watch === undefined) return undefined;
    const trip = this.#watch.take(signals);
    const { goodAfterMs, cooldownMs, to } = this.#inForce.rollback;
    if (trip === undefined) {
      if (!this.#isKept && signals.nowMs - this.#enforcedMs >= goodAfterMs) this.#keep();
      return undefined;
    }
    if (to === 'never' || signals.nowMs - this.#rolledMs < cooldownMs) return undefined;
    // Giving the policy up would release the rungs that still bound the memory. The planned restart comes first.
    if (signals.level === 'emergency' && !signals.isOwnLimit) return undefined;
    return this.#giveUp(trip, to);
  }

  /** Rolls back because a person asked for it. Throws PLM_ROLLBACK_UNKNOWN when there is no such policy. */
  byHand(request: {
    readonly to: 'last-good' | 'shadow' | number;
    readonly by: string;
    readonly reason: string;
  }): RollbackRecord {
    const { to, by, reason } = request;
    const target = this.#target(to);
    if (target === this.#written.policy) this.#unlatch();
    else this.#latch('manual', `${by} rolled it back: ${reason}.`, target);
    const text = `${by} rolled the policy back: ${reason}`;
    return this.#roll(target, { event: 'rollback', trigger: 'manual', text, evidence: {}, by, reason });
  }

  /** Puts the policy of the file in force in the given mode, by default in the mode of the file. */
  setMode(request: { readonly mode?: Mode; readonly by: string; readonly reason: string }): RollbackRecord {
    const { mode, by, reason } = request;
    const { policy } = this.#written;
    this.#unlatch();
    const next = mode === undefined || mode === policy.mode ? policy : inMode(policy, mode);
    const text = `${by} put revision ${policy.revision} in force in mode ${next.mode}: ${reason}`;
    return this.#roll(next, { event: 'mode', trigger: 'manual', text, evidence: {}, by, reason });
  }

  #begin(policy: Policy): void {
    this.#meter = new UsualMeter(policy.rollback.loopDelayMs);
    this.#enforcedMs = this.#clock.monotonic();
    this.#isKept = policy.sha256 !== this.#written.policy.sha256 || policy.mode !== this.#written.policy.mode;
    this.#watch = isEnforcing(policy)
      ? new RollbackWatch({ rules: policy.rollback, usual: this.#usual, startMs: this.#startMs })
      : undefined;
  }

  #put(policy: Policy): void {
    this.#inForce = policy;
    this.#begin(policy);
    try {
      this.#options.apply(policy);
    } catch (error) {
      warnOnce('PLM_ROLLBACK_APPLY', { revision: policy.revision, reason: String(error) });
    }
  }

  /** Keeps a policy given up after a restart. */
  #resume(): void {
    const givenUp = this.#shelf.givenUp;
    if (givenUp === null) return;
    if (givenUp.sha256 !== this.#written.policy.sha256) {
      this.#shelf.setGivenUp(null);
      return;
    }
    const kept = givenUp.to === null ? undefined : this.#shelf.bySha(givenUp.to);
    this.#isLatched = true;
    this.#put(kept ?? inMode(this.#written.policy, 'shadow'));
    warnOnce('PLM_ROLLBACK_GIVEN_UP', this.#givenUpDetails(givenUp));
  }

  #keep(): void {
    this.#isKept = true;
    const { text, policy } = this.#written;
    if (text === undefined) return;
    const { file, revision, sha256 } = policy;
    const usual = this.#meter.usual;
    const keptAt = this.#clock.now();
    this.#shelf.keep({ file, revision, sha256, text, keptAt, ...(usual === undefined ? {} : { usual }) });
  }

  #giveUp(trip: Trip, to: 'last-good' | 'shadow'): RollbackRecord {
    this.#shelf.forget(this.#inForce.sha256);
    const target = this.#target(to);
    this.#latch(trip.trigger, trip.text, target);
    const reason = `trigger ${trip.trigger}`;
    return this.#roll(target, { ...trip, event: 'rollback', by: null, reason });
  }

  #latch(trigger: RollbackRecord['trigger'], text: string, target: Policy): void {
    const { sha256, revision } = this.#written.policy;
    this.#isLatched = true;
    this.#rolledMs = this.#clock.monotonic();
    const to = isEnforcing(target) ? target.sha256 : null;
    this.#shelf.setGivenUp({ sha256, revision, trigger, at: this.#clock.now(), text, to });
  }

  #givenUpDetails({ revision, at, text }: GivenUp): GivenUpDetails {
    const { file, mode, revision: inForce } = this.#inForce;
    return { file, revision, at, text, mode, inForce };
  }

  #unlatch(): void {
    this.#isLatched = false;
    this.#shelf.setGivenUp(null);
  }

  #target(to: 'last-good' | 'shadow' | number): Policy {
    const shadow = inMode(this.#inForce, 'shadow');
    if (to === 'shadow') return shadow;
    if (to === 'last-good') return this.#shelf.lastGoodBut(this.#inForce.sha256)?.policy ?? shadow;
    const found = to === this.#written.policy.revision ? this.#written.policy : this.#shelf.byRevision(to);
    if (found === undefined)
      throw failure('PLM_ROLLBACK_UNKNOWN', {
        revision: to,
        known: this.#shelf.good.map(({ revision }) => revision),
      });
    return found;
  }

  #roll(
    target: Policy,
    why: Pick<RollbackRecord, 'event' | 'trigger' | 'text' | 'evidence' | 'by' | 'reason'>,
  ): RollbackRecord {
    const from = markOf(this.#inForce);
    this.#put(target);
    const record: RollbackRecord = {
      ...why,
      at: this.#clock.now(),
      level: 'emergency',
      from,
      to: markOf(target),
    };
    this.#last = record;
    try {
      this.#options.onRollback?.(record);
    } catch (error) {
      warnOnce('PLM_ROLLBACK_APPLY', { revision: target.revision, reason: String(error) });
    }
    if (record.event === 'rollback' && rollbackChannel.hasSubscribers) rollbackChannel.publish(record);
    return record;
  }
}

/** True when any part of the policy may act: all of it, or a rung with a mode of its own. */
export function isEnforcing(policy: Policy): boolean {
  if (policy.mode === 'enforce') return true;
  return raisedLevels.some((level) => policy.ladder[level].some((rung) => rung.mode === 'enforce'));
}

/** The same policy in another mode. In a mode below enforce no rung keeps its own mode, because it would go on acting. */
export function inMode(policy: Policy, mode: Mode): Policy {
  const strip = ({ mode: _, ...rung }: Rung): Rung => rung;
  const ladder = (level: RaisedLevel): readonly Rung[] =>
    mode === 'enforce' ? policy.ladder[level] : policy.ladder[level].map(strip);
  return Object.freeze({
    ...policy,
    mode,
    ladder: { warning: ladder('warning'), critical: ladder('critical'), emergency: ladder('emergency') },
  });
}

function markOf({ file, revision, sha256, mode }: Policy): PolicyMark {
  return { file, revision, sha256, mode };
}
