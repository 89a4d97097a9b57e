import { durationText } from './units.ts';

/** The range of a forecast: "30 s to 1 m 30 s". An open end is null in JSON. */
export function bandText({ low, high }: { readonly low: number; readonly high: number | null }): string {
  if (high === null || !Number.isFinite(high)) return `${durationText(low)} or later`;
  return `${durationText(low)} to ${durationText(high)}`;
}
