/** The words for sizes and times, the same as in the terminal. */
export {
  formatByteSize as bytesText,
  formatUsedOfLimit as usedOfText,
} from '../../../../packages/core/src/units/byte-size.ts';
export { formatDuration as durationText } from '../../../../packages/core/src/units/duration.ts';

/** A number with separators, so that six digits can be read: "10,000". */
export function countText(count: number): string {
  return Math.round(count)
    .toString()
    .replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** A share as people read it: "85 %", "<1 %"; "–" when it is not known. */
export function percentText(ratio: number | null | undefined): string {
  if (ratio == null || !Number.isFinite(ratio)) return '–';
  if (ratio > 0 && ratio < 0.005) return '<1 %';
  return `${Math.round(ratio * 100)} %`;
}
