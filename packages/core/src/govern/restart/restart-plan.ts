import type { RestartAnswer, RestartRequest } from '../levers.ts';

/** The exit code of a process that ended to be started again (EX_TEMPFAIL of sysexits: try again); `plimsoll run` starts it anew. */
export const restartExitCode = 75;

/** The lever that the ladder pulls: begins a drain and restart in the background, or says why not. Never waits, never throws. */
export type Restart = (request: RestartRequest & { readonly minUptimeMs?: number }) => RestartAnswer;
