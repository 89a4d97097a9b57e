/** How far each parameter of the Waterline may move before a goal of the series breaks: one table, one row per parameter. */
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
const factors = [1.25, 1.6, 2.5] as const;
/** A count moves by whole numbers. */
const counts = [1, 2, 4] as const;

export interface SensitivityOptions {
  /** The folder of the shared series; undefined where there is none. */
  readonly folder: string | undefined;
  /** Parameters to look at; empty for all. */
  readonly names: readonly string[];
  readonly log: (line: string) => void;
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
export async function sensitivity({ folder, names, log }: SensitivityOptions): Promise<Row[]> {
  const generator = folder === undefined ? undefined : await loadGenerator(folder);
  const generated: Series[] =
    generator === undefined
      ? [...familyNames.kept, ...familyNames.tuned].flatMap((family) =>
          noiseNames.map((noise) => familySeries(family, noise, 101)),
        )
      : generator.FAMILIES.flatMap((family) =>
          generator.NOISE.map((noise) => generator.makeSeries(family, noise, 17)),
        );
  const recorded = folder === undefined ? [] : recordedSeries(folder);
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
  log(
    `a value holds while F1 of the generated series is at least ${text(need.f1)}, with at most ${text(need.falseAlarms)} false alarms per 1,000 healthy hours${
      recorded.length === 0
        ? ''
        : `, and F1 of the recorded ones at least ${text(need.recordedF1)}, with a headroom of at most ${text(100 * need.headroom)} %`
    }`,
  );
  // The table is the one place that moves a parameter.
  const values: Record<ParameterName, number> = parameters;
  log(
    '"240, not 180": it holds at 240 and breaks a goal at 180. "240 or less": nothing smaller was tried. "1, the least": below it there is none.',
  );
  log(line('parameter', 'value', 'unit', 'smallest', 'largest', 'reason'));
  const all = Object.keys(parameterTable) as ParameterName[];
  for (const name of names.length === 0 ? all : all.filter((each) => names.includes(each))) {
    const { value, unit, why } = parameterTable[name];
    const limit = (up: boolean): string => {
      let held = value;
      try {
        for (let k = 0; k < factors.length; k++) {
          const step = counts[k] as number;
          const factor = (factors[k] as number) ** (up === value > 0 ? 1 : -1);
          const tried = unit === 'count' ? value + (up ? step : -step) : value * factor;
          if (Math.sign(tried) !== Math.sign(value)) return `${text(held)}, the least`;
          values[name] = tried;
          if (!isGood()) return `${text(held)}, not ${text(tried)}`;
          held = tried;
        }
        return `${text(held)} or ${up ? 'more' : 'less'}`;
      } finally {
        values[name] = value;
      }
    };
    log(line(name, text(value), unit, limit(false), limit(true), why));
  }
  return [];
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
