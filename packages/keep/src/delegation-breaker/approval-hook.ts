import type { ReportBoard } from '../report-board.ts';
import type { Delegation } from './delegation.ts';
import type { DelegationEvents } from './events.ts';
import type { DelegationSettings } from './settings.ts';
import { approval } from '@plimsoll/core';
import { needsApproval } from '@plimsoll/core/internal/gate/approval';

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

/** Whoever answers has as long as the ticket is open; this only bounds the wait when nobody governs any more. */
const longestWaitMs = 86_400_000;

/** Whether the policy in force wants a human for a delegation this deep. Depths of a breaker begin at 1. */
export function isGoverned(delegation: Delegation): boolean {
  return needsApproval('delegation', { depth: delegation.depth });
}

/** Waits for the approval that the policy in force asks for; the refusal when it was not given. */
export async function askGovernor(delegation: Delegation): Promise<Error | undefined> {
  const { agent, depth, path, signal, fingerprint, parent } = delegation;
  if (!isGoverned(delegation)) return undefined;
  try {
    await approval('delegation', {
      name: agent,
      depth,
      args: { path, task: fingerprint },
      evidence: { path: path.join(' > ') },
      by: `agent:${parent?.agent ?? agent}`,
      signal,
      waitMs: longestWaitMs,
    });
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
