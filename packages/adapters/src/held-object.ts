import type { Scope } from '@plimsoll/core';

/**
 * Says what an agent holds now: its messages or its state, in place of what it held before. The bytes of the agent, and so of its session,
 * are counted from there. A scope inside the agent stands for the agent.
 */
export function holdsNow(scope: Scope, held: unknown): void {
  const object = typeof held === 'string' ? { text: held } : held;
  if (typeof object !== 'object' || object === null) return;
  agentAround(scope)?.holds(object);
}

/** The nearest agent: the scope itself or one around it. */
export function agentAround(scope: Scope | undefined): Scope | undefined {
  let agent = scope;
  while (agent !== undefined && agent.kind !== 'agent') agent = agent.parent;
  return agent;
}
