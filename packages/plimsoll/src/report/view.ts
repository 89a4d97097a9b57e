import { formatByteSize, formatDuration, formatUsedOfLimit } from '@plimsoll/core/units';
import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import type { Report } from '../run/report.ts';
import { holderOf } from '../screen/finding-text.ts';
import { printable } from '../screen/table.ts';

/** Tone of a result. Renderers choose colours and outcomes by it. */
export type Tone = 'good' | 'bad' | 'unsure';

/** The first line of a report. */
interface Headline {
  readonly word: string;
  readonly tone: Tone;
  readonly why: string;
}

export function headlineOf(report: Report): Headline {
  const { stress } = report;
  if (stress !== undefined) {
    const tone = stress.verdict === 'PASS' ? 'good' : stress.verdict === 'FAIL' ? 'bad' : 'unsure';
    return { word: stress.verdict, tone, why: stress.reasons[0] ?? 'nothing was found.' };
  }
  const tone = report.verdict === 'clean' ? 'good' : report.verdict === 'leak' ? 'bad' : 'unsure';
  return { word: report.verdict, tone, why: report.why };
}

/** The main figures, as name and value. */
export function factsOf(report: Report): readonly (readonly [name: string, value: string])[] {
  const { last, peakUsedBytes, peakRssBytes, peakLevel } = report.readings;
  const limit = report.limits?.bytes;
  const of = (bytes: number): string =>
    limit === undefined ? formatByteSize(bytes) : formatUsedOfLimit(bytes, limit);
  const lastedMs = Date.parse(report.ended) - Date.parse(report.started);
  return [
    [report.history === undefined ? 'ran' : 'window', formatDuration(lastedMs)],
    ...(report.history === undefined
      ? [['end', endText(report)] as const]
      : [['runs', report.history.runs.toLocaleString('en-US')] as const]),
    ...(peakUsedBytes === null ? [] : [['peak used', of(peakUsedBytes)] as const]),
    ...(last === null ? [] : [['used at the end', of(last.used)] as const]),
    ...(peakRssBytes === null ? [] : [['peak resident', formatByteSize(peakRssBytes)] as const]),
    ...(peakLevel === null ? [] : [['highest level', peakLevel] as const]),
    ...(report.governance === null || report.governance.counts.actions === 0
      ? []
      : [
          [
            'actions',
            `${report.governance.counts.actions}, ${formatByteSize(report.governance.counts.freedBytes)} freed`,
          ] as const,
        ]),
    ...(report.self === null
      ? []
      : [
          [
            'Plimsoll itself',
            `${formatByteSize(report.self.bytes)}, ${(100 * report.self.cpuRatio).toFixed(1)} % of a core`,
          ] as const,
        ]),
  ];
}

function endText({ exit, lives }: Report): string {
  if (exit.code === null && exit.signal === null) return 'still running';
  const how = exit.signal === null ? `exit code ${exit.code}` : `ended by ${exit.signal}`;
  const memory = exit.suspectedOutOfMemory ? ', suspected out of memory' : '';
  return `${how}${memory}${lives.length > 1 ? `, ${lives.length} lives` : ''}`;
}

/** One finding as texts for a page. */
export interface FindingView {
  readonly finding: Finding;
  readonly title: string;
  /** Its holder; null without a trace. */
  readonly holder: string | null;
  readonly facts: readonly string[];
}

export function findingViews(report: Report): readonly FindingView[] {
  return report.findings.map((finding) => {
    const { kind, scope, bytes, rate, exhaustsIn, subject, site, count, endedAt } = finding;
    return {
      finding,
      title: printable(subject === undefined ? `${kind} in ${scope}` : `${subject} (${kind})`),
      holder: holderOf(finding) ?? null,
      facts: [
        ...(bytes > 0 ? [formatByteSize(bytes)] : []),
        ...(rate === undefined || rate <= 0 ? [] : [`${formatByteSize(rate)} per hour`]),
        ...(exhaustsIn === undefined ? [] : [`limit reached in ${formatDuration(exhaustsIn.ms)}`]),
        ...(count > 1 ? [`seen ${count.toLocaleString('en-US')} times`] : []),
        ...(subject === undefined ? [] : [`first in ${printable(scope)}`]),
        ...(site === undefined ? [] : [`made at ${printable(site)}`]),
        ...(endedAt === undefined ? [] : ['over now']),
      ],
    };
  });
}

const mostSteps = 6;

/** Next steps, the most useful first. */
export function nextSteps(report: Report): readonly string[] {
  const steps: string[] = [];
  for (const { fix, severity, knownLeak } of report.findings) {
    if (severity === 'info') continue;
    steps.push(
      printable(knownLeak === undefined ? fix : `${fix} Known leak ${knownLeak.name}: ${knownLeak.cure}`),
    );
  }
  const { exit, readings, verdict, stress, governance } = report;
  for (const { id, outcome, text, measured } of stress?.hypotheses ?? [])
    if (outcome === 'rejected') steps.push(`Hypothesis ${id} (${text}) does not hold: ${measured}.`);
  for (const check of stress?.checks ?? [])
    if (check.outcome === 'failed') steps.push(`${check.name}: ${check.text}`);
  for (const { name, outcome, note } of stress?.injections ?? [])
    if (outcome === 'hurt') steps.push(`${name}: ${note}`);
  if (exit.suspectedOutOfMemory)
    steps.push(
      'Give the process more memory or less work: it ended near its limit. "plimsoll doctor" says which limit binds.',
    );
  if (verdict === 'leak' && steps.length === 0)
    steps.push('Take a snapshot when it has grown and read who holds it: plimsoll analyze FILE.');
  if (verdict === 'undecided')
    steps.push('Let it run longer or under more load: the evidence did not decide.');
  if (readings.kinds.length === 0 && verdict === 'leak')
    steps.push(
      'Open scopes around sessions and runs: bytes then have an owner, and a survivor is found within minutes.',
    );
  if (governance !== null && governance.policy.file === null && verdict === 'leak')
    steps.push('Until it is fixed, let a policy restart it in time: plimsoll init writes one.');
  for (const line of (stress?.notTried ?? []).slice(0, 2)) steps.push(`Not tried: ${line}`);
  return [...new Set(steps)].slice(0, mostSteps);
}
