import type { ActionOf } from './action.ts';
import { skipped } from './action.ts';

const defaultTimeoutMs = 5000;

/** Keeps evidence for a later analysis, before anything is stopped. */
export const evidence: ActionOf<'evidence'> = {
  plan: ({ options }) => ({
    text: `would have kept counters and allocation sites${options.snapshot === 'never' ? '' : ', and a heap snapshot if it fits'}.`,
    projectedBytes: 0,
  }),
  run({ options, levers, scope, signal, timeoutMs }) {
    if (levers.evidence === undefined) return skipped('this process cannot keep evidence.');
    const { snapshot = 'if-it-fits' } = options;
    return levers
      .evidence({ scope, timeoutMs, signal, snapshot })
      .then(({ text }) => ({ text, releasedBytes: 0 }));
  },
  cooldownMs: () => 10 * 60_000,
  timeoutMs: defaultTimeoutMs,
};
