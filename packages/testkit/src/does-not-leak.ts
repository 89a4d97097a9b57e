import { failure } from '@plimsoll/core/internal/errors';
import { oneAtATime } from './engine/turnstile.ts';
import type { Work } from './engine/round-trip.ts';
import { checkGrowth } from './growth/growth-check.ts';
import { growthSettings, type GrowthOptions } from './options.ts';
import { count, growthLines, perText } from './report/failure-text.ts';
import { callerPlace, LeakError } from './report/leak-error.ts';
import type { GrowthReport } from './report/leak-report.ts';

/** Calls a function until it is clear whether every call keeps memory, and reports it. */
export async function growthOf(work: Work, options: GrowthOptions = {}): Promise<GrowthReport> {
  const settings = growthSettings(work, options);
  return oneAtATime(settings.name, () => checkGrowth(work, settings));
}

/** Throws a LeakError when every call of a function keeps memory. It works with every test runner. */
export async function doesNotLeak(work: Work, options: GrowthOptions = {}): Promise<void> {
  const where = callerPlace();
  const report = await growthOf(work, options);
  if (report.verdict === 'leak') throw growthError(report, where);
}

export function growthError(report: GrowthReport, where: string): LeakError<GrowthReport> {
  const { leaks, per, name, steps } = report;
  const [leak] = leaks;
  const perCall = report.bytesPerCall + report.externalBytesPerCall;
  const error = failure('PLM_LEAK_GROWTH', {
    what: name,
    keeps:
      leak === undefined
        ? `${Math.round(perCall)} B per ${per} that no single path explains`
        : `${perText(leak.objectsPerCall)} ${leak.name} per ${per}`,
    evidence: `${steps.length} of ${steps.length} steps, ${count(steps.reduce((sum, each) => sum + each, 0))} ${per}s`,
    where,
    fix:
      leak?.fix ??
      'look for a string, a typed array or an array of numbers that is only ever added to: such a holder grows without new objects.',
  });
  return new LeakError(error, growthLines(report), report);
}
