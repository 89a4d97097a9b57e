import { setTimeout } from 'node:timers';
import type * as HostModule from './host.ts';

/**
 * Loads the host in slices, each in a task of its own. Loaded at once, it would stop the process for 30 ms just after the program has begun
 * to listen. In the packed package each slice is one file (scripts/bundle-host.mjs). A slice may import only from those before it.
 */
export async function loadInTurns(): Promise<typeof HostModule> {
  for (const load of slices) {
    await load();
    await nextTurn();
  }
  const host = await import('./host.ts');
  await nextTurn();
  return host;
}

const slices: readonly (() => Promise<unknown>)[] = [
  () => import('node:crypto'),
  () => import('@plimsoll/core/internal/scope/index'),
  () => import('@plimsoll/ledger/internal/ledger'),
  () => import('@plimsoll/leak/internal/leak-watch'),
  () => import('@plimsoll/govern/internal/level/governor'),
];

/**
 * Resolves in a later turn of the event loop. It keeps no process alive, so a program that has ended does not wait for us.
 * It is a timer, because an unref'd immediate does not wake a loop that waits for its next event.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0).unref();
  });
}
