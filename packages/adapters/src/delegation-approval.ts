import { currentScope } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { approval, needsApproval } from '@plimsoll/core/internal/gate/approval';
import { ApprovalRefusal } from '@plimsoll/core/internal/gate/approval-refusal';
import { slots } from '@plimsoll/core/internal/slots';
import { measure } from '@plimsoll/core/meter';

/** What a human is asked to approve: that an agent hands work to another one. */
interface AskedDelegation {
  /** The agent or tool that is to do it. */
  readonly name: string;
  /** How deep it would be; default: one more than the agents around the running code. */
  readonly depth?: number | undefined;
  /** Part of the digest, so that a decision is bound to exactly these. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /** What is kept while it waits, where that is not in the scopes around the running code: the state of a run that has stopped. */
  readonly held?: object | undefined;
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

/** Objects that are counted before an answer is waited for; a conversation has thousands. */
const mostObjects = 100_000;

/** Bytes that wait with the running code: what the agents and the session around it hold. */
function bytesAround(held: object | undefined): number {
  const around = new Set<number>();
  let charged = 0;
  for (let at: Scope | undefined = currentScope(); at !== undefined && at.id !== 0; at = at.parent) {
    around.add(at.id);
    charged = Math.max(charged, at.account.held);
  }
  const roots: object[] = held === undefined ? [] : [held];
  for (const { scope, roots: own } of slots().scopes?.roster.roots() ?? [])
    if (around.has(scope.id)) roots.push(...own);
  return charged + (roots.length === 0 ? 0 : measure(roots, { maxNodes: mostObjects }).bytes);
}

/** Waits for the answer of a human where the policy asks for one. What waits with it is counted as parked meanwhile. Never rejects. */
export async function answerFor({
  name,
  depth,
  args,
  held,
  signal,
}: AskedDelegation): Promise<DelegationAnswer> {
  try {
    await approval('delegation', {
      name,
      depth: depth ?? delegationDepth(),
      bytes: bytesAround(held),
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
