import { formatDuration } from '../units/duration.ts';
import { entry } from './entry.ts';

/** Errors and warnings of the governor, of drain and restart, and of rolling back and replaying a policy. */
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
  PLM_ACT_UNKNOWN: entry({
    help: 'An action was asked for by hand that does not exist. Nothing was done.',
    text: (d: { action: string; known: readonly string[] }) => ({
      message: `there is no action "${d.action}".`,
      where: 'plimsoll act',
      fix: `name one of: ${d.known.join(', ')}.`,
    }),
    example: { action: 'sesion.park', known: ['session.park', 'scope.stop'] },
  }),
  PLM_ACT_SCOPE: entry({
    help: 'The scope of an action by hand was not found, is not the only one of its name, or the action cannot be meant for it. Nothing was done.',
    text: (d: { scope: string; why: string }) => ({
      message: `scope "${d.scope}": ${d.why}.`,
      where: 'plimsoll act',
      fix: 'name one open scope by its path; plimsoll top lists them.',
    }),
    example: { scope: 'session:42', why: 'no open scope is called so' },
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
      message: `more than ${d.max} scopes are near their budgets; the emptiest of them currently have no level.`,
      where: 'Governor',
      fix: 'raise the budgets, or look for the cause that fills so many scopes at once.',
    }),
    example: { max: 1024 },
  }),
  PLM_GOVERN_SCOPE_BYTES: entry({
    help: 'The function for the bytes of a scope threw. The scope keeps its level, and the function is called again at the next tick.',
    text: (d: { scope: string; reason: string }) => ({
      message: `the bytes of a scope could not be measured: ${d.reason}.`,
      where: d.scope,
      fix: 'see "bytesOf" of the governor.',
    }),
    example: { scope: 'process/session:42', reason: 'TypeError: x is not a function' },
  }),
  PLM_RESTART_HOOK: entry({
    help: 'A hook registered with onDrain threw or rejected. The drain goes on without it and the restart happens.',
    text: (d: { readonly reason: string }) => ({
      message: `a hook failed while the process drained: ${d.reason}.`,
      where: 'onDrain(hook)',
      fix: 'catch inside the hook; a restart does not wait for a failed hook.',
    }),
    example: { reason: 'Error: socket hang up' },
  }),
  PLM_RESTART_TOO_MANY_HOOKS: entry({
    help: 'More hooks were registered with onDrain than are kept. The newest was not taken. Probably the program registers one per request.',
    text: (d: { readonly most: number }) => ({
      message: `more than ${d.most} drain hooks are registered; the newest was not taken.`,
      where: 'onDrain(hook)',
      fix: 'register once at start, and call the function that onDrain returns when its owner ends.',
    }),
    example: { most: 100 },
  }),
  PLM_RESTART_LOG: entry({
    help: 'The file that remembers restarts could not be written. The restart happens, but the bound on restarts per hour and the report after the start miss it.',
    text: (d: { readonly file: string; readonly reason: string }) => ({
      message: `the restarts could not be remembered: ${d.reason}.`,
      where: d.file,
      fix: 'make the folder writable for the process.',
    }),
    example: { file: '.plimsoll/restarts.json', reason: 'EACCES: permission denied' },
  }),
  PLM_RESTART_TOO_OFTEN: entry({
    help: 'A program under plimsoll run asked for a restart too often, so it is not started again. Something fills its memory faster than restarts can help. The exit code is that of its last run.',
    text: (d: { readonly command: string; readonly count: number; readonly perMs: number }) => ({
      message: `"${d.command}" ended to be restarted ${d.count} times within ${formatDuration(d.perMs)} and is not started again.`,
      where: 'plimsoll run --restarts',
      fix: 'look for what fills it (plimsoll ledger summary), raise its limit, or allow more with --restarts.',
    }),
    example: { command: 'node server.js', count: 5, perMs: 3_600_000 },
  }),
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
    help: 'The policy did harm, or a human rolled it back, so it was given up. A restart does not bring it back, because it would do the same harm again. It comes back when the text of the file changes or a human takes the policy back.',
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
    help: 'The file with the last good policies could not be read or written. Rolling back still works. Policies that are only in memory are lost when the process ends. Without a good policy the governor falls back to shadow.',
    text: (d: { file: string; reason: string }) => ({
      message: `the last good policies cannot be kept: ${d.reason}.`,
      where: d.file,
      fix: 'make the folder of the ledger writable; delete the file if it is damaged.',
    }),
    example: { file: '/srv/app/.plimsoll/ledger/policies.json', reason: 'Error: EACCES: permission denied' },
  }),
  PLM_ROLLBACK_APPLY: entry({
    help: 'Putting a policy in force or reporting it threw. The governor goes on with its current policy.',
    text: (d: { revision: number; reason: string }) => ({
      message: `the policy of revision ${d.revision} could not be put in force everywhere: ${d.reason}.`,
      where: 'rollback',
      fix: 'report this line, because it is a fault of Plimsoll.',
    }),
    example: { revision: 14, reason: 'TypeError: x is not a function' },
  }),
  PLM_ROLLBACK_NOT_GOVERNED: entry({
    help: 'The process has no policy file, so there is nothing to roll back: the built-in policy only observes.',
    text: (d: { pid: number }) => ({
      message: `process ${d.pid} has no policy; it only observes.`,
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
