import v8 from 'node:v8';
import vm from 'node:vm';

let collect: (() => void) | undefined;

/** One full collection, also in a process that was not started with --expose-gc; nothing becomes visible to the program. */
export function probeGc(): void {
  collect ??= makeCollector();
  collect();
}

function makeCollector(): () => void {
  const own = (globalThis as { gc?: () => void }).gc;
  if (own !== undefined) return own;
  v8.setFlagsFromString('--expose-gc');
  const found = vm.runInNewContext('gc') as () => void;
  v8.setFlagsFromString('--no-expose-gc');
  return found;
}
