import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A full garbage collection on demand. */
export type CollectGarbage = () => void;

/** V8's `gc` without `--expose-gc` on the command line: the flag is read when a context is made. Nothing becomes visible to the program. */
export function exposedGc(): CollectGarbage | undefined {
  const present = (globalThis as { gc?: CollectGarbage }).gc;
  if (typeof present === 'function') return () => present();
  try {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('typeof gc === "function" ? gc : undefined');
    // Contexts that the program makes later must not find it.
    setFlagsFromString('--no-expose-gc');
    return typeof collect === 'function' ? (collect as CollectGarbage) : undefined;
  } catch {
    return undefined;
  }
}
