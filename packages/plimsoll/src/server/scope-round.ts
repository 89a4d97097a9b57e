import { ask } from '@plimsoll/host/protocol';
import type { ScopePage } from '@plimsoll/host/internal/control/scopes';

const mostPages = 2000;
const pageMs = 5000;

/** One round through the scopes of a process: pages until it says that there are no more. Each page is short work for it. */
export async function scopeRound(
  socket: string,
  watch: { readonly name: string; readonly fresh: boolean },
  take: (page: ScopePage) => void,
  signal?: AbortSignal,
): Promise<void> {
  let { fresh } = watch;
  for (let i = 0; i < mostPages; i++) {
    const page = await ask<ScopePage>(
      socket,
      'scopes',
      { watch: watch.name, fresh },
      { timeoutMs: pageMs, ...(signal === undefined ? {} : { signal }) },
    );
    take(page);
    if (page.done) return;
    fresh = false;
  }
}
