import { entry } from './entry.ts';

/** Errors and warnings of rolling back and replaying a policy. */
export const rollbackErrors = {
  PLM_ROLLBACK_UNKNOWN: entry({
    help: 'A rollback named a revision that is neither in force nor kept. A policy is kept once it was enforced for the time of `rollback.good-after` without a trigger; the last five are.',
    text: (d: { revision: number; known: readonly number[] }) => ({
      message: `there is no good policy with revision ${d.revision}.`,
      where: 'plimsoll rollback --to REVISION',
      fix:
        d.known.length === 0
          ? 'use --to shadow; no policy was kept yet.'
          : `use one of ${d.known.join(', ')}, or --to shadow.`,
    }),
    example: { revision: 12, known: [14, 13] },
  }),
  PLM_ROLLBACK_GIVEN_UP: entry({
    help: 'The policy did harm, or a human rolled it back, so it was given up. That holds over restarts: otherwise the same policy would do the same harm after each of them. It ends when the text of the file changes or a human takes the policy back.',
    text: (d: {
      file: string;
      revision: number;
      at: number;
      text: string;
      mode: string;
      inForce: number;
    }) => ({
      message: `revision ${d.revision} of the policy was given up at ${new Date(d.at).toISOString().slice(0, 19)}Z: ${d.text} In force is revision ${d.inForce} in mode ${d.mode}.`,
      where: d.file,
      fix: 'correct the policy file, or run "plimsoll rollback --undo --reason TEXT" to enforce it as it is.',
    }),
    example: {
      file: 'plimsoll.yaml',
      revision: 14,
      at: Date.UTC(2026, 6, 1, 10),
      text: '90 % of 3000 operations were blocked in 5 m at level normal, and the pressure went from 50 % when that began to 50 %.',
      mode: 'shadow',
      inForce: 14,
    },
  }),
  PLM_ROLLBACK_SHELF: entry({
    help: 'The file with the last good policies could not be read or written. Rolling back still works: what is only in memory is lost with the process, and without a good policy the governor falls back to shadow.',
    text: (d: { file: string; reason: string }) => ({
      message: `the last good policies cannot be kept: ${d.reason}.`,
      where: d.file,
      fix: 'make the folder of the ledger writable; delete the file if it is damaged.',
    }),
    example: { file: '/srv/app/.plimsoll/ledger/policies.json', reason: 'Error: EACCES: permission denied' },
  }),
  PLM_ROLLBACK_APPLY: entry({
    help: 'Putting a policy in force or telling of it threw. The governor goes on with what it has.',
    text: (d: { revision: number; reason: string }) => ({
      message: `the policy of revision ${d.revision} could not be put in force everywhere: ${d.reason}.`,
      where: 'rollback',
      fix: 'report this line: it is a fault of Plimsoll.',
    }),
    example: { revision: 14, reason: 'TypeError: x is not a function' },
  }),
  PLM_ROLLBACK_NOT_GOVERNED: entry({
    help: 'The process has no policy file, so there is nothing to roll back: the built-in policy only observes.',
    text: (d: { pid: number }) => ({
      message: `process ${d.pid} was given no policy; it only observes.`,
      where: 'plimsoll rollback',
      fix: 'start it with a policy (plimsoll run --policy plimsoll.yaml -- node server.js).',
    }),
    example: { pid: 4711 },
  }),
  PLM_REPLAY_NO_HISTORY: entry({
    help: 'The ledger has no readings in the window that was asked for, so there is nothing to run the policy over.',
    text: (d: { dir: string; since: string }) => ({
      message: `the ledger has no readings since ${d.since}.`,
      where: d.dir,
      fix: 'ask for a longer time with --since, or name the ledger with --ledger.',
    }),
    example: { dir: '/srv/app/.plimsoll/ledger', since: '2026-07-01T10:00:00.000Z' },
  }),
};
