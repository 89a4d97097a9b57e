export { severities, type Finding, type Severity, type TraceStep } from './finding.ts';
