/** Live bytes right after the last major GC. */
export interface Floor {
  readonly bytes: number;
  /** External memory at the same moment. */
  readonly external: number;
  /** Monotonic ms, within one interval between reads. */
  readonly at: number;
  /** Ordinal of the major GC since the watch began, from 1. */
  readonly major: number;
  /** Bytes that a growing Map, Set or array will need in one piece; absent when there is none. */
  readonly nextTableBytes?: number;
}

/** Collections since the previous read. */
export interface GcCount {
  readonly major: number;
  readonly minor: number;
  readonly pauseMs: number;
}

/** Who tells the sensor of floors and collections; `FloorWatch` of the room `leak` in a real process. */
export interface FloorSource {
  readonly floor: Floor | undefined;
  /** Collections since the previous read. */
  read(): GcCount;
  stop(): void;
}
