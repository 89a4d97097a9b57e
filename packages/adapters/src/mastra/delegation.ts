import { answerFor, mustWait } from '../delegation-approval.ts';

interface DelegationStart {
  readonly primitiveId: string;
  readonly prompt?: string;
}

export interface DelegationStartAnswer {
  readonly proceed: false;
  readonly rejectionReason: string;
}

/**
 * For `delegation: { onDelegationStart }` of a Mastra agent. Where the policy asks for an approval, the delegation waits for it; a human
 * answers on the page or with `plimsoll approvals`, and the agent is told when the answer is no.
 */
export async function onDelegationStart({
  primitiveId,
  prompt,
}: DelegationStart): Promise<DelegationStartAnswer | undefined> {
  if (!mustWait({})) return undefined;
  const { isApproved, reason } = await answerFor({ name: primitiveId, args: { prompt } });
  return isApproved ? undefined : { proceed: false, rejectionReason: reason ?? 'not approved' };
}
