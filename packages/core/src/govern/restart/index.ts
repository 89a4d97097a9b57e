export { restartExitCode } from './restart-plan.ts';
export type { Restart, RestartDecision, RestartRequest, RestartRules } from './restart-plan.ts';
