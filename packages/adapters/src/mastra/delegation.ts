import { answerFor, mustWait } from '../delegation-approval.ts';
import { prototypeOf } from '../method-patches.ts';
import type { MethodPatches } from '../method-patches.ts';

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

interface Delegation {
  readonly onDelegationStart?: (start: DelegationStart) => unknown;
}

type ListTools = (this: unknown, options: { readonly delegation?: Delegation }) => unknown;

/**
 * Asks before every delegation of every agent. The hook of a call does not reach the agents inside it, so it is put where each agent makes
 * the tools that call its agents. A hook of the program is asked after ours.
 */
export function guardDelegations(patches: MethodPatches, agent: unknown): void {
  patches.replace<ListTools>(
    prototypeOf(agent),
    'listAgentTools',
    (original) =>
      function (options) {
        return original.call(this, { ...options, delegation: guarded(options.delegation) });
      },
  );
}

function guarded(delegation: Delegation | undefined): Delegation {
  const own = delegation?.onDelegationStart;
  if (own === onDelegationStart) return { ...delegation };
  return {
    ...delegation,
    onDelegationStart: async (start) => (await onDelegationStart(start)) ?? own?.call(delegation, start),
  };
}
