import { formatDuration } from '../units/duration.ts';
import { entry } from './entry.ts';

/** Errors and warnings of drain and restart. */
export const restartErrors = {
  PLM_RESTART_HOOK: entry({
    help: 'A hook registered with onDrain threw or rejected. The drain goes on without it and the restart happens.',
    text: (d: { readonly reason: string }) => ({
      message: `a hook failed while the process drained: ${d.reason}.`,
      where: 'onDrain(hook)',
      fix: 'catch inside the hook; a restart does not wait for what cannot be cured.',
    }),
    example: { reason: 'Error: socket hang up' },
  }),
  PLM_RESTART_TOO_MANY_HOOKS: entry({
    help: 'More hooks were registered with onDrain than a program can mean. The newest was not taken: probably one is registered per request.',
    text: (d: { readonly most: number }) => ({
      message: `more than ${d.most} drain hooks are registered; the newest was not taken.`,
      where: 'onDrain(hook)',
      fix: 'register once at start, and call what onDrain returns when its owner ends.',
    }),
    example: { most: 100 },
  }),
  PLM_RESTART_LOG: entry({
    help: 'The file that remembers restarts could not be written. The restart happens; the bound on restarts per hour and the report after the start then know less.',
    text: (d: { readonly file: string; readonly reason: string }) => ({
      message: `the restarts could not be remembered: ${d.reason}.`,
      where: d.file,
      fix: 'make the folder writable for the process.',
    }),
    example: { file: '.plimsoll/restarts.json', reason: 'EACCES: permission denied' },
  }),
  PLM_RESTART_TOO_OFTEN: entry({
    help: 'A program that plimsoll run starts again asked for it too often, and is left ended: something fills it faster than restarts can help. The exit code is that of the last life.',
    text: (d: { readonly command: string; readonly count: number; readonly perMs: number }) => ({
      message: `"${d.command}" ended to be restarted ${d.count} times within ${formatDuration(d.perMs)} and is not started again.`,
      where: 'plimsoll run --restarts',
      fix: 'look for what fills it (plimsoll ledger summary), raise its limit, or allow more with --restarts.',
    }),
    example: { command: 'node server.js', count: 5, perMs: 3_600_000 },
  }),
};
