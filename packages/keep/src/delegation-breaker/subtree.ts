import type { Delegation, DelegationState } from './delegation.ts';

/** A delegation as `tree()` shows it. */
export interface DelegationView {
  readonly id: number;
  readonly agent: string;
  readonly depth: number;
  readonly state: DelegationState;
  readonly bytes: number;
  readonly children: readonly DelegationView[];
}

/** A delegation and all below it that are not over, top first. */
export function subtreeOf(top: Delegation): Delegation[] {
  const all = [top];
  for (let i = 0; i < all.length; i++)
    for (let at = (all[i] as Delegation).firstChild; at !== undefined; at = at.next)
      if (!at.isCancelled) all.push(at);
  return all;
}

/** What is not over of a delegation and below it, in the order in which it began. */
export function viewOf(top: Delegation): DelegationView {
  const children: DelegationView[] = [];
  for (let at = top.firstChild; at !== undefined; at = at.next) children.unshift(viewOf(at));
  const { id, agent, depth, state, bytes } = top;
  return { id, agent, depth, state, bytes, children };
}
