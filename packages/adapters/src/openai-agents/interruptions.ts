import { answerFor, mustWait } from '../delegation-approval.ts';

interface ApprovalItem {
  readonly name?: string | undefined;
  readonly arguments?: string | undefined;
}

interface Rejection {
  readonly message?: string;
}

interface RunState<Item> {
  approve(item: Item): void;
  reject(item: Item, options?: Rejection): void;
}

interface InterruptedRun<Item, State> {
  readonly interruptions?: readonly Item[] | undefined;
  readonly state: State;
}

/** For `needsApproval` of a tool of OpenAI Agents: true where the policy asks for an approval of this delegation. The run then stops. */
export async function needsApproval(): Promise<boolean> {
  return mustWait({});
}

/**
 * Answers what a run of OpenAI Agents stopped for: a human answers on the page or with `plimsoll approvals`. Returns the state to run again
 * with, or undefined when the run did not stop.
 *
 * ```ts
 * let result = await run(agent, input);
 * for (let state; (state = await answerInterruptions(result)); ) result = await run(agent, state);
 * ```
 *
 * `depth` is that of the delegation: the run has ended, so it cannot be told from the scopes around it.
 */
export async function answerInterruptions<Item extends ApprovalItem, State extends RunState<Item>>(
  { interruptions = [], state }: InterruptedRun<Item, State>,
  options: { readonly depth: number; readonly signal?: AbortSignal },
): Promise<State | undefined> {
  if (interruptions.length === 0) return undefined;
  for (const item of interruptions) {
    const { name = 'tool' } = item;
    const { isApproved, reason } = await answerFor({
      name,
      args: { input: item.arguments },
      held: state,
      ...options,
    });
    if (isApproved) state.approve(item);
    else state.reject(item, { ...(reason !== undefined && { message: reason }) });
  }
  return state;
}
