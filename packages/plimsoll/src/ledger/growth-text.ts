import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import type { LedgerGrowth, GrowthRow } from '@plimsoll/ledger';
import { formatTable, printable } from '../screen/table.ts';
import { dateText } from './time-option.ts';

/** Growth over less time than this is mostly start-up. */
const shortMs = 300_000;

/** The growth of every scope as a table, fastest first. */
export function growthText(growth: LedgerGrowth, limit: number): string {
  const rows = growth.rows.slice(0, limit);
  const span = formatDuration(growth.until - growth.since);
  const lines = [`growth per hour, ${dateText(growth.since)} to ${dateText(growth.until)} (${span})`];
  if (rows.length === 0) lines.push('no scope has three samples or more in this time');
  else lines.push(...growthTable(rows));
  const hidden = growth.rows.length - rows.length;
  if (hidden > 0) lines.push(`... ${hidden.toLocaleString('en-US')} more (--limit)`);
  if (growth.tooShort > 0) {
    lines.push(`${growth.tooShort.toLocaleString('en-US')} scopes with fewer than three samples left out`);
  }
  return `${lines.join('\n')}\n`;
}

function growthTable(rows: readonly GrowthRow[]): readonly string[] {
  const oneRun = rows.every((row) => row.run === rows[0]?.run);
  return formatTable(
    [
      { title: 'scope', cell: (row) => row.scope },
      { title: 'per hour', align: 'right', cell: (row) => signed(row.bytesPerHour) },
      { title: '± error', align: 'right', cell: (row) => formatByteSize(row.errorPerHour) },
      { title: 'r²', align: 'right', cell: (row) => row.r2.toFixed(2) },
      { title: 'from', align: 'right', cell: (row) => formatByteSize(Math.max(0, row.startBytes)) },
      { title: 'to', align: 'right', cell: (row) => formatByteSize(Math.max(0, row.endBytes)) },
      { title: 'over', align: 'right', cell: (row) => formatDuration(row.to - row.from) },
      { title: 'points', align: 'right', cell: (row) => row.points.toLocaleString('en-US') },
      { title: 'of', cell: (row) => row.of },
      ...(oneRun ? [] : [{ title: 'run', cell: (row: GrowthRow) => String(row.run) }]),
    ],
    rows,
    140,
  );
}

/** "process +118.0 MiB per hour of floor (r² 0.98, 700 points over 12 m)". */
export function growthPhrase(row: GrowthRow): string {
  return printable(
    `${row.scope} ${signed(row.bytesPerHour)} per hour of ${row.of} (r² ${row.r2.toFixed(2)}, ${row.points.toLocaleString('en-US')} points over ${formatDuration(row.to - row.from)}${row.to - row.from < shortMs ? '; too short to tell growth from warm-up' : ''})`,
  );
}

const signed = (bytes: number): string => `${bytes >= 0 ? '+' : ''}${formatByteSize(bytes)}`;
