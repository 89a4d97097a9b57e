/**
 * Leak detection scored on series with known truth, ours beside the published simple rules: `npm run bench -- detect [FOLDER]`.
 * Generated series of seeds 17 to 28 (936; `--quick` 17 to 18) and 104 recorded heaps. The folder has `gen.mjs` and `real/`; it is not
 * part of the repository. `-- detect families` scores simulated programs, compositions and families of our own that were kept apart from tuning; `-- detect sensitivity
 * [FOLDER] [NAME …]` prints how far each parameter may move before a goal breaks (`--quick` in minutes, on fewer series); without the folder it scores our own families. One table for all detectors goes to the log, the goals are judged in the rows.
 */
import type { Benchmark, Row } from '../row.ts';
import { quantile, row } from '../row.ts';
import { cost, ownGrowth, stateBytes } from './cost.ts';
import { forecastOutcomes } from './forecast-score.ts';
import { create } from './adapter.mjs';
import { peers } from './peers.ts';
import type { Meta, Rule } from './peers.ts';
import { composedSeries } from './composed.ts';
import { simulatedSeries } from './simulated.ts';
import { score, summarize } from './score.ts';
import type { Outcome, Summary } from './score.ts';
import { familyNames, familySeries, leakingFamilies } from './families.ts';
import { noiseNames } from './family-series.ts';
import { sensitivity } from './sensitivity.ts';
import { parameterTable } from '../../packages/leak/src/judge/waterline/parameters.ts';
import { findSeries, loadGenerator, recordedSeries, seriesFolder } from './series.ts';
import type { Generator, Series } from './series.ts';

interface Contestant {
  readonly name: string;
  readonly create: (meta: Meta) => Rule;
}

const ours: Contestant = { name: 'plimsoll', create };

const benchmark: Benchmark = async ({ quick, args, log }) => {
  if (args[0] === 'families') return familyRows(quick, log);
  if (args[0] === 'sensitivity') {
    const [, given, ...rest] = args;
    const isFolder = given !== undefined && !(given in parameterTable);
    const names = given === undefined || isFolder ? rest : [given, ...rest];
    return sensitivity({ folder: isFolder ? seriesFolder(given) : findSeries(), names, quick, log });
  }
  const folder = seriesFolder(args[0]);
  const generator = await loadGenerator(folder);
  const recorded = recordedSeries(folder);
  const lastSeed = quick ? 18 : 28;
  const all = [ours, ...peers];
  const generated = scoreGenerated(generator, all, 17, lastSeed, log);
  const real = all.map((one) => summarize(recorded.map((series) => score(series, one.create))));
  log(table('generated', all, generated));
  log(table('recorded', all, real));
  const forecasts = all
    .filter(({ name }) => name === ours.name || name.startsWith('predict'))
    .map((one) => forecastOutcomes(generator, one.create, 17, quick ? 18 : 22));
  return [
    ...goalRows('generated', generated, { f1: 0.96, falseAlarms: 0.2, ordinary: 0.05, headroom: 0.04 }),
    ...goalRows('recorded, with survivors', real, { f1: 0.97, headroom: 0.015 }),
    ...forecastRows(forecasts),
    ...costRows(generator, quick),
  ];
};

export default benchmark;

/** Lives of one set for one seed: the leaking ones for the forecast, all for the score. */
interface FamilySet {
  readonly leaky: readonly string[];
  readonly series: (seed: number) => Iterable<Series>;
  readonly leak: (family: string, noise: string, seed: number) => Series;
}

const perSeed = 24;
/** Compositions and programs below this seed are for design. */
const firstJudged = 5000;
const drawnSeed = (seed: number, k: number): number => firstJudged + (seed - 101) * perSeed + k;

