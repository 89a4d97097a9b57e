import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readRegularText } from '@plimsoll/core/internal/read-regular-file';
import type { Roster } from '@plimsoll/core/internal/scope/roster';
import { maxPolicyBytes } from '@plimsoll/govern/internal/policy/form/yaml-tree';
import { PolicyShelf } from '@plimsoll/govern/internal/rollback/policy-shelf';
import { Rollback } from '@plimsoll/govern/internal/rollback/rollback';
import type { Governor } from '@plimsoll/govern/internal/level/governor';
import { admission } from '@plimsoll/govern/internal/admission/admission-control';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { Mode } from '@plimsoll/core/internal/level';
import type { RollbackRecord } from '@plimsoll/govern/internal/rollback/rollback-record';
import type { RollbackState } from '@plimsoll/govern/internal/rollback/rollback';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { Ledger } from '@plimsoll/ledger';
import type { Part } from '../part.ts';

interface PolicyGuardOptions {
  readonly policy: Policy;
  /** Folder of the ledger. The last good policies are kept beside it. */
  readonly ledgerDir: string;
  readonly roster: Pick<Roster, 'opened'>;
  readonly governor: Pick<Governor, 'level' | 'isOwnLimit'>;
  readonly ledger: Pick<Ledger, 'audit'>;
  /** Puts a policy in force everywhere in this process. */
  readonly apply: (policy: Policy) => void;
  /** Calls the listener with each new text of the policy file, until what it returns is called. */
  readonly follow: (onText: (policy: Policy) => void) => () => void;
}

/** Beside the ledger, because it has to survive the process that gave a policy up. */
export const shelfFile = (ledgerDir: string): string => join(ledgerDir, 'policies.json');

/** Rollback in a governed process. It feeds the watch with readings, puts its decisions in force and writes them into the ledger. */
export class PolicyGuard implements Part {
  readonly #options: PolicyGuardOptions;
  readonly #rollback: Rollback;
  #unfollow: (() => void) | undefined;
  /** Settles with the newest entry; never rejects. */
  #recorded: Promise<void> = Promise.resolve();

  constructor(options: PolicyGuardOptions) {
    const { policy, ledgerDir, apply } = options;
    this.#options = options;
    this.#rollback = new Rollback(policy, textOf(policy), {
      shelf: new PolicyShelf(shelfFile(ledgerDir)),
      apply,
      onRollback: (record) => this.#write(record),
    });
  }

  /** Resolves when the newest rollback is in the ledger or could not be written. The ledger bounds the wait. */
  get recorded(): Promise<void> {
    return this.#recorded;
  }

  get state(): RollbackState {
    return this.#rollback.state;
  }

  /** One sentence about the policy that was given up: which, when, why, and how to put it in force again. Null when none was given up. */
  get givenUp(): string | null {
    return this.#rollback.givenUp;
  }

  /** The policy in force. After a rollback it differs from the file. */
  get policy(): Policy {
    return this.#rollback.policy;
  }

  start(): void {
    this.#unfollow = this.#options.follow((policy) => this.swapped(policy));
  }

  stop(): void {
    this.#unfollow?.();
  }

  /** Puts the new text of the policy file in force. */
  swapped(policy: Policy): void {
    this.#rollback.swapped(policy, textOf(policy));
  }

  take(reading: Reading): void {
    const { admitted, refused } = admission().counts();
    const operations = this.#options.roster.opened;
    this.#rollback.take({
      nowMs: performance.now(),
      heapUsed: reading.heapUsed,
      floor: reading.floor,
      majors: reading.majors,
      loopDelayMs: reading.loopDelayMs,
      pressureRatio: reading.used / reading.limit,
      level: this.#options.governor.level,
      isOwnLimit: this.#options.governor.isOwnLimit,
      operations,
      admitted,
      blocked: refused,
      selfBytes: reading.self.bytes,
      selfCpuRatio: reading.self.cpuRatio,
    });
  }

  rollBack(to: 'last-good' | 'shadow' | number, by: string, reason: string): RollbackRecord {
    return this.#rollback.byHand({ to, by, reason });
  }

  /** Puts the policy of the file in force again, in the given mode or in the mode of the file. */
  setMode(mode: Mode | undefined, by: string, reason: string): RollbackRecord {
    return this.#rollback.setMode({ ...(mode === undefined ? {} : { mode }), by, reason });
  }

  #write(record: RollbackRecord): void {
    const { at, level: _, from, to, ...why } = record;
    const { file, revision, sha256 } = to;
    const body = { ...why, file, revision, sha256, from: { ...from }, to: { ...to } };
    this.#recorded = this.#options.ledger.audit({ kind: 'policy', at, body }).catch(() => undefined);
  }
}

/** The text of a policy, if the file still has it. */
function textOf({ file, sha256 }: Policy): string | undefined {
  try {
    const text = readRegularText(file, { maxBytes: maxPolicyBytes });
    return createHash('sha256').update(text).digest('hex') === sha256 ? text : undefined;
  } catch {
    return undefined;
  }
}
