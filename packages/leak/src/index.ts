export { severities } from './findings/finding.ts';
export type { Finding, Severity, FindingStep } from './findings/finding.ts';
