/**
 * Entry of the analysis process: it reads the snapshots of another process and prints the result as JSON. A crash here does not affect that
 * process.
 */
import type { AnalysisRequest } from './analysis-process.ts';
import { analyzeSnapshots } from './snapshot-analysis.ts';

const [asked] = process.argv.slice(2);
if (asked !== undefined) {
  const { last, middle, first, scopes, earlyScopes, isNative, isTest } = JSON.parse(asked) as AnalysisRequest;
  const analysis = await analyzeSnapshots(last, first ?? undefined, {
    middle: middle ?? undefined,
    scopes,
    earlyScopes,
    isNative,
    isTest,
  });
  process.stdout.write(JSON.stringify(analysis));
}