function familySet(set: 'fresh' | 'kept' | 'tuned' | 'composed' | 'simulated'): FamilySet {
  if (set === 'composed' || set === 'simulated') {
    const draw = set === 'composed' ? composedSeries : simulatedSeries;
    return {
      leaky: Array.from({ length: perSeed / 2 / noiseNames.length }, (_, k) => String(k)),
      *series(seed) {
        for (let k = 0; k < perSeed; k++) yield draw(k % 2 === 1, drawnSeed(seed, k));
      },
      leak: (family, noise, seed) => {
        const k = Number(family) * noiseNames.length + noiseNames.indexOf(noise as 'low');
        return draw(true, drawnSeed(seed, 2 * k + 1));
      },
    };
  }
  return {
    leaky: leakingFamilies(set),
    *series(seed) {
      for (const family of familyNames[set])
        for (const noise of noiseNames) yield familySeries(family, noise, seed);
    },
    leak: familySeries,
  };
}

/** Compositions and families of our own: those kept apart from tuning, with seeds that tuning never saw, beside those that were tuned on. */
function familyRows(quick: boolean, log: (line: string) => void): Row[] {
  const lastSeed = quick ? 101 : 104;
  return (['simulated', 'composed', 'fresh', 'kept', 'tuned'] as const).flatMap((set) => {
    const { leaky, series, leak } = familySet(set);
    const outcomes: Outcome[] = [];
    for (let seed = 101; seed <= lastSeed; seed++) {
      log(`${set}, seed ${seed}`);
      for (const each of series(seed)) outcomes.push(score(each, create));
    }
    log(familyTable(outcomes));
    const { f1, precision, recall, falseAlarms, headroomP50 } = summarize(outcomes);
    const stood = outcomes.filter((one) => one.falseAlarms > 0).map((one) => one.falseHours);
    const one = (
      metric: string,
      value: number,
      unit = '',
      goal?: { atLeast?: number; atMost?: number },
    ): Row =>
      row({
        metric: `${metric}, ${set}`,
        unit,
        samples: [value],
        ...(set !== 'tuned' && goal !== undefined && { goal: { of: 'ours' as const, ...goal } }),
      });
    const rows = [
      one('F1', f1, '', { atLeast: 0.95 }),
      one('precision', precision),
      one('recall', recall),
      one('false alarms per 1,000 healthy hours', falseAlarms, '', { atMost: 0.2 }),
      one('a false alarm stands for, median', stood.length === 0 ? 0 : quantile(stood, 0.5), 'h'),
      one('room used at detection, p50', 100 * headroomP50, '%'),
    ];
    if (set === 'tuned') return rows;
    const generator = { LEAKY: leaky, NOISE: noiseNames, makeSeries: leak };
    const { within, covered } = forecastOutcomes(generator, create, 101, lastSeed);
    return [
      ...rows,
      one('time to exhaustion within 2x, at first alarm', within, '', { atLeast: 0.85 }),
      one('band of 90 % covers', covered, '', { atLeast: 0.88, atMost: 0.92 }),
    ];
  });
}

/** Families with a wrong series: healthy ones that alarmed, leaks that were missed or alarmed before they began. */
function familyTable(outcomes: readonly Outcome[]): string {
  return [...Map.groupBy(outcomes, ({ family }) => family)]
    .map(([family, all]) => {
      const isLeak = all.some(({ leak }) => leak);
      const wrong = all.filter((one) => one.falseAlarms > 0 || (isLeak && one.detected === undefined));
      return wrong.length === 0
        ? ''
        : `${isLeak ? 'leak' : 'healthy'} ${family}: ${wrong.length} of ${all.length} wrong`;
    })
    .filter((line) => line !== '')
    .join('\n');
}

/** Every detector on every series, one series in memory at a time. */
function scoreGenerated(
  generator: Generator,
  all: readonly Contestant[],
  from: number,
  to: number,
  log: (line: string) => void,
): Summary[] {
  const outcomes: Outcome[][] = all.map(() => []);
  for (let seed = from; seed <= to; seed++) {
    log(`seed ${seed} of ${to}`);
    for (const family of generator.FAMILIES)
      for (const noise of generator.NOISE) {
        const series: Series = generator.makeSeries(family, noise, seed);
        all.forEach((one, i) => outcomes[i]?.push(score(series, one.create)));
      }
  }
  return outcomes.map(summarize);
}

