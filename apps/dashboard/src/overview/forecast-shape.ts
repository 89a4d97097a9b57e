import type { Frame } from '@plimsoll/host/protocol/frame';
import { suspicionOf } from '@plimsoll/host/protocol/text';
import { forecastOf, survivorsOf } from '../live/frame-parts.ts';
import { bytesText, plural } from '../text/units.ts';
import { timeText } from '../text/clock.ts';

/** Text about growth while there is no forecast. It does not say that all is well while memory is short or there are survivors. */
export function growthText(frame: Frame): string {
  const { growth, reading } = frame;
  const heap = growth?.channels.heap;
  const { count } = survivorsOf(frame);
  if (count > 0 && heap?.shape !== 'growing')
    return `No forecast yet, but ${plural(count, 'object')} that should be gone stay in memory.`;
  if (heap === undefined || heap.shape === 'few')
    return `No forecast: it needs more major GCs to tell growth from noise (${reading.majors} so far).`;
  if (heap.shape === 'flat') return `${plural(heap.floors, 'floor')} looked at: they do not rise.`;
  const rose = `${plural(heap.floors, 'floor')} looked at: they rose by ${bytesText(heap.growthBytes)}`;
  if (heap.shape === 'ended') return `${rose} and came to rest.`;
  if (heap.shape === 'slowing') return `${rose}, more and more slowly, like a cache that fills up.`;
  return heap.shape === 'growing'
    ? `${rose}${suspicionText(frame)}.`
    : `${rose}. This is not certain enough for a forecast.`;
}

/** The rate of the growth, its start, and its main holder or allocator, as far as known. */
export function suspicionText({ growth }: Frame): string {
  const suspicion = suspicionOf(growth);
  if (suspicion === null) return '';
  const { perHour, since, who } = suspicion;
  const pace = perHour > 0 ? `, by ${bytesText(perHour)} per hour` : '';
  return `${pace}${since === null ? '' : ` since ${timeText(since)}`}${who === null ? '' : `; ${who}`}`;
}

/** The title of the panel while there is no forecast. */
export function growthTitle(frame: Frame): string {
  const { used, limit } = frame.reading;
  if (used >= limit) return 'The limit is reached';
  if (forecastOf(frame) !== null) return 'Growing';
  const shape = frame.growth?.channels.heap.shape;
  if (survivorsOf(frame).count > 0) return 'Memory is kept that should be free';
  if (shape === 'flat') return 'Not growing';
  if (shape === 'growing') return 'Growing';
  return shape === 'ended' ? 'Came to rest' : shape === 'slowing' ? 'Slowing down' : 'Not known yet';
}

interface FanSize {
  readonly width: number;
  readonly height: number;
  /** Horizontal position of the present. */
  readonly nowX: number;
}

/** The lines of the fan as points: the floor so far, the path to the limit, and the band around it. */
interface Fan {
  readonly past: string;
  readonly line: string;
  readonly band: string;
  readonly hitX: number;
  readonly limitY: number;
}

/**
 * Draws the floors so far on the left of the present and the forecast on its right. Time on the right is linear up to the end of the band.
 */
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
