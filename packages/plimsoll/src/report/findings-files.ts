import { factsOf, findingViews, headlineOf, nextSteps } from './view.ts';
import type { Report } from '../run/report.ts';

/** One entry of a findings file. */
interface FileEntry {
  readonly id: string;
  readonly title: string;
  readonly severity: string;
  readonly description: string;
  readonly recommendation: string;
}

/** The report as a folder of small files, by name: confirmed, broken, hard to measure, next steps, and the numbers. */
export function findingsFiles(report: Report): Readonly<Record<string, string>> {
  const files: Record<string, unknown> = {
    'strengths.json': strengths(report),
    'bugs.json': bugs(report),
    'dx.json': dx(report),
    'improvements.json': nextSteps(report).map((step, i) => entry('IMP', i, step, 'medium', step, step)),
    'results/memory_results.json': results(report),
  };
  return Object.fromEntries(
    Object.entries(files).map(([name, value]) => [name, `${JSON.stringify(value, null, 2)}\n`]),
  );
}

function entry(
  kind: string,
  index: number,
  title: string,
  severity: string,
  description: string,
  recommendation = '',
): FileEntry {
  return {
    id: `${kind}-${String(index + 1).padStart(3, '0')}`,
    title,
    severity,
    description,
    recommendation,
  };
}

function strengths(report: Report): readonly FileEntry[] {
  const { stress } = report;
  const held: (readonly [string, string])[] = [
    ...(report.verdict === 'clean' ? [['memory does not grow', report.why] as const] : []),
    ...(stress?.checks ?? [])
      .filter(({ outcome }) => outcome === 'ok')
      .map(({ name, text }) => [name, text] as const),
    ...(stress?.injections ?? [])
      .filter(({ outcome }) => outcome === 'held')
      .map(({ name, note, proof }) => [`survives ${name}`, `${note} (${proof})`] as const),
    ...(stress?.hypotheses ?? [])
      .filter(({ outcome }) => outcome === 'confirmed')
      .map(({ id, text, measured }) => [`${id}: ${text}`, measured] as const),
  ];
  return held.map(([title, text], i) => entry('STR', i, title, 'info', text));
}

function bugs(report: Report): readonly FileEntry[] {
  const { stress } = report;
  const found: (readonly [title: string, severity: string, text: string, fix: string])[] = [
    ...findingViews(report)
      .filter(({ finding }) => finding.severity !== 'info')
      .map(
        ({ finding, title, holder, facts }) =>
          [
            title,
            finding.severity,
            [...facts, ...(holder === null ? [] : [`held by ${holder}`])].join(', '),
            finding.fix,
          ] as const,
      ),
    ...(stress?.checks ?? [])
      .filter(({ outcome }) => outcome === 'failed')
      .map(({ name, text }) => [name, 'high', text, ''] as const),
    ...(stress?.injections ?? [])
      .filter(({ outcome }) => outcome === 'hurt')
      .map(({ name, note }) => [name, 'medium', note, ''] as const),
    ...(stress?.hypotheses ?? [])
      .filter(({ outcome }) => outcome === 'rejected')
      .map(({ id, text, measured }) => [`${id}: ${text}`, 'medium', measured, ''] as const),
  ];
  return found.map(([title, severity, text, fix], i) => entry('BUG', i, title, severity, text, fix));
}

/** Obstacles to a better measurement. */
function dx(report: Report): readonly FileEntry[] {
  const { stress, readings } = report;
  const found = [
    ...(report.verdict === 'undecided' ? [`The evidence did not decide: ${report.why}`] : []),
    ...(readings.last !== null && readings.kinds.length === 0
      ? ['The program opens no scopes, so bytes are known for the whole process only.']
      : []),
    ...(stress?.injections ?? [])
      .filter(({ outcome }) => outcome === 'not reached')
      .map(({ name, note }) => `${name} was not reached: ${note}`),
    ...(stress?.notTried ?? []).map((line) => `Not tried: ${line}`),
  ];
  return found.map((text, i) => entry('DX', i, text, 'low', text));
}

function results(report: Report): unknown {
  const { word, why } = headlineOf(report);
  return {
    target: report.target,
    started: report.started,
    ended: report.ended,
    verdict: word,
    why,
    facts: Object.fromEntries(factsOf(report)),
    peakUsedBytes: report.readings.peakUsedBytes,
    peakRssBytes: report.readings.peakRssBytes,
    plans: report.stress?.plans ?? [],
    hypotheses: report.stress?.hypotheses ?? [],
    severities: countBy(report.findings.map(({ severity }) => severity)),
    floors: report.proof?.floors ?? [],
    series: report.series,
  };
}

function countBy(words: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
