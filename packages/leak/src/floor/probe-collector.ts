import { exposedGc } from '@plimsoll/core/internal/exposed-gc';

let collect: (() => void) | undefined;

/** One full collection, also in a process that was not started with --expose-gc. */
export function forceGc(): void {
  collect ??= exposedGc() ?? (() => undefined);
  collect();
}
