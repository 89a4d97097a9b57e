import { formatByteSize } from '@plimsoll/core/units';
import { formatTable } from '../screen/table.ts';
import type { GateSection } from './compare.ts';

const words = {
  fine: 'FINE: memory is within its bounds.',
  worse: 'WORSE: memory is above its bounds.',
  undecided: 'UNDECIDED: the runs differ too much to tell. More runs (--runs) or more calls (--calls) may.',
} as const;

/** The result of a gate as a table, before and after. */
export function gateText(gate: GateSection): string {
  const table = formatTable(
    [
      { title: 'figure', cell: (row) => row.name },
      { title: 'before', align: 'right', cell: (row) => bytes(row.before) },
      { title: 'after', align: 'right', cell: (row) => bytes(row.after) },
      { title: 'result', cell: (row) => row.outcome },
      { title: 'difference', cell: (row) => row.why },
    ],
    gate.rows,
    160,
  );
  const calls = gate.runs.map((run) => run.calls).filter((count) => count > 0);
  return [
    words[gate.outcome],
    ...table.map((line) => `  ${line}`),
    `  ${gate.runs.length} runs${calls.length === 0 ? '' : ` of about ${Math.round(calls.reduce((a, b) => a + b, 0) / calls.length).toLocaleString('en-US')} calls`} against ${gate.baselineRuns.length} of the baseline`,
    ...(gate.per1000Calls === null
      ? []
      : [`  1,000 calls add ${bytes(gate.per1000Calls)} beyond the baseline`]),
    '',
  ].join('\n');
}

/** The same as Markdown, for a pull request. */
export function gateMarkdown(gate: GateSection): string {
  const sign = gate.outcome === 'fine' ? '✅' : gate.outcome === 'worse' ? '❌' : '⚠️';
  return [
    `## ${sign} Plimsoll gate: ${words[gate.outcome]}`,
    '',
    '| figure | before | after | result | difference |',
    '|---|---|---|---|---|',
    ...gate.rows.map(
      (row) => `| ${row.name} | ${bytes(row.before)} | ${bytes(row.after)} | ${row.outcome} | ${row.why} |`,
    ),
    '',
    `${gate.runs.length} runs against ${gate.baselineRuns.length} of the baseline.${gate.per1000Calls === null ? '' : ` 1,000 calls add ${bytes(gate.per1000Calls)} beyond the baseline.`}`,
    '',
  ].join('\n');
}

function bytes(value: number | null): string {
  if (value === null) return '-';
  return value < 0 ? `-${formatByteSize(-value)}` : formatByteSize(value);
}
