import { failure } from '@plimsoll/core/internal/errors';
import type { ApprovalDecision } from './approval-row.ts';
import { fold } from './approver.ts';
import type { Ticket } from './ticket.ts';
import { cut } from './ticket.ts';

const longestKey = 200;

/** The parts of a decision that its idempotency key is bound to. */
interface KeyedDecision {
  readonly id: string;
  readonly digest: string;
  readonly decision: ApprovalDecision;
  readonly by: string;
  readonly key?: string | undefined;
}

/** Idempotency keys, each bound to (ticket, approver, decision, digest) and forgotten with its ticket. */
export class KeyBook {
  readonly #bindings = new Map<string, string>();

  /** True when the same decision was taken before; throws when its key was used for another one. */
  isReplay(input: KeyedDecision): boolean {
    const known = input.key === undefined ? undefined : this.#bindings.get(cut(input.key, longestKey));
    if (known === undefined) return false;
    if (known !== bindingOf(input)) throw failure('PLM_APPROVAL_KEY', { id: cut(input.id, 100) });
    return true;
  }

  remember(ticket: Ticket, input: KeyedDecision): void {
    if (input.key === undefined) return;
    const key = cut(input.key, longestKey);
    this.#bindings.set(key, bindingOf(input));
    ticket.keys.push(key);
  }

  forget(ticket: Ticket): void {
    for (const key of ticket.keys) this.#bindings.delete(key);
  }
}

function bindingOf({ id, by, decision, digest }: KeyedDecision): string {
  return JSON.stringify([id, fold(by), decision, digest]);
}
