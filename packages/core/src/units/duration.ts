const factors: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  y: 31_536_000_000,
};

const form = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|y)$/;

/** Milliseconds of a duration with a unit such as "30s"; undefined when the text is no such duration. */
export function parseDuration(text: string): number | undefined {
  const match = form.exec(text.trim());
  if (match === null) return undefined;
  return Number(match[1]) * (factors[match[2] as string] as number);
}

/** Milliseconds as people read them: "240 ms", "14 s", "2 m 5 s", "3 h 10 m", "2 d 4 h". */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const pair = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
    small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;
  if (seconds < 3600) return pair(Math.floor(seconds / 60), 'm', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return pair(Math.floor(minutes / 60), 'h', minutes % 60, 'm');
  const hours = Math.round(minutes / 60);
  return pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
}
