import { formatByteSize } from '@plimsoll/core/units';
import type { Summary } from '@plimsoll/ledger';
import { formatTable } from '../screen/table.ts';

/** The rows of a summary as a table, largest first. */
export function summaryTable(summary: Summary): readonly string[] {
  const table = formatTable(
    [
      { title: 'scope', cell: (row) => row.key },
      { title: 'scopes', align: 'right', cell: (row) => row.scopes.toLocaleString('en-US') },
      { title: 'samples', align: 'right', cell: (row) => row.samples.toLocaleString('en-US') },
      { title: 'min', align: 'right', cell: (row) => formatByteSize(row.minBytes) },
      { title: 'average', align: 'right', cell: (row) => formatByteSize(row.avgBytes) },
      { title: 'p95', align: 'right', cell: (row) => formatByteSize(row.p95Bytes) },
      { title: 'max', align: 'right', cell: (row) => formatByteSize(row.maxBytes) },
      { title: 'last', align: 'right', cell: (row) => formatByteSize(row.lastBytes) },
    ],
    summary.rows,
    110,
  );
  return summary.more === 0
    ? table
    : [...table, `... ${summary.more.toLocaleString('en-US')} more (--limit)`];
}
