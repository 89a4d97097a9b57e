export { version } from '@plimsoll/core/internal/version';
export type { Report, Verdict } from './run/report.ts';
