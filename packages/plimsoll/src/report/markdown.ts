import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import type { Report } from '../run/report.ts';
import type { DrawTrace } from '../screen/finding-text.ts';
import { printable } from '../screen/table.ts';
import type { StressSection } from './stress-section.ts';
import { factsOf, findingViews, headlineOf, nextSteps } from './view.ts';

/** A comment on a pull request should fit on one screen. */
const mostLines = 60;
const mostFindings = 5;
const mostRows = 6;
const leastTraceLines = 8;

/** A report as Markdown of at most 60 lines, for a pull request. */
export function reportMarkdown(report: Report, draw?: DrawTrace): string {
  const { word, tone, why } = headlineOf(report);
  const sign = tone === 'good' ? '✅' : tone === 'bad' ? '❌' : '⚠️';
  const head = [
    `## ${sign} Plimsoll: ${word}, ${inline(report.target)}`,
    '',
    inline(why),
    '',
    ...table(['figure', 'value'], factsOf(report)),
    ...stressLines(report.stress),
    ...grownLines(report),
    ...findingLines(report),
  ];
  const next = nextSteps(report).slice(0, 4);
  const tail = [
    ...(next.length === 0
      ? []
      : ['', '### What to do next', ...next.map((step, i) => `${i + 1}. ${inline(step)}`)]),
    '',
    `<sub>Plimsoll ${inline(report.plimsoll)}, ${inline(report.ended)}. The whole report: \`plimsoll report FILE --html\`.</sub>`,
  ];
  const space = mostLines - head.length - tail.length - 1;
  return `${[...head, ...traceLines(report, draw, space), ...tail].slice(0, mostLines).join('\n')}\n`;
}

function findingLines(report: Report): readonly string[] {
  const all = findingViews(report);
  const grave = all.filter(({ finding }) => finding.severity !== 'info');
  const views = grave.length === 0 ? all : grave;
  if (views.length === 0) return [];
  const rows = views
    .slice(0, mostFindings)
    .map(({ finding, title, holder, facts }) => [
      finding.severity,
      title,
      holder ?? 'not known',
      facts.slice(0, 3).join(', '),
    ]);
  const left = all.length - rows.length;
  return [
    '',
    ...table(['severity', 'finding', 'held by', 'figures'], rows),
    ...(left > 0 ? [`… and ${left} more in the report.`] : []),
  ];
}

function stressLines(stress: StressSection | undefined): readonly string[] {
  if (stress === undefined) return [];
  const plans = stress.plans.map((row) => [
    row.plan,
    `${formatDuration(row.ms)}, ${row.calls.toLocaleString('en-US')} calls, ${row.errors} failed`,
    row.bytesPerCall === null ? 'not known' : `${signed(row.bytesPerCall)} per call`,
    row.verdict,
  ]);
  const hypotheses = stress.hypotheses
    .slice(0, mostRows)
    .map((row) => [`${row.id}: ${row.text}`, `${row.outcome}, ${row.measured}`]);
  const bad = [
    ...stress.checks.filter(({ outcome }) => outcome === 'failed').map((row) => [row.name, row.text]),
    ...stress.injections.filter(({ outcome }) => outcome === 'hurt').map((row) => [row.name, row.note]),
  ];
  const outcomes = (wanted: string): number =>
    stress.injections.filter(({ outcome }) => outcome === wanted).length;
  return [
    '',
    ...table(['plan', 'load', 'live bytes', 'verdict'], plans),
    ...(hypotheses.length === 0 ? [] : ['', ...table(['hypothesis', 'result'], hypotheses)]),
    ...(stress.injections.length === 0
      ? []
      : [
          '',
          `Injected faults: ${outcomes('held')} survived, ${outcomes('hurt')} did harm, ${outcomes('not reached')} were never met by the program.`,
        ]),
    ...(bad.length === 0 ? [] : ['', ...table(['did not hold', 'what happened'], bad.slice(0, mostRows))]),
  ];
}

function grownLines({ history }: Report): readonly string[] {
  if (history === undefined || history.grown.length === 0) return [];
  const rows = history.grown
    .slice(0, mostRows)
    .map((row) => [
      row.scope,
      `${formatByteSize(row.bytesPerHour)} per hour`,
      `${formatByteSize(row.startBytes)} to ${formatByteSize(row.endBytes)}`,
    ]);
  return ['', ...table(['what grew', 'growth', 'from and to'], rows)];
}

/** The trace of the gravest finding, folded, without its middle when it is longer than the space. */
function traceLines(report: Report, draw: DrawTrace | undefined, space: number): readonly string[] {
  const finding = report.findings.find(({ trace }) => trace !== undefined);
  const room = space - 7;
  if (finding?.trace === undefined || draw === undefined || room < leastTraceLines) return [];
  const all = printableLines(draw(finding.trace));
  const half = Math.floor((room - 1) / 2);
  const shown =
    all.length <= room ? all : [...all.slice(0, half), '… cut …', ...all.slice(all.length - half)];
  return [
    '',
    '<details>',
    `<summary>Leak trace of ${inline(finding.id)}: who holds it</summary>`,
    '',
    '```text',
    ...shown.map((line) => line.replaceAll('```', "'''")),
    '```',
    '</details>',
  ];
}

function printableLines(text: string): readonly string[] {
  return text.split('\n').map(printable);
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.map(inline).join(' | ')} |`;
  return [line(titles), `|${titles.map(() => '---').join('|')}|`, ...rows.map(line)];
}

const longest = 240;

/** Text from a program for one cell: without markup, mentions and line breaks. */
function inline(text: string): string {
  const short = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
  return printable(short)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_[\]|#~]/g, String.raw`\$&`)
    .replaceAll('@', '@\u200b');
}

function signed(bytes: number): string {
  return bytes < 0 ? `-${formatByteSize(-bytes)}` : `+${formatByteSize(bytes)}`;
}
