import { currentScope } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { sessionAround } from '@plimsoll/core/adapter';
import { approval, needsApproval } from '@plimsoll/core/internal/gate/approval';
import { ApprovalRefusal } from '@plimsoll/core/internal/gate/approval-refusal';

/** What a human is asked to approve: that an agent hands work to another one. */
interface AskedDelegation {
  /** The agent or tool that is to do it. */
  readonly name: string;
  /** How deep it would be; default: one more than the agents around the running code. */
  readonly depth?: number | undefined;
  /** Part of the digest, so that a decision is bound to exactly these. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** The answer of a human, or of the policy when the deadline passed. */
interface DelegationAnswer {
  readonly isApproved: boolean;
  /** Why not. */
  readonly reason: string | undefined;
}

/** The deadline of the ticket ends the waiting, not the caller. */
const longestWaitMs = 86_400_000;

/** Agents around the running code, plus the one that is to begin. */
export function delegationDepth(): number {
  let depth = 1;
  for (let at: Scope | undefined = currentScope(); at !== undefined; at = at.parent)
    if (at.kind === 'agent') depth += 1;
  return depth;
}

/** Whether a delegation would have to wait now, without asking anybody. */
export function mustWait({ depth = delegationDepth() }: Pick<AskedDelegation, 'depth'>): boolean {
  return needsApproval('delegation', { depth });
}

/** Waits for the answer of a human where the policy asks for one. What the session holds is counted as parked meanwhile. Never rejects. */
export async function answerFor({ name, depth, args, signal }: AskedDelegation): Promise<DelegationAnswer> {
  try {
    await approval('delegation', {
      name,
      depth: depth ?? delegationDepth(),
      bytes: sessionAround(currentScope())?.account.held ?? 0,
      waitMs: longestWaitMs,
      ...(args !== undefined && { args }),
      ...(signal !== undefined && { signal }),
    });
    return { isApproved: true, reason: undefined };
  } catch (error) {
    // An error of ours must not let the delegation through.
    return { isApproved: false, reason: error instanceof ApprovalRefusal ? error.message : String(error) };
  }
}
