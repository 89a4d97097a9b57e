/** Tighter bounds that a governor sets while memory is short. */
export interface MemoryClamp {
  readonly depth?: number;
  /** Most delegations that one delegator has running. */
  readonly fanOut?: number;
  /** Most delegations of a tree that run at once. */
  readonly concurrency?: number;
  /** The rung of the ladder that set it. */
  readonly reason: string;
}

const key = Symbol.for('plimsoll.admission.v1');

/** The clamp in force. Read from the slot of the shed points, so that a breaker loads no governor where none runs. */
export function memoryClamp(): MemoryClamp | undefined {
  return (globalThis as { [key]?: { readonly admission: { readonly clamped?: MemoryClamp } } })[key]
    ?.admission.clamped;
}

/** Places of a tree under the clamp: never fewer than one, or what waits would wait for ever. */
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
