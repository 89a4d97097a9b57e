import { setTimeout } from 'node:timers';

/**
 * Resolves in a later turn of the event loop. It keeps no process alive: a program that has ended does not wait for us.
 * A timer, because an unref'd immediate does not wake a loop that waits for its next event.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0).unref();
  });
}
