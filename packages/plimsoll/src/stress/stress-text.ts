import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import type { StressSection } from '../report/stress-section.ts';
import { formatTable } from '../screen/table.ts';

/** The section of `plimsoll stress` for the terminal, below the verdict. */
export function stressText(stress: StressSection): string {
  const blocks = [
    stress.reasons.slice(1, 12).map((reason) => `also: ${reason}`),
    formatTable(
      [
        { title: 'plan', cell: (row) => row.plan },
        { title: 'calls', align: 'right', cell: (row) => row.calls.toLocaleString('en-US') },
        { title: 'failed', align: 'right', cell: (row) => row.errors.toLocaleString('en-US') },
        { title: 'p50', align: 'right', cell: (row) => ms(row.p50Ms) },
        { title: 'p99', align: 'right', cell: (row) => ms(row.p99Ms) },
        { title: 'live before', align: 'right', cell: (row) => bytes(row.startBytes) },
        { title: 'after', align: 'right', cell: (row) => bytes(row.endBytes) },
        { title: 'per call', align: 'right', cell: (row) => signed(row.bytesPerCall) },
        { title: 'verdict', cell: (row) => row.verdict },
      ],
      stress.plans,
    ),
    stress.injections.length === 0
      ? []
      : formatTable(
          [
            { title: 'injected fault', cell: (row) => row.name },
            { title: 'happened', align: 'right', cell: (row) => row.happened.toLocaleString('en-US') },
            { title: 'result', cell: (row) => row.outcome },
            { title: 'what followed', cell: (row) => row.note },
          ],
          stress.injections,
          160,
        ),
    stress.checks.map(({ kind, name, outcome, text }) => `check ${kind} ${name}: ${outcome}, ${text}`),
    stress.hypotheses.map(
      ({ id, text, outcome, measured }) => `hypothesis ${id} (${text}): ${outcome}, ${measured}`,
    ),
    stress.notTried.map((line) => `not tried: ${line}`),
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => `\n${lines.map((line) => `  ${line}`).join('\n')}\n`)
    .join('');
}

const ms = (value: number | null): string => (value === null ? '-' : formatDuration(value));
const bytes = (value: number | null): string => (value === null ? '-' : formatByteSize(value));

function signed(value: number | null): string {
  if (value === null) return '-';
  return value < 0 ? `-${formatByteSize(-value)}` : `+${formatByteSize(value)}`;
}
