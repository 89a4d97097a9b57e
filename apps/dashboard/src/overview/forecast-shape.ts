import type { Finding } from '../../../../packages/leak/src/findings/finding.ts';
import type { Frame } from '../../../../packages/host/src/protocol/api.ts';
import { formatByteSize as bytesText } from '../../../../packages/core/src/units/byte-size.ts';
import { formatDuration as durationText } from '../../../../packages/core/src/units/duration.ts';

/** When the limit is reached, if it goes on like this. */
export interface Forecast {
  readonly finding: Finding;
  readonly ms: number;
  readonly low: number;
  readonly high: number;
}

/** The forecast that comes true first; undefined when nothing is known to grow. */
export function firstForecast(findings: readonly Finding[]): Forecast | undefined {
  let first: Forecast | undefined;
  for (const finding of findings) {
    if (finding.exhaustsIn === undefined) continue;
    const { ms, low } = finding.exhaustsIn;
    // An open end is Infinity in the process and null in JSON.
    const high = (finding.exhaustsIn.high as number | null) ?? Infinity;
    if (first === undefined || ms < first.ms) first = { finding, ms, low, high };
  }
  return first;
}

/** The band of doubt in words. */
export function bandText({ low, high }: { readonly low: number; readonly high: number | null }): string {
  if (high === null || !Number.isFinite(high)) return `${durationText(low)} or later`;
  return `${durationText(low)} to ${durationText(high)}`;
}

/** What the floors say while nothing is forecast. */
export function floorText({ growth, reading }: Frame): string {
  const heap = growth?.channels.heap;
  if (heap === undefined || heap.shape === 'few')
    return `The floor is what is left after a major GC; ${reading.majors} so far. A few more, and growth can be told from noise.`;
  const seen = `${heap.floors} floors looked at: they`;
  if (heap.shape === 'flat') return `${seen} do not rise.`;
  const rose = `${seen} rose by ${bytesText(heap.growthBytes)}`;
  return heap.shape === 'settling'
    ? `${rose} and settle.`
    : `${rose}; not yet certain enough for a forecast.`;
}

export interface FanSize {
  readonly width: number;
  readonly height: number;
  /** Where now is, from the left. */
  readonly nowX: number;
}

/** The lines of the fan, as points of a drawing: the floor so far, the way to the limit, and the band around it. */
export interface Fan {
  readonly past: string;
  readonly line: string;
  readonly band: string;
  readonly hitX: number;
  readonly limitY: number;
}

/** Draws the floors so far at the left of now and the forecast at its right; time to the right is linear up to the end of the band. */
export function fan(
  floors: readonly (number | null)[],
  limit: number,
  forecast: { readonly ms: number; readonly low: number; readonly high: number },
  size: FanSize,
): Fan {
  const { width, height, nowX } = size;
  const known = floors.filter((floor) => floor !== null);
  const top = Math.max(limit, ...known) * 1.1;
  const y = (bytes: number): number => Math.round((height - (bytes / top) * height) * 10) / 10;
  const end = Math.max(1, Math.min(forecast.high, forecast.ms * 4));
  const x = (ms: number): number =>
    Math.round((nowX + (Math.min(ms, end) / (end * 1.05)) * (width - nowX)) * 10) / 10;
  const last = known.at(-1) ?? 0;
  const step = known.length < 2 ? 0 : nowX / (known.length - 1);
  const limitY = y(limit);
  return {
    past: known.map((floor, index) => `${Math.round(index * step * 10) / 10},${y(floor)}`).join(' '),
    line: `${nowX},${y(last)} ${x(forecast.ms)},${limitY}`,
    band: `${nowX},${y(last)} ${x(forecast.low)},${limitY} ${x(forecast.high)},${limitY}`,
    hitX: x(forecast.ms),
    limitY,
  };
}
