import { formatByteSize, formatDuration, formatUsedOfLimit } from '@plimsoll/core/units';
import { forecastText, heldText, keeperLines } from '../screen/keeper-text.ts';
import { formatTable, printable } from '../screen/table.ts';
import { findingLines, type DrawTrace } from '../screen/finding-text.ts';
import { autopsyText } from '../autopsy/autopsy-text.ts';
import type { Report } from './report.ts';

const shownScopes = 8;
const shownIncidents = 3;
const shownLevels = 10;
const shownActions = 10;
const shownFindings = 3;
const shownKeepers = 5;
const shownProcesses = 12;

/** The summary of a run for a person. */
export function summaryText(
  report: Report,
  ledgerDir: string | null,
  draw?: DrawTrace,
  isVerdictAsked = true,
): string {
  const lasted = Date.parse(report.ended) - Date.parse(report.started);
  const lines = [`plimsoll: ${printable(report.target)} ran ${formatDuration(lasted)}, ${exitText(report)}.`];
  const { last, peakUsedBytes, peakRssBytes, peakLevel } = report.readings;
  if (last === null || report.limits === null || peakUsedBytes === null || peakRssBytes === null) {
    lines.push(
      '  no reading arrived: the process ended before its first one, or it is not a Node.js program.',
    );
    lines.push(...restartLines(report));
    // Floors are read from the first moment on, so a verdict is possible even without a frame.
    if (report.proof !== null) lines.push(...verdictLines(report, draw, isVerdictAsked));
    return `${lines.join('\n')}\n${deathText(report)}`;
  }
  lines.push(
    `  limit     ${report.limits.text}`,
    `  used      ${formatUsedOfLimit(last.used, report.limits.bytes)} at the end, peak ${formatUsedOfLimit(peakUsedBytes, report.limits.bytes)}`,
    `  memory    heap ${formatByteSize(last.heapUsed)}, array buffers ${formatByteSize(last.arrayBuffers)}, external ${formatByteSize(last.external)}, rss ${formatByteSize(last.rss)} (peak ${formatByteSize(peakRssBytes)})`,
    `  level     ${peakLevel} at the highest`,
    ...incidentLines(report),
    ...levelLines(report),
    ...actionLines(report),
    ...restartLines(report),
    ...policyLines(report),
    `  itself    Plimsoll held ${formatByteSize(last.self.bytes)} and took ${(100 * last.self.cpuRatio).toFixed(2)} % of a core at the end`,
    ...scopeLines(report),
    ...(report.readings.forecast === null ? [] : [`  forecast  ${forecastText(report.readings.forecast)}`]),
    ...verdictLines(report, draw, isVerdictAsked),
  );
  if (ledgerDir !== null) lines.push(`  ledger    ${ledgerDir} (plimsoll ledger summary --dir ${ledgerDir})`);
  return `${lines.join('\n')}\n${deathText(report)}`;
}

/** The story of all deaths, then the autopsy of the last one. */
function deathText({ deaths, deathStory }: Report): string {
  const last = deaths.at(-1);
  const story = deathStory === null ? '' : `${printable(deathStory)}\n`;
  return last === undefined ? '' : `${story}${autopsyText(last)}`;
}

/** The end of a run in one line, for a log. */
export function endText(report: Report, isVerdictAsked: boolean): string {
  const lasted = Date.parse(report.ended) - Date.parse(report.started);
  const verdict =
    report.verdict === 'undecided' && !isVerdictAsked ? 'no verdict asked for' : `verdict ${report.verdict}`;
  return `${report.target} ran ${formatDuration(lasted)}, ${exitText(report)}, ${verdict}`;
}

/** The numbers for that line. */
export function endFacts(report: Report): Readonly<Record<string, unknown>> {
  const { peakUsedBytes, peakRssBytes, peakLevel } = report.readings;
  return {
    exit: report.exit,
    verdict: report.verdict,
    why: report.why,
    findings: report.findings.length,
    peakUsedBytes,
    peakRssBytes,
    peakLevel,
    restarts: report.lives.filter(({ restart }) => restart !== null).length,
  };
}

