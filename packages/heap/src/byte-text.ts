/** Bytes as people read them: "512 B", "1.4 KiB", "71.4 MiB". */
export function bytesText(bytes: number): string {
  const sign = bytes < 0 ? '-' : '';
  let value = Math.abs(bytes);
  if (value < 1024) return `${sign}${Math.round(value)} B`;
  let unit = 'B';
  for (const next of ['KiB', 'MiB', 'GiB', 'TiB']) {
    if (Math.round(value) < 1024) break;
    value /= 1024;
    unit = next;
  }
  return `${sign}${value.toFixed(1)} ${unit}`;
}

/** Counts with thousands separators: "7,496". */
export function countText(count: number): string {
  // By hand: the first use of a locale costs more than the analysis of a small snapshot.
  return String(Math.round(count)).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** "240 ms", "9 s". */
export function msText(ms: number): string {
  return ms < 1000
    ? `${Math.round(ms)} ms`
    : `${ms < 10_000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000)} s`;
}
