/**
 * How far each parameter of the Waterline may move before a goal of the series breaks: one table, one row per parameter. Two threads share
 * the parameters: each thread has a table of its own that it moves.
 */
import { Worker } from 'node:worker_threads';
import { parameters, parameterTable } from '../../packages/leak/src/judge/waterline/parameters.ts';
import type { ParameterName } from '../../packages/leak/src/judge/waterline/parameters.ts';
import type { Row } from '../row.ts';
import { create } from './adapter.mjs';
import { familyNames, familySeries } from './families.ts';
import { noiseNames } from './family-series.ts';
import { score, summarize, type Summary } from './score.ts';
import { loadGenerator, recordedSeries } from './series.ts';
import type { Series } from './series.ts';

/** Factors that are tried, from near to far; the first that breaks a goal ends the search on its side. */
const factors: readonly number[] = [1.25, 1.6, 2.5];
/** A count moves by whole numbers. */
const counts: readonly number[] = [1, 2, 4];
/** The short form tries one value on each side. */
const quickFactors: readonly number[] = [1.6];
const quickCounts: readonly number[] = [1];
const threads = 2;

export interface SensitivityOptions {
  /** The folder of the shared series; undefined where there is none. */
  readonly folder: string | undefined;
  /** Parameters to look at; empty for all. */
  readonly names: readonly string[];
  /** A third of the series and one value on each side: some minutes instead of half an hour and more. */
  readonly quick: boolean;
  readonly log: (line: string) => void;
}

/** What a thread is asked for. */
export interface SensitivityShare extends Omit<SensitivityOptions, 'log'> {
  readonly names: readonly ParameterName[];
}

/** What one value of a parameter is judged by. */
interface Standing {
  readonly generated: Summary;
  readonly recorded: Summary | undefined;
}

/** The goals of the benchmark. Where one seed misses a goal at the values in force, what it reaches there is the goal. */
const goals = { f1: 0.96, falseAlarms: 0.2, recordedF1: 0.97, headroom: 0.015 } as const;

/**
 * Prints the table; there are no rows to judge. One seed of the generated series and all recorded heaps are scored per value; without the
 * folder the families of our own are.
 */
export async function sensitivity({ folder, names, quick, log }: SensitivityOptions): Promise<Row[]> {
  const all = Object.keys(parameterTable) as ParameterName[];
  const asked = names.length === 0 ? all : all.filter((each) => names.includes(each));
  log(
    '"240, not 180": it holds at 240 and breaks a goal at 180. "240 or less": nothing smaller was tried. "1, the least": below it there is none.',
  );
  const lines = new Map<string, string>();
  await Promise.all(
    Array.from({ length: threads }, (_, k) => {
      const share: SensitivityShare = { folder, quick, names: asked.filter((__, i) => i % threads === k) };
      return shareOf(share, (name, text) => {
        if (name === '') {
          if (k === 0) log(text);
          return;
        }
        lines.set(name, text);
        log(`${lines.size} of ${asked.length}: ${name}`);
      });
    }),
  );
  log(line('parameter', 'value', 'unit', 'smallest', 'largest', 'reason'));
  for (const name of asked) log(lines.get(name) ?? '');
  return [];
}

function shareOf(share: SensitivityShare, onLine: (name: string, text: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./sensitivity-thread.ts', import.meta.url), { workerData: share });
    worker.on('message', ({ name, text }: { name: string; text: string }) => onLine(name, text));
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });
}

/** Moves each parameter of a share; `tell` gets the goals first, without a name, and then one line for each. */
export async function measureShare(
  { folder, names, quick }: SensitivityShare,
  tell: (name: string, text: string) => void,
): Promise<void> {
  const generated = await generatedFor(folder, quick);
  const recorded = folder === undefined ? [] : recordedSeries(folder).filter((_, i) => !quick || i % 3 === 0);
  const standing = (): Standing => ({
    generated: summarize(generated.map((series) => score(series, create))),
    recorded: recorded.length === 0 ? undefined : summarize(recorded.map((series) => score(series, create))),
  });
  const inForce = standing();
  const need = {
    f1: Math.min(goals.f1, inForce.generated.f1),
    falseAlarms: Math.max(goals.falseAlarms, inForce.generated.falseAlarms),
    recordedF1: Math.min(goals.recordedF1, inForce.recorded?.f1 ?? 0),
    headroom: Math.max(goals.headroom, inForce.recorded?.headroomP50 ?? 0),
  };
  const isGood = (): boolean => {
    const now = standing();
    return (
      now.generated.f1 >= need.f1 &&
      now.generated.falseAlarms <= need.falseAlarms &&
      (now.recorded === undefined ||
        (now.recorded.f1 >= need.recordedF1 && now.recorded.headroomP50 <= need.headroom))
    );
  };
  tell(
    '',
    `a value holds while F1 of the generated series is at least ${text(need.f1)}, with at most ${text(need.falseAlarms)} false alarms per 1,000 healthy hours${
      recorded.length === 0
        ? ''
        : `, and F1 of the recorded ones at least ${text(need.recordedF1)}, with a headroom of at most ${text(100 * need.headroom)} %`
    }`,
  );
  for (const name of names) {
    const { value, unit, why } = parameterTable[name];
    const [low, high] = [false, true].map((up) => limit(name, up, quick, isGood));
    tell(name, line(name, text(value), unit, low as string, high as string, why));
  }
}

/** How far a parameter may move up or down. The one place that moves a parameter; it is put back at the end. */
function limit(name: ParameterName, up: boolean, quick: boolean, isGood: () => boolean): string {
  const values: Record<ParameterName, number> = parameters;
  const { value, unit } = parameterTable[name];
  const steps = unit === 'count' ? (quick ? quickCounts : counts) : quick ? quickFactors : factors;
  let held: number = value;
  try {
    for (const step of steps) {
      const tried =
        unit === 'count' ? value + (up ? step : -step) : value * step ** (up === value > 0 ? 1 : -1);
      if (Math.sign(tried) !== Math.sign(value)) return `${text(held)}, the least`;
      values[name] = tried;
      if (!isGood()) return `${text(held)}, not ${text(tried)}`;
      held = tried;
    }
    return `${text(held)} or ${up ? 'more' : 'less'}`;
  } finally {
    values[name] = value;
  }
}

/** One seed of every family; the short form takes one noise of each. */
async function generatedFor(folder: string | undefined, quick: boolean): Promise<Series[]> {
  const noises = quick ? (['mid'] as const) : noiseNames;
  if (folder === undefined)
    return [...familyNames.kept, ...familyNames.tuned].flatMap((family) =>
      noises.map((noise) => familySeries(family, noise, 101)),
    );
  const generator = await loadGenerator(folder);
  return generator.FAMILIES.flatMap((family) =>
    noises.map((noise) => generator.makeSeries(family, noise, 17)),
  );
}

/** One line of the table, in columns. */
function line(name: string, value: string, unit: string, low: string, high: string, why: string): string {
  return [name.padEnd(18), value.padStart(9), unit.padEnd(7), low.padEnd(24), high.padEnd(24), why].join(
    '  ',
  );
}

function text(value: number): string {
  return String(Number(value.toPrecision(4)));
}