function table(title: string, all: readonly Contestant[], summaries: readonly Summary[]): string {
  const head = `${title.padEnd(28)}     P     R    F1  FA/1000h  ordinary  headroom p50 / p90`;
  const lines = summaries.map((one, i) =>
    [
      (all[i]?.name ?? '').padEnd(28),
      one.precision.toFixed(3),
      one.recall.toFixed(3),
      one.f1.toFixed(3),
      one.falseAlarms.toFixed(2).padStart(8),
      one.ordinaryFalseAlarms.toFixed(2).padStart(9),
      `${(100 * one.headroomP50).toFixed(1)} / ${(100 * one.headroomP90).toFixed(1)} %`.padStart(17),
    ].join(' '),
  );
  return [head, ...lines].join('\n');
}

interface Goals {
  readonly f1: number;
  readonly falseAlarms?: number;
  readonly ordinary?: number;
  readonly headroom: number;
}

function goalRows(set: string, summaries: readonly Summary[], goals: Goals): Row[] {
  const [own, ...others] = summaries as [Summary, ...Summary[]];
  const best = others.reduce((a, b) => (b.f1 > a.f1 ? b : a));
  const name = peers[others.indexOf(best)]?.name ?? '';
  const line = (
    metric: string,
    unit: string,
    pick: (one: Summary) => number,
    bound?: { atMost?: number; atLeast?: number },
  ): Row =>
    row({
      metric: `${metric}, ${set}`,
      unit,
      samples: [pick(own)],
      peer: { name, samples: [pick(best)] },
      ...(bound && { goal: { of: 'ours', ...bound } }),
    });
  return [
    line('F1', '', (one) => one.f1, { atLeast: goals.f1 }),
    line('precision', '', (one) => one.precision),
    line('recall', '', (one) => one.recall),
    line('false alarms per 1,000 healthy hours', '', (one) => one.falseAlarms, bound(goals.falseAlarms)),
    line('false alarms, ordinary families', '', (one) => one.ordinaryFalseAlarms, bound(goals.ordinary)),
    line('headroom at detection, p50', '%', (one) => 100 * one.headroomP50, { atMost: 100 * goals.headroom }),
    line('headroom at detection, p90', '%', (one) => 100 * one.headroomP90),
  ];
}

function bound(atMost: number | undefined): { atMost: number } | undefined {
  return atMost === undefined ? undefined : { atMost };
}

function forecastRows(found: readonly { within: number; covered: number }[]): Row[] {
  const [own, peer] = found as [{ within: number; covered: number }, { within: number; covered: number }];
  return [
    row({
      metric: 'time to exhaustion within 2x, at first alarm',
      unit: '',
      samples: [own.within],
      peer: { name: 'predict_linear 6 h to 24 h', samples: [peer.within] },
      goal: { of: 'ours', atLeast: 0.85 },
    }),
    row({
      metric: 'band of 90 % covers',
      unit: '',
      samples: [own.covered],
      goal: { of: 'ours', atLeast: 0.88, atMost: 0.92 },
    }),
  ];
}

function costRows(generator: Generator, quick: boolean): Row[] {
  const runs = cost(generator, create, quick ? 3 : 7);
  const events = quick ? '10^6 events' : '10^7 events';
  const grown = ownGrowth(quick ? 1e6 : 1e7);
  const peer = cost(generator, (peers[2] as Contestant).create, quick ? 3 : 7);
  return [
    row({
      metric: 'CPU time per event, mean',
      unit: 'ns',
      samples: runs.meanNs,
      peer: { name: 'Mann-Kendall', samples: peer.meanNs },
      goal: { of: 'ours', atMost: 5000 },
    }),
    row({
      metric: 'worst event, each in its fastest run',
      unit: 'ms',
      samples: [runs.worstMs],
      goal: { atMost: 1 },
    }),
    row({ metric: 'state of one detector', unit: 'B', samples: [stateBytes()], goal: { atMost: 65_536 } }),
    row({
      metric: `reachable from a detector, gained over ${events}`,
      unit: 'B',
      samples: [grown.reachable],
      goal: { atMost: 0 },
    }),
    row({
      metric: `process around it, gained per fifth of ${events}, median`,
      unit: 'B',
      samples: [quantile(grown.process, 0.5)],
      goal: { atMost: 4096 },
    }),
  ];
}
