import { answerFor, delegationDepth, mustWait } from '../delegation-approval.ts';

/** What a node hands to `interrupt()` of LangGraph when a delegation has to wait. */
export interface DelegationInterrupt {
  readonly plimsoll: 'delegation';
  readonly name: string;
  readonly depth: number;
}

/**
 * For a node that hands work to another agent: the value for `interrupt()` where the policy asks for an approval, else undefined.
 *
 * ```ts
 * const wait = delegationInterrupt('researcher');
 * if (wait !== undefined && interrupt(wait) !== true) return { text: 'not approved' };
 * ```
 */
export function delegationInterrupt(name: string): DelegationInterrupt | undefined {
  const depth = delegationDepth();
  return mustWait({ depth }) ? { plimsoll: 'delegation', name, depth } : undefined;
}

interface Interrupt {
  readonly id?: string;
  readonly value?: unknown;
}

/**
 * Answers the delegations that a graph was interrupted for: a human answers on the page or with `plimsoll approvals`. Returns what
 * `new Command({ resume })` takes, or undefined when the graph was not interrupted by one.
 *
 * ```ts
 * let state = await graph.invoke(input, config);
 * for (let resume; (resume = await answerInterrupts(state)); ) state = await graph.invoke(new Command({ resume }), config);
 * ```
 */
export async function answerInterrupts(
  state: unknown,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Record<string, boolean> | undefined> {
  const { __interrupt__: interrupts = [] } = (state ?? {}) as { __interrupt__?: readonly Interrupt[] };
  const resume: Record<string, boolean> = {};
  for (const { id, value } of interrupts) {
    if (id === undefined || !isDelegation(value)) continue;
    const { name, depth } = value;
    resume[id] = (
      await answerFor({ name, depth, args: { interrupt: id }, held: state as object, ...options })
    ).isApproved;
  }
  return Object.keys(resume).length === 0 ? undefined : resume;
}

function isDelegation(value: unknown): value is DelegationInterrupt {
  return (value as Partial<DelegationInterrupt> | undefined)?.plimsoll === 'delegation';
}
