export { runDrain } from './drain.ts';
export type { DrainParts, DrainResult } from './drain.ts';
export { drainHooks, onDrain, requestRestart, setRestart } from './drain-hooks.ts';
export type { DrainHook, DrainInfo, DrainOutcome } from './drain-hooks.ts';
export { emptyLog, parseRestartLog, restartTimes, resumeFrom, withEntry } from './restart-log.ts';
export type { RestartEntry, RestartLog, Resume } from './restart-log.ts';
export { planRestart, restartExitCode } from './restart-plan.ts';
export type { Restart, RestartFacts, RestartPlan } from './restart-plan.ts';