function verdictLines(
  report: Report,
  draw: DrawTrace | undefined,
  isVerdictAsked: boolean,
): readonly string[] {
  const shown = report.findings.filter((each) => each.kind !== 'budget').slice(0, shownFindings);
  const stops = report.proof?.snapshots ?? [];
  return [
    report.verdict === 'undecided' && !isVerdictAsked
      ? '  verdict   not asked for; run with --report FILE (or --proof) to be told whether it leaks, and who holds it'
      : `  verdict   ${report.verdict}: ${report.why}`,
    ...processLines(report),
    ...(stops.length === 0
      ? []
      : [
          `  proof     ${stops.length} snapshots, the process stood still for ${stops.map((each) => formatDuration(each.stopMs)).join(' and ')}; read elsewhere in ${formatDuration(report.proof?.analysisMs ?? 0)}`,
        ]),
    ...stops.filter((each) => each.kept !== null).map((each) => `            kept: ${each.kept}`),
    ...shown.flatMap((finding, i) =>
      findingLines(finding, i === 0 ? draw : undefined).map(
        (line, k) => `  ${k === 0 ? `finding ${i + 1} ` : '          '}${line}`,
      ),
    ),
  ];
}

/** The newest incidents, a sentence each. */
function incidentLines({ incidents }: Report): readonly string[] {
  return incidents
    .slice(-shownIncidents)
    .map(
      ({ headline, outcome }, i) =>
        `  ${i === 0 ? 'incident  ' : '          '}${outcome ?? 'open'}: ${printable(headline)}`,
    );
}

/** One line per process when there is more than one. */
function processLines({ processes }: Report): readonly string[] {
  if (processes.length < 2) return [];
  const left = processes.length - shownProcesses;
  const lines = processes
    .slice(0, shownProcesses)
    .map(({ pid, target, verdict, why }) => `pid ${pid} ${target ?? 'unknown'}: ${verdict}, ${why}`);
  if (left > 0) lines.push(`... ${left} more in the report`);
  return lines.map((line, i) => `  ${i === 0 ? 'processes ' : '          '}${printable(line)}`);
}

function exitText(report: Report): string {
  const { code, signal, suspectedOutOfMemory } = report.exit;
  const how = signal === null ? `exit code ${code ?? 'unknown'}` : `ended by ${signal}`;
  return suspectedOutOfMemory ? `${how}, suspected out of memory` : how;
}

function actionLines(report: Report): readonly string[] {
  if (report.governance === null) return [];
  const { counts, admission } = report.governance;
  const shown = repeated(report.actions).slice(-shownActions);
  const lines: string[] = [];
  if (counts.actions + counts.wouldHave > 0) {
    const all = `${count(counts.cleanups)} ${counts.cleanups === 1 ? 'cleanup' : 'cleanups'}, ${formatByteSize(counts.freedBytes)} freed`;
    lines.push(
      `  actions   ${all}${counts.wouldHave === 0 ? '' : `, ${count(counts.wouldHave)} only written down`}`,
    );
    for (const { newest, times } of shown)
      lines.push(
        `            ${clock(newest.at)} ${newest.action} ${newest.outcome}${times === 1 ? '' : ` ×${count(times)}, last`}: ${printable(newest.text)}`,
      );
  }
  if (admission !== null && admission.refused > 0) {
    const asked = (admission.admitted + admission.refused).toLocaleString('en-US');
    lines.push(
      `  refused   ${admission.refused.toLocaleString('en-US')} of ${asked} that asked to be let in`,
    );
  }
  return lines;
}

function policyLines(report: Report): readonly string[] {
  const policy = report.governance?.policy;
  const lines = [
    policy?.fault == null ? null : `the file is not in force: ${policy.fault}`,
    policy?.givenUp ?? null,
  ].filter((line) => line !== null);
  return lines.map((line, i) => `  ${i === 0 ? 'policy    ' : '          '}${printable(line)}`);
}

interface Repeated {
  readonly newest: Report['actions'][number];
  readonly times: number;
}

