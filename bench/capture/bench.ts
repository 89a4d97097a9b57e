/** Is the predicted peak of a snapshot right? One process per heap shape predicts, takes the snapshot and measures. Linux only. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { row, type Benchmark, type Row } from '../row.ts';
import { shapes } from './shape.ts';

interface Measured {
  readonly objects: number;
  readonly predictedPeak: number;
  readonly peak: number;
  readonly predictedStopMs: number;
  readonly stopMs: number;
}

const mib = 1024 * 1024;

const benchmark: Benchmark = async ({ quick, args, log }) => {
  const names = args.length > 0 ? args : Object.keys(shapes);
  const repeats = quick ? 1 : 3;
  const samples = new Map<string, Measured[]>(names.map((name) => [name, []]));
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const name of names) samples.get(name)?.push(measure(name, quick ? 0.3 : 1));
  }
  const rows: Row[] = [];
  for (const [name, measured] of samples) {
    const [one] = measured as [Measured];
    log(
      `${name.padEnd(9)} ${one.objects.toLocaleString('en-US').padStart(10)} objects  peak ${Math.round(one.peak / mib)} MiB, predicted ${Math.round(one.predictedPeak / mib)} MiB  stop ${one.stopMs} ms, predicted ${one.predictedStopMs} ms`,
    );
    rows.push(
      row({
        metric: `${name}: predicted / measured peak`,
        unit: 'x',
        samples: measured.map((each) => each.predictedPeak / each.peak),
        goal: { atLeast: 0.75, atMost: 1.25 },
      }),
    );
  }
  return rows;
};

export default benchmark;

function measure(name: string, scale: number): Measured {
  const done = spawnSync(
    process.execPath,
    [
      '--expose-gc',
      '--max-old-space-size=6000',
      '--conditions=plimsoll-source',
      join(import.meta.dirname, 'shape.ts'),
      name,
      String(scale),
    ],
    { encoding: 'utf8' },
  );
  if (done.status !== 0) throw new Error(`${name}: ${done.stderr}`);
  return JSON.parse(done.stdout) as Measured;
}
