import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { Reading } from '@plimsoll/core/internal/sense/reading';

/**
 * One part of the host. `part-list.ts` says in which order the parts start and take readings; they stop in the opposite order.
 * A part that throws is reported once and harms neither the other parts nor the program.
 */
export interface Part {
  start(): void;
  /** Takes a reading. The parts above have taken it already. */
  take?(reading: Reading): void;
  /** Called when another policy is in force. */
  swap?(policy: Policy): void;
  /**
   * Called in list order while the process exits. Nothing asynchronous runs any more. `reading` is the last one; undefined when it failed.
   */
  exit?(code: number, reading: Reading | undefined): void;
  /** Ends for good. `Host.stop` awaits the returned promise. */
  stop(): void | Promise<void>;
}
