import type { Clamp } from '@plimsoll/core/internal/gate/shed-point';
import { slots } from '@plimsoll/core/internal/slots';

/** The clamp in force. Read from the slot of the shed points: a breaker loads no governor where none runs. */
export function memoryClamp(): Clamp | undefined {
  return slots().admission?.gate?.clamped;
}

/** Places of a tree under the clamp. There is always one, or waiting work would wait for ever. */
export function clampedPlaces(places: number): number {
  const concurrency = memoryClamp()?.concurrency;
  return concurrency === undefined ? places : Math.max(1, Math.min(places, concurrency));
}

/** Why a delegation below this one goes beyond the clamp; undefined when it does not. */
export function clampOf(parent: {
  readonly depth: number;
  readonly outstanding: number;
}): { readonly limit: 'depth' | 'fan-out'; readonly why: string } | undefined {
  const clamp = memoryClamp();
  if (clamp === undefined) return undefined;
  const { depth, fanOut, reason } = clamp;
  if (depth !== undefined && parent.depth >= depth)
    return { limit: 'depth', why: `the limit is ${depth} levels while memory is short (${reason})` };
  if (fanOut !== undefined && parent.outstanding >= fanOut)
    return { limit: 'fan-out', why: `one may have ${fanOut} running while memory is short (${reason})` };
  return undefined;
}
