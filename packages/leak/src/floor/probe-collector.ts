import { exposedGc } from '@plimsoll/core/internal/exposed-gc';

let collect: (() => void) | undefined;

/** One full collection, also in a process that was not started with --expose-gc. */
export function probeGc(): void {
  collect ??= exposedGc() ?? (() => undefined);
  collect();
}
