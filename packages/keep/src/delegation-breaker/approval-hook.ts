import type { ReportBoard } from '../report-board.ts';
import type { Delegation } from './delegation.ts';
import type { DelegationEvents } from './events.ts';
import type { DelegationSettings } from './settings.ts';

/** The answer of the program's own hook: yes when it has none for this depth, no when it throws or is late. */
export async function askHook(
  settings: DelegationSettings,
  board: ReportBoard<DelegationEvents>,
  delegation: Delegation,
  task: unknown,
): Promise<boolean> {
  const { ask, approveDepth, askTimeout, clock } = settings;
  const { agent, depth, path, signal } = delegation;
  if (ask === undefined || depth < approveDepth) return true;
  let stop: (() => void) | undefined;
  const late = new Promise<false>((resolve) => {
    stop = clock.after(askTimeout, () => resolve(false));
  });
  try {
    return (await Promise.race([ask({ agent, task, depth, path, signal }), late])) === true;
  } catch (cause) {
    board.emit('hook-failed', { hook: 'approve', agent, cause });
    return false;
  } finally {
    stop?.();
  }
}
