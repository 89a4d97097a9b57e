import type { ControlOps } from '../protocol/control.ts';
import type { FeedServer } from '../feed/feed-server.ts';

/**
 * Puts groups of operations on the feed of a governed process, one group per file of this folder, and `ops`, which lists them.
 * A group is a function of the parts of the host it answers for: `registerControl(feed, [approvalOps(approvals), scopeOps(bytes)])`.
 */
export function registerControl(feed: Pick<FeedServer, 'answer'>, groups: readonly ControlOps[]): void {
  const names: string[] = ['ops'];
  for (const group of groups) {
    for (const [op, handler] of Object.entries(group)) {
      feed.answer(op, handler);
      names.push(op);
    }
  }
  feed.answer('ops', () => names.toSorted());
}
