/** Sizes and times in the same words as in the terminal. */
export {
  formatByteSize as bytesText,
  formatDuration as durationText,
  formatUsedOfLimit as usedOfText,
} from '@plimsoll/core/units';
export { freedText } from '@plimsoll/host/protocol/text';

/** A number with separators, so that six digits can be read: "10,000". */
export function countText(count: number): string {
  return Math.round(count)
    .toString()
    .replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** A share in percent: "85 %", "<1 %"; "–" when unknown. */
export function percentText(ratio: number | null | undefined): string {
  if (ratio == null || !Number.isFinite(ratio)) return '–';
  if (ratio > 0 && ratio < 0.005) return '<1 %';
  return `${Math.round(ratio * 100)} %`;
}

/** A count with its noun: "1 object", "1,204 objects". */
export function plural(count: number, noun: string): string {
  return `${countText(count)} ${count === 1 ? noun : `${noun}s`}`;
}
