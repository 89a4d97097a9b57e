/** How far each parameter of the Waterline may move before a goal of the series breaks: one table, one row per parameter. */
import { parameters, parameterTable } from '../../packages/leak/src/judge/waterline/parameters.ts';
import type { ParameterName } from '../../packages/leak/src/judge/waterline/parameters.ts';
import type { Row } from '../row.ts';
import { create } from './adapter.mjs';
import { score, summarize } from './score.ts';
import { loadGenerator, recordedSeries } from './series.ts';
import type { Series } from './series.ts';

/** Factors that are tried, from near to far; the first that breaks a goal ends the search on its side. */
const factors = [1.25, 1.6, 2.5] as const;
/** A count moves by whole numbers. */
const counts = [1, 2, 4] as const;

export interface SensitivityOptions {
  readonly folder: string;
  /** Parameters to look at; empty for all. */
  readonly names: readonly string[];
  readonly log: (line: string) => void;
}

/** Prints the table; there are no rows to judge. One seed of the generated series and all recorded heaps are scored per value. */
export async function sensitivity({ folder, names, log }: SensitivityOptions): Promise<Row[]> {
  const generator = await loadGenerator(folder);
  const generated: Series[] = generator.FAMILIES.flatMap((family) =>
    generator.NOISE.map((noise) => generator.makeSeries(family, noise, 17)),
  );
  const recorded = recordedSeries(folder);
  const isGood = (): boolean => {
    const synthetic = summarize(generated.map((series) => score(series, create)));
    if (synthetic.f1 < 0.97 || synthetic.falseAlarms > 0.2) return false;
    const real = summarize(recorded.map((series) => score(series, create)));
    return real.f1 >= 0.98 && real.headroomP50 <= 0.015;
  };
  // The table is the one place that moves a parameter.
  const values: Record<ParameterName, number> = parameters;
  log(`goals hold at the values in force: ${isGood() ? 'yes' : 'no'}`);
  log('parameter | value | unit | holds from | to | reason');
  const all = Object.keys(parameterTable) as ParameterName[];
  for (const name of names.length === 0 ? all : all.filter((each) => names.includes(each))) {
    const { value, unit, why } = parameterTable[name];
    const limit = (up: boolean): number => {
      let held = value;
      for (let k = 0; k < factors.length; k++) {
        const factor = factors[k] as number;
        const step = counts[k] as number;
        values[name] = unit === 'count' ? value + (up ? step : -step) : value * (up ? factor : 1 / factor);
        if (values[name] <= 0 === value > 0 || !isGood()) break;
        held = values[name];
      }
      values[name] = value;
      return held;
    };
    const low = limit(false);
    const high = limit(true);
    log([name, text(value), unit, text(low), text(high), why].join(' | '));
  }
  return [];
}

function text(value: number): string {
  return String(Number(value.toPrecision(4)));
}