/** Merges the same action with the same outcome into one line, at the place of the newest. */
function repeated(actions: Report['actions']): readonly Repeated[] {
  const found = new Map<string, Repeated>();
  for (const newest of actions) {
    const key = `${newest.action} ${newest.outcome}`;
    const times = (found.get(key)?.times ?? 0) + 1;
    found.delete(key);
    found.set(key, { newest, times });
  }
  return [...found.values()];
}

function restartLines(report: Report): readonly string[] {
  const restarted = report.lives.filter(({ restart }) => restart !== null);
  const shown = restarted.slice(-shownLevels).map(({ ended, restart }) => {
    const { reason, parked, lost } = restart as NonNullable<typeof restart>;
    return `            ${ended.slice(11, 19)} ${printable(reason)}; ${parked} sessions parked, ${lost} lost`;
  });
  if (restarted.length === 0) return [];
  return [`  restarts  ${restarted.length}, ${report.lives.length} lives in all`, ...shown];
}

/** The changes of the process; those of single scopes are counted. */
function levelLines(report: Report): readonly string[] {
  const all = report.readings.levels.filter((change) => change.scope === 'process');
  const others = new Set(
    report.readings.levels.filter((change) => change.scope !== 'process').map((change) => change.scope),
  ).size;
  const shown = all.slice(-shownLevels);
  const left = all.length - shown.length;
  return [
    ...(left > 0 ? [`            ... ${left} earlier changes in the ledger`] : []),
    ...shown.map(
      (change) =>
        `            ${clock(change.at)} ${change.from} -> ${change.level}, ${formatUsedOfLimit(change.usedBytes, change.limitBytes)}`,
    ),
    ...(others === 0
      ? []
      : [
          `            ${count(others)} ${others === 1 ? 'scope' : 'scopes'} went over a budget of their own; the ledger has them`,
        ]),
  ];
}

const clock = (at: number): string => new Date(at).toISOString().slice(11, 19);
const count = (value: number): string => value.toLocaleString('en-US');

/** Heaps of worker threads. Of the other lines only the resident set includes them. */
function workerRows({ readings: { workers = [] } }: Report): readonly string[] {
  return workers
    .slice(0, 5)
    .map(
      ({ threadId, name, heapUsed, limitBytes }, i) =>
        `  ${i === 0 ? 'workers ' : '        '}  ${name} (thread ${threadId}) ${formatUsedOfLimit(heapUsed, limitBytes)}`,
    );
}

function scopeLines(report: Report): readonly string[] {
  const { kinds, scopes } = report.readings;
  const held = [
    `  held      ${heldText({ ...report.readings, reading: report.readings.last })}`,
    ...keeperTable(report),
    ...workerRows(report),
  ];
  if (kinds.length === 0)
    return ['  scopes    none opened: bytes are known for the whole process only', ...held];
  const peaks = highest(report.readings.peaks);
  const opened = kinds
    .map((each) => `${each.kind} ${each.opened.toLocaleString('en-US')} (${each.open} open)`)
    .join(', ');
  const open = new Map(scopes.map((row) => [row.path, row.bytes]));
  const table = formatTable(
    [
      { title: 'heaviest', cell: (row) => row.path },
      { title: 'peak', align: 'right', cell: (row) => formatByteSize(row.peakBytes) },
      {
        title: 'at the end',
        align: 'right',
        cell: (row) => (open.has(row.path) ? formatByteSize(open.get(row.path) as number) : 'closed'),
      },
    ],
    peaks.slice(0, shownScopes),
    100,
  );
  return [
    `  scopes    opened: ${opened}`,
    ...(peaks.length === 0 ? [] : table.map((line) => `            ${line}`)),
    ...held,
  ];
}

function keeperTable({ readings }: Report): readonly string[] {
  return keeperLines(readings, shownKeepers, 100).map((line) => `            ${line}`);
}

/** One row per path, because a scope of the same name may have been opened in every life of the program. */
function highest(peaks: Report['readings']['peaks']): Report['readings']['peaks'] {
  const found = new Map<string, (typeof peaks)[number]>();
  for (const peak of peaks) {
    const known = found.get(peak.path);
    if (known === undefined || known.peakBytes < peak.peakBytes) found.set(peak.path, peak);
  }
  return [...found.values()].sort((a, b) => b.peakBytes - a.peakBytes);
}
