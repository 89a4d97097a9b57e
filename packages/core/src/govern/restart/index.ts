export { restartExitCode } from './restart-plan.ts';
export type { Restart } from './restart-plan.ts';
