import { failure } from '../errors.ts';

/** A number inside its bounds; throws PLM_SENSE_BAD_OPTION otherwise, because a wrong option is a mistake in the calling code. */
export function bounded(option: string, value: number, min: number, max: number): number {
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw failure('PLM_SENSE_BAD_OPTION', {
    option,
    value: String(value),
    accepted: `a number from ${min} to ${max}`,
  });
}
