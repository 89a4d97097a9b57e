const factors: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
};

const form = /^(\d+(?:\.\d+)?)\s*(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/;

/** Bytes of a size with a unit such as "64MiB"; undefined when the text is no such size. A bare number is no size: its unit would be a guess. */
export function parseByteSize(text: string): number | undefined {
  const match = form.exec(text.trim());
  if (match === null) return undefined;
  const bytes = Math.round(Number(match[1]) * (factors[match[2] as string] as number));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Bytes as people read them: "512 B", "1.4 KiB", "71.4 MiB". */
export function formatByteSize(bytes: number): string {
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

/** "71.4 MiB of 64.0 MiB (112 %)". */
export function formatUsedOfLimit(used: number, limit: number): string {
  return `${formatByteSize(used)} of ${formatByteSize(limit)} (${Math.round((100 * used) / limit)} %)`;
}
