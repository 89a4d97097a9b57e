/** The server of a run is a separate process, so that a busy server does not delay the supervisor. It ends with the supervisor. */
import { isPlimsollError } from '@plimsoll/core';
import { startServing } from './serve-run.ts';
import type { Serving, ServingOptions } from './serve-run.ts';

/** The request of the supervisor. */
export type ServingRequest = Omit<ServingOptions, 'env' | 'onCollector'> & { readonly isTerminal: boolean };

/** Messages to the supervisor. */
export type ServingNews =
  | { readonly kind: 'serving'; readonly address: string; readonly open: string }
  | { readonly kind: 'collector'; readonly text: string }
  | {
      readonly kind: 'failed';
      readonly code: string;
      readonly message: string;
      readonly where: string;
      readonly fix: string;
    };

let serving: Serving | undefined;

// The terminal sends Ctrl-C to the whole group. The dashboard stays until the run has printed its summary.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);
process.once('message', (request: ServingRequest) => void serve(request));
process.once('disconnect', () => void end());

function tell(news: ServingNews): void {
  if (process.connected) process.send?.(news);
}

async function serve(request: ServingRequest): Promise<void> {
  try {
    serving = await startServing({
      ...request,
      env: process.env,
      onCollector: (text) => tell({ kind: 'collector', text }),
    });
    const { address, addressWithToken, link } = serving;
    tell({ kind: 'serving', address, open: request.isTerminal ? addressWithToken : link() });
  } catch (error) {
    const { code, message, where, fix } = isPlimsollError(error)
      ? error
      : { code: 'PLM_BUG', message: String(error), where: 'the dashboard', fix: 'report it as a bug.' };
    tell({ kind: 'failed', code, message, where, fix });
    process.disconnect();
  }
}

async function end(): Promise<void> {
  await serving?.[Symbol.asyncDispose]();
  process.exit(0);
}
