/** What a family of series is, and the curves that families are made of. Sizes are shares of the base level, times are hours. */
import type { Draw, Shape } from './family-series.ts';

export interface Family {
  readonly leak: boolean;
  /** The growth of one life of `hours` hours. */
  readonly shape: (draw: Draw, hours: number) => Shape;
}

const logistic = (x: number): number => 1 / (1 + Math.exp(-x));
export const clamp = (x: number): number => Math.min(1, Math.max(0, x));
export const smooth = (x: number): number => clamp(x) ** 2 * (3 - 2 * clamp(x));

/** A rise from 0 to 1 that begins slowly and ends slowly: middle and width are drawn within the life. */
export function drawnRise(draw: Draw, hours: number): (h: number) => number {
  const width = draw.log(1.5, 0.12 * hours);
  const middle = draw.between(0.15, 0.75) * hours + width;
  const floor = logistic(-middle / width);
  return (h) => (logistic((h - middle) / width) - floor) / (1 - floor);
}

/** Begin and share per hour of a leak that takes at least half of the base level in a whole life. */
export function leakLine(
  draw: Draw,
  hours: number,
  least = 0.005,
  most = 0.04,
): { onset: number; rate: number } {
  return {
    onset: draw.chance(0.4) ? 0 : draw.between(0.1, 0.4) * hours,
    rate: draw.log(Math.max(least, 0.5 / hours), most),
  };
}
