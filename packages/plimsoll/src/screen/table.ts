export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  readonly align?: 'left' | 'right';
}

/**
 * Rows as aligned text; the first column is cut from the left when the table is wider than `width`, because the end of a scope path is the
 * most useful part.
 */
export function formatTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width = 120,
): readonly string[] {
  const cells = rows.map((row) => columns.map((column) => printable(column.cell(row))));
  const widths = columns.map((column, i) =>
    Math.max(column.title.length, ...cells.map((line) => (line[i] as string).length)),
  );
  const total = widths.reduce((sum, each) => sum + each + 2, -2);
  const first = widths[0] as number;
  if (total > width) widths[0] = Math.max(12, first - (total - width));
  const format = (line: readonly string[]): string =>
    line
      .map((cell, i) => {
        const space = widths[i] as number;
        const text = cell.length > space ? `…${cell.slice(cell.length - space + 1)}` : cell;
        return columns[i]?.align === 'right' ? text.padStart(space) : text.padEnd(space);
      })
      .join('  ')
      .trimEnd();
  return [format(columns.map((column) => column.title)), ...cells.map(format)];
}

/** Names come from user code and may carry control characters that would move the cursor. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what has to go
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '\u00b7');
}
