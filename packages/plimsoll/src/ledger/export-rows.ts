import { storedFields } from '@plimsoll/core/internal/sense/reading-fields';
import type { AuditRecord, LedgerReader, StoredSample, WindowOptions } from '@plimsoll/ledger';
import { printable } from '../screen/table.ts';

export type ExportFormat = 'ndjson' | 'csv';
export type ExportPart = 'samples' | 'audit';

const sampleColumns: readonly (keyof StoredSample)[] = [
  'at',
  'run',
  'scope',
  'bytes',
  ...storedFields.map(({ name }) => name),
  'level',
];
const auditColumns = [
  'seq',
  'at',
  'run',
  'kind',
  'scope',
  'body',
  'hash',
] as const satisfies readonly (keyof AuditRecord)[];
const auditPage = 1000;

/** The lines of an export, one at a time, so that a ledger of any size can be exported. */
export function* exportLines(
  reader: LedgerReader,
  format: ExportFormat,
  parts: readonly ExportPart[],
  window: WindowOptions,
): IterableIterator<string> {
  if (parts.includes('samples')) {
    if (format === 'csv') yield sampleColumns.join(',');
    for (const row of reader.samples(window)) {
      yield format === 'csv'
        ? sampleColumns.map((column) => csvCell(row[column])).join(',')
        : JSON.stringify({ type: 'sample', ...withoutNulls(row) });
    }
  }
  if (parts.includes('audit')) {
    if (format === 'csv') yield auditColumns.join(',');
    for (const row of auditRows(reader, window)) {
      yield format === 'csv'
        ? auditColumns
            .map((column) => csvCell(column === 'body' ? JSON.stringify(row.body) : row[column]))
            .join(',')
        : JSON.stringify({ type: 'audit', ...row });
    }
  }
}

function* auditRows(reader: LedgerReader, window: WindowOptions): IterableIterator<AuditRecord> {
  let after = 0;
  for (;;) {
    const page = reader.audit({ ...window, after, limit: auditPage });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < auditPage) return;
    after = last.seq;
  }
}

function withoutNulls(row: StoredSample): Partial<StoredSample> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

/** A cell of CSV, quoted where needed. A leading = + - @ is escaped, because spreadsheets would run it as a formula. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const raw = typeof value === 'string' ? value : JSON.stringify(value);
  const quoted = /^[=+\-@\t\r]/.test(raw) ? `'${raw}` : raw;
  // Line breaks are quoted below; other control characters would move the cursor when the file is printed.
  const safe = quoted
    .split(/(?<=[\n\r])/)
    .map(printableLine)
    .join('');
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function printableLine(line: string): string {
  const end = /[\n\r]$/.test(line) ? line.slice(-1) : '';
  return `${printable(line.slice(0, line.length - end.length))}${end}`;
}
