/** A child process that says what one case really takes and what each estimator says: `node --expose-gc truth.ts NAME`. */
import v8 from 'node:v8';
import { measure } from '@plimsoll/core/meter';
import sizeof from 'object-sizeof';
import { cases } from './cases.ts';

/** Bytes by estimator; an estimator that fails says nothing. */
export interface Truth {
  readonly truth: number;
  readonly bytes: number;
  readonly lo: number;
  readonly hi: number;
  readonly objectSizeof: number | null;
  readonly serialize: number | null;
  readonly json: number | null;
}

if (process.argv[2] !== undefined) {
  const found = cases[process.argv[2]];
  if (found === undefined) throw new Error(`no case ${process.argv[2]}`);
  process.stdout.write(JSON.stringify(await compare(found.make)));
}

async function compare(make: () => unknown): Promise<Truth> {
  // Builds twice first, so that hidden classes and code are there before anything is weighed.
  for (let i = 0; i < 2; i++) make();
  const weights: number[] = [];
  let value: unknown;
  for (let i = 0; i < 3; i++) {
    value = null;
    const before = await floor();
    value = make();
    weights.push((await floor()) - before);
  }
  const { bytes, lo, hi } = measure(value, { flatten: false });
  return {
    truth: weights.sort((a, b) => a - b)[1] as number,
    bytes,
    lo,
    hi,
    objectSizeof: attempt(() => sizeof(value as object)),
    serialize: attempt(() => v8.serialize(value).byteLength),
    json: attempt(() => Buffer.byteLength(JSON.stringify(value))),
  };
}

function attempt(estimate: () => number): number | null {
  try {
    const bytes: unknown = estimate();
    return typeof bytes === 'number' ? bytes : null;
  } catch {
    return null;
  }
}

async function floor(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    globalThis.gc?.();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
