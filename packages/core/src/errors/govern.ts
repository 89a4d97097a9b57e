import { formatDuration } from '../units/duration.ts';
import { entry } from './entry.ts';

/** Errors and warnings of the governor. */
export const governErrors = {
  PLM_GOVERN_LISTENER: entry({
    help: 'A listener for level changes threw. The governor goes on; the listener stays registered.',
    text: (d: { reason: string }) => ({
      message: `a listener for level changes threw: ${d.reason}.`,
      where: 'governor.onLevel(listener)',
      fix: 'catch inside the listener.',
    }),
    example: { reason: 'TypeError: x is not a function' },
  }),
  PLM_GOVERN_ACTION: entry({
    help: 'An action of the ladder threw. It counts as failed in the ledger and the governor goes on.',
    text: (d: { action: string; scope: string; reason: string }) => ({
      message: `the action "${d.action}" failed: ${d.reason}.`,
      where: d.scope,
      fix: 'see the ledger for when it happened; a rung that fails frees nothing.',
    }),
    example: { action: 'notify', scope: 'process', reason: 'Error: channel closed' },
  }),
  PLM_GOVERN_STALE: entry({
    help: 'No reading came for the time of `signal.stale`. Levels are held and no action runs until readings come again.',
    text: (d: { ms: number }) => ({
      message: `no reading for ${formatDuration(d.ms)}; levels are held and the mode is observe until one comes.`,
      where: 'signal.stale of the policy',
      fix: 'look for a blocked event loop or a stopped sampler.',
    }),
    example: { ms: 16_000 },
  }),
  PLM_GOVERN_CROWDED: entry({
    help: 'More scopes are near their budgets at once than the governor keeps a level for. The fullest ones are kept.',
    text: (d: { max: number }) => ({
      message: `more than ${d.max} scopes are near their budgets; the emptiest of them have no level for now.`,
      where: 'Governor',
      fix: 'raise the budgets, or look for what fills so many scopes at once.',
    }),
    example: { max: 1024 },
  }),
  PLM_GOVERN_SCOPE_BYTES: entry({
    help: 'The function that tells the bytes of a scope threw; the scope keeps its level and is asked again at the next tick.',
    text: (d: { scope: string; reason: string }) => ({
      message: `the bytes of a scope could not be told: ${d.reason}.`,
      where: d.scope,
      fix: 'see "bytesOf" of the governor.',
    }),
    example: { scope: 'process/session:42', reason: 'TypeError: x is not a function' },
  }),
};
