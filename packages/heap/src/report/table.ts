/** A text table: first column to the left, the others to the right, two spaces between. */
export function textTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  widest = 60,
): string {
  const cut = (cell: string): string => (cell.length > widest ? `${cell.slice(0, widest - 1)}…` : cell);
  const cells = [head, ...rows].map((line) => line.map(cut));
  const widths = head.map((_, i) => Math.max(...cells.map((line) => (line[i] ?? '').length)));
  return cells
    .map((line) =>
      line
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
