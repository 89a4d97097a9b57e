export { severities } from './findings/finding.ts';
export type { Finding, Severity, TraceStep } from './findings/finding.ts';
