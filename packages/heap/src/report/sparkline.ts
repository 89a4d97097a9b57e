const bars = '▁▂▃▄▅▆▇█';

/** Values as bars, the largest as the highest; of many values, the largest of each stretch. */
export function sparkline(values: readonly number[], width = 40): string {
  const most = Math.max(0, ...values);
  if (values.length === 0 || most === 0) return '';
  const columns = Math.min(width, values.length);
  return Array.from({ length: columns }, (_, i) => {
    const stretch = values.slice(
      Math.floor((i * values.length) / columns),
      Math.max(
        Math.floor(((i + 1) * values.length) / columns),
        Math.floor((i * values.length) / columns) + 1,
      ),
    );
    return bars[Math.min(bars.length - 1, Math.floor((Math.max(...stretch) / most) * (bars.length - 0.001)))];
  }).join('');
}
