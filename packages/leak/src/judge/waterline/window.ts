import { maxBuckets } from './timeline.ts';

/** The columns that a test reads a timeline into; one set serves every channel, since a test never yields. */
export const window = {
  n: 0,
  t: new Float64Array(maxBuckets),
  y: new Float64Array(maxBuckets),
  load: new Float64Array(maxBuckets),
  requests: new Float64Array(maxBuckets),
  history: new Float64Array(maxBuckets),
  attributed: new Float64Array(maxBuckets),
  level: new Uint8Array(maxBuckets),
};
