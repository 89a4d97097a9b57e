import { readRestartLog } from '@plimsoll/host/protocol';
import { version } from '@plimsoll/core/internal/version';
import { deathStory } from '../autopsy/death-story.ts';
import { autopsiesIn } from '../autopsy/examine.ts';
import type { Life } from './life.ts';
import { concludeAll, frameOverLives, lifeRows } from './lives.ts';
import type { EndedLife } from './lives.ts';
import { recordFindings } from './record-findings.ts';
import { composeReport } from './report.ts';
import type { Report } from './report.ts';
import type { ReportSeries } from './series.ts';

/** One report over all lives of a program, when each has been judged by its files. */
export async function reportOn(
  lives: readonly Life[],
  target: string,
  dir: string,
  series?: ReportSeries,
): Promise<Report> {
  const ended = await Promise.all(
    lives.map(async (life) => ({ ...life, conclusion: await life.conclusion })),
  );
  const first = ended[0] as EndedLife;
  const last = ended.at(-1) as EndedLife;
  const conclusion = concludeAll(ended);
  const findings = await recordFindings(dir, last.pid, conclusion.findings, first.startedAt);
  return composeReport({
    version,
    target,
    startedAt: first.startedAt,
    endedAt: Date.now(),
    exit: last.exit,
    frame: frameOverLives(ended.map(({ conclusion: { frame } }) => ({ frame }))),
    conclusion: { ...conclusion, findings },
    // The next life continues the incident of the previous one, so the newest one of an id is the whole story.
    incidents: [
      ...new Map(
        ended.flatMap(({ conclusion: { frame } }) => frame?.incident ?? []).map((each) => [each.id, each]),
      ).values(),
    ],
    lives: lifeRows(ended, readRestartLog(dir)),
    autopsies: ended.map(({ autopsy }) => autopsy),
    deathStory: ended.some(({ autopsy }) => autopsy.isDeath) ? deathStory(autopsiesIn(dir)) : null,
    series,
  });
}
