import { AsyncLocalStorage } from 'node:async_hooks';
import { failure } from '@plimsoll/core/internal/errors';

interface Turnstile {
  last: Promise<unknown>;
  readonly inside: AsyncLocalStorage<string>;
}

const key = Symbol.for('plimsoll.testkit.turnstile.v1');

/** One per thread, shared by all copies of the package. */
function turnstile(): Turnstile {
  const holder = globalThis as { [key]?: Turnstile };
  holder[key] ??= { last: Promise.resolve(), inside: new AsyncLocalStorage() };
  return holder[key];
}

/**
 * Runs one check at a time. The heap is shared by all tests of a process, so a check that is started while another runs waits for it.
 * A check inside the function that another check measures would wait for ever and is refused.
 */
export async function oneAtATime<T>(what: string, check: () => Promise<T>): Promise<T> {
  const gate = turnstile();
  const outer = gate.inside.getStore();
  if (outer !== undefined) throw failure('PLM_TESTKIT_NESTED', { inner: what, outer });
  const turn = gate.last.then(() => gate.inside.run(what, check));
  // A failed check rejects only for its own caller. The next one runs.
  gate.last = turn.catch(() => undefined);
  return turn;
}
