import { Meter, stringBytes } from '@plimsoll/core/meter';
import type { ReportBoard } from '../report-board.ts';
import { textField } from './coalesce.ts';
import type { ReplayBufferEvents } from './events.ts';

/** What a chunk takes beside itself: its places in the lists of the log. */
const slotBytes = 32;
/** Only asked for the bytes of single values, so that every buffer can share it. */
const meter = new Meter();

/** The user's function for the bytes of a chunk; where it fails, the chunk is measured. */
export function guardedSize<T>(
  size: (chunk: T) => number,
  board: ReportBoard<ReplayBufferEvents>,
): (chunk: T) => number {
  return (chunk) => {
    try {
      const bytes = size(chunk);
      if (bytes >= 0 && bytes <= Number.MAX_SAFE_INTEGER) return bytes + slotBytes;
      throw new RangeError(`size gave ${String(bytes)}`);
    } catch (cause) {
      board.emit('hook-failed', { hook: 'size', cause });
      return measured(chunk);
    }
  };
}

/** Bytes of a chunk and its place in the log. */
export function measured(chunk: unknown): number {
  if (typeof chunk === 'string') return stringBytes(chunk) + slotBytes;
  const bytes = meter.append(chunk) + slotBytes;
  // The meter takes short words for shared ones; those of a delta are pieces of text.
  const field = textField(chunk);
  if (field === undefined) return bytes;
  const text = (chunk as Record<string, unknown>)[field];
  return typeof text === 'string' && text.length <= 10 ? bytes + stringBytes(text) : bytes;
}
