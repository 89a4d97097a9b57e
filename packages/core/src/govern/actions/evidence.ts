import type { ActionOf } from '../action.ts';
import { skipped } from '../action.ts';

const defaultTimeoutMs = 5000;

/** Keeps what a later look needs, before anything is stopped. */
export const evidence: ActionOf<'evidence'> = {
  plan: ({ options }) => ({
    text: `would have kept counters and allocation sites${options.snapshot === 'never' ? '' : ', and a heap snapshot if it fits'}.`,
    projectedBytes: 0,
  }),
  async run({ options, levers, scope, signal }) {
    if (levers.evidence === undefined) return skipped('nobody keeps evidence in this process.');
    const { text } = await levers.evidence({
      scope,
      timeoutMs: defaultTimeoutMs,
      signal,
      snapshot: options.snapshot ?? 'if-it-fits',
    });
    return { text, releasedBytes: 0 };
  },
  cooldownMs: () => 10 * 60_000,
  timeoutMs: defaultTimeoutMs,
};
