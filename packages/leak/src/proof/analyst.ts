/** The analyst: a process of its own that reads the snapshots of another one, prints what it found as JSON, and may crash without effect. */
import type { Question } from './analyze.ts';
import { evidenceOf } from './evidence.ts';

const [asked] = process.argv.slice(2);
if (asked !== undefined) {
  const { last, first, scopes, earlyScopes, isNative } = JSON.parse(asked) as Question;
  const evidence = await evidenceOf(last, first ?? undefined, scopes, earlyScopes, isNative);
  process.stdout.write(JSON.stringify(evidence));
}
