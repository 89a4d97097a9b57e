import type { Delegation } from './delegation.ts';

/** What is wrong with a path if one more delegation is added to it; undefined when nothing is. */
export function loopOf(
  agent: string,
  fingerprint: string,
  parent: Delegation,
  reentry: number,
  pingPong: number,
): { readonly limit: 'cycle' | 'ping-pong' | 'reentry'; readonly why: string } | undefined {
  let times = 0;
  for (let at: Delegation | undefined = parent; at !== undefined; at = at.parent) {
    if (at.agent !== agent) continue;
    if (at.fingerprint === fingerprint)
      return { limit: 'cycle', why: `${agent} already works on this very task, further up` };
    times++;
  }
  if (times >= reentry) return { limit: 'reentry', why: `${agent} is on the path ${times} times already` };
  if (times < pingPong) return undefined;
  const rounds = toAndFro(agent, parent);
  if (rounds < pingPong) return undefined;
  return { limit: 'ping-pong', why: `${agent} and ${parent.agent} handed it to and fro ${rounds} times` };
}

/** How often the end of a path already went from one agent to the other and back. */
function toAndFro(agent: string, parent: Delegation): number {
  if (parent.agent === agent) return 0;
  let rounds = 0;
  let at: Delegation | undefined = parent;
  while (at !== undefined && at.agent === parent.agent && at.parent?.agent === agent) {
    rounds++;
    at = at.parent.parent;
  }
  return rounds;
}
