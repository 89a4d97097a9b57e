import type { Scope } from '@plimsoll/core';

/** The object that each agent's memory is counted from now. */
const current = new WeakMap<Scope, WeakRef<object>>();

/**
 * Says what an agent holds now: its messages or its state, in place of what it held before. The bytes of the agent, and so of its session,
 * are counted from there. A scope inside the agent stands for the agent.
 */
export function holdsNow(scope: Scope, held: unknown): void {
  const object = typeof held === 'string' ? { text: held } : held;
  if (typeof object !== 'object' || object === null) return;
  let agent: Scope | undefined = scope;
  while (agent !== undefined && agent.kind !== 'agent') agent = agent.parent;
  if (agent === undefined) return;
  const before = current.get(agent)?.deref();
  if (before === object) return;
  if (before !== undefined) agent.unroot(before);
  agent.root(object);
  current.set(agent, new WeakRef(object));
}
