/** The shared memory series: generated ones and recorded heaps, both with known truth, read from a folder outside the repository. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';

/** One series; columns have one entry per `dt` seconds, sizes in MB, `gT`, `gF`, `gI` are time, floor and sample of each major GC. */
export interface Series {
  readonly id: string;
  readonly family: string;
  readonly noise: string;
  readonly leak: boolean;
  readonly onset: number;
  readonly budget: number;
  readonly n: number;
  readonly dt: number;
  readonly exhausted?: boolean;
  /** The leak is outside of the heap. */
  readonly isOutside?: boolean;
  readonly heap: Float64Array;
  readonly heapTotal: Float64Array;
  readonly ext: Float64Array;
  readonly rss: Float64Array;
  readonly req: Float64Array;
  readonly sess: Float64Array;
  readonly expl: Float64Array;
  readonly live: Float64Array;
  readonly lk: Float64Array;
  readonly retained?: Float64Array;
  readonly gT: readonly number[];
  readonly gF: readonly number[];
  readonly gI: readonly number[];
}

/** What makes series: the shared generator has these names. */
export interface Generator {
  readonly FAMILIES: readonly string[];
  readonly LEAKY: readonly string[];
  readonly NOISE: readonly string[];
  makeSeries(family: string, noise: string, seed: number): Series;
}

/** Places of the folder with `gen.mjs` and `real/public.jsonl.gz`: an argument, PLIMSOLL_SERIES, or `shared/series` beside the repository. */
function placesOf(argument: string | undefined): readonly string[] {
  return [
    argument,
    process.env['PLIMSOLL_SERIES'],
    resolve(import.meta.dirname, '../../../shared/series'),
  ].filter((path): path is string => path !== undefined && path !== '');
}

/** The folder, where it is at its usual places. */
export function findSeries(argument?: string): string | undefined {
  const found = placesOf(argument).find((path) => existsSync(resolve(path, 'gen.mjs')));
  return found === undefined ? undefined : resolve(found);
}

/** The folder; an error says where it was looked for. */
export function seriesFolder(argument: string | undefined): string {
  const found = findSeries(argument);
  if (found !== undefined) return found;
  throw new Error(
    `the memory series are not here: no gen.mjs in ${placesOf(argument).join(', ')}.\nfix: npm run bench -- detect FOLDER, or set PLIMSOLL_SERIES to the folder that has gen.mjs and real/public.jsonl.gz`,
  );
}

export async function loadGenerator(folder: string): Promise<Generator> {
  return (await import(pathToFileURL(resolve(folder, 'gen.mjs')).href)) as Generator;
}

interface Recorded {
  readonly cfg: { id: string; leak?: string | null; bg: string; onset: number; rate: number };
  readonly samples: readonly (readonly (number | null | undefined)[])[];
  readonly gc: readonly (readonly [number, number])[];
}

/** The recorded heaps: one sample per minute of virtual time, budget 235 MB. */
export function recordedSeries(folder: string): Series[] {
  const text = gunzipSync(readFileSync(resolve(folder, 'real/public.jsonl.gz'))).toString();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => fromRecorded(JSON.parse(line) as Recorded));
}

function fromRecorded({ cfg, samples, gc }: Recorded): Series {
  const n = samples.length;
  const column = (index: number, factor = 1): Float64Array =>
    Float64Array.from(samples, (sample) => (sample[index] ?? 0) * factor);
  const heap = column(1, 1e-6);
  const gT = gc.map(([minute]) => minute * 60);
  const gF = gc.map(([, bytes]) => bytes / 1e6);
  const live = new Float64Array(n);
  const lk = new Float64Array(n);
  let next = 0;
  let floor = gF[0] ?? heap[0] ?? 0;
  for (let i = 0; i < n; i++) {
    while (next < gT.length && (gT[next] as number) <= i * 60) floor = gF[next++] as number;
    live[i] = floor;
    lk[i] = cfg.leak ? (Math.max(0, i - cfg.onset) / 60) * cfg.rate : 0;
  }
  return {
    id: cfg.id,
    family: cfg.leak ?? 'ok',
    noise: cfg.bg,
    leak: Boolean(cfg.leak),
    onset: cfg.leak ? cfg.onset * 60 : Number.POSITIVE_INFINITY,
    budget: 235,
    n,
    dt: 60,
    heap,
    heapTotal: column(2, 1e-6),
    ext: column(3, 1e-6),
    rss: column(5, 1e-6),
    req: column(6),
    sess: column(7),
    expl: column(11, 1e-6),
    retained: column(10),
    live,
    lk,
    gT,
    gF,
    gI: gc.map(([minute]) => Math.min(n - 1, minute)),
  };
}
