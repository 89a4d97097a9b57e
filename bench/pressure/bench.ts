import type { BenchOptions, Benchmark, Row } from '../row.ts';
import { row } from '../row.ts';
import { buildPrograms, type BuiltPrograms } from './built-programs.ts';
import { budgetBytes, scenariosOf } from './scenario.ts';
import type { Scenario } from './scenario.ts';
import { answeredRatio, managementRatio, runTrial, successRatio } from './trial.ts';
import type { Trial } from './trial.ts';
import { defaults, governed, rivals, unbound } from './variant.ts';
import type { Variant } from './variant.ts';

/**
 * The example server under a load that asks for more than three times its memory budget, kept alive in six ways on the same seed; then
 * governed under a load that fits, where nothing may happen. Users and an operator's probe are in a process of their own.
 * Words after the name choose scenarios (`leak crowd calm`) and variants (`governed ungoverned restarts under-pressure
 * overload-protection unbound defaults`); a number repeats them with other seeds.
 */
const pressure: Benchmark = async (options) => {
  const scenarios = scenariosOf(options.quick, process.env);
  const words = options.args.filter((word) => !/^\d+$/.test(word));
  const isChosen = (name: string, among: readonly string[]): boolean =>
    !words.some((word) => among.includes(word)) || words.includes(name);
  const scenarioNames = Object.keys(scenarios);
  const variants = [unbound, ...rivals, defaults, governed];
  const variantNames = variants.map(({ name }) => name);
  const repeats = Number(options.args.find((word) => /^\d+$/.test(word)) ?? 1);
  const programs = await buildPrograms(options.log);
  const rows: Row[] = [];
  for (const scenario of Object.values(scenarios)) {
    if (!isChosen(scenario.name, scenarioNames)) continue;
    const trials = new Map<string, readonly Trial[]>();
    for (const variant of scenario === scenarios.calm ? [governed] : variants) {
      if (!isChosen(variant.name, variantNames)) continue;
      trials.set(variant.name, await repeat(variant, scenario, { programs, repeats }, options));
    }
    const ours = trials.get(governed.name) ?? [];
    if (scenario === scenarios.calm) rows.push(...calmRows(ours));
    else
      rows.push(
        ...demandRows(trials.get(unbound.name) ?? [], scenario),
        ...compared(scenario.name, ours, new Map(rivals.map(({ name }) => [name, trials.get(name) ?? []]))),
        ...ownRows(scenario.name, ours),
        ...compared(scenario.name, [], new Map([[defaults.name, trials.get(defaults.name) ?? []]])),
      );
  }
  return rows;
};

export default pressure;

async function repeat(
  variant: Variant,
  scenario: Scenario,
  { programs, repeats }: { readonly programs: BuiltPrograms; readonly repeats: number },
  options: BenchOptions,
): Promise<readonly Trial[]> {
  const found: Trial[] = [];
  for (let at = 0; at < repeats; at += 1) {
    const seed = scenario.seed + at;
    const isKept = process.env['PLIMSOLL_KEEP'] === '1';
    const trial = await runTrial(variant, { ...scenario, seed }, programs, isKept);
    tell(options, `${scenario.name}, ${variant.name}`, trial);
    found.push(trial);
  }
  return found;
}

function tell({ log }: BenchOptions, name: string, trial: Trial): void {
  const { crowd, deaths, plannedRestarts, ledger } = trial;
  const parts = [
    `${crowd.requests.served} requests served (${percent(successRatio(trial))})`,
    `${crowd.sessions.lost} of ${crowd.sessions.opened} sessions lost`,
    `${deaths} deaths`,
    `${plannedRestarts} planned restarts, ${ledger?.handovers ?? 0} of them handed over`,
    `health ${percent(managementRatio(trial))}`,
    ...(trial.supervisor === null ? [] : [`supervisor ${percent(answeredRatio(trial.supervisor))}`]),
    ...(ledger === null ? [] : [`${ledger.actions.length} actions`, `${ledger.alarms} alarms`]),
  ];
  log(`pressure: ${name}: ${parts.join(', ')}`);
}

function percent(ratio: number): string {
  return `${(100 * ratio).toFixed(1)} %`;
}

function demandRows(trials: readonly Trial[], scenario: Scenario): Row[] {
  if (trials.length === 0) return [];
  const samples = trials.map(({ peakBytes }) => peakBytes / budgetBytes(scenario));
  return [
    row({ metric: `${scenario.name}: what it asks for / budget`, unit: 'x', samples, goal: { atLeast: 3 } }),
  ];
}

const figures = [
  {
    metric: "healthy sessions' requests that succeed",
    unit: 'share',
    of: successRatio,
    goal: { atLeast: 0.9 },
  },
  { metric: 'requests served', unit: 'requests', of: (trial: Trial) => trial.crowd.requests.served },
  {
    metric: 'deaths',
    unit: 'deaths',
    of: (trial: Trial) => trial.deaths,
    goal: { atMost: 0 },
  },
  { metric: 'open sessions lost', unit: 'sessions', of: (trial: Trial) => trial.crowd.sessions.lost },
  {
    metric: 'sessions in use harmed',
    unit: 'sessions',
    of: (trial: Trial) => trial.crowd.sessions.harmed,
    goal: { atMost: 0 },
  },
  {
    metric: 'health route of the server answered',
    unit: 'share',
    of: managementRatio,
    goal: { atLeast: 1 },
  },
  {
    metric: 'longest time without a served turn',
    unit: 's',
    of: (trial: Trial) => trial.crowd.longestOutageMs / 1000,
  },
  {
    metric: 'longest time to recover',
    unit: 's',
    of: (trial: Trial) => trial.crowd.recoveredMs / 1000,
  },
  {
    metric: 'p99 of a turn',
    unit: 'ms',
    of: (trial: Trial) => trial.crowd.turnMs.p99,
  },
] as const;

/** Each figure beside each rival; a rival alone when ours was not run. */
function compared(
  scenario: string,
  ours: readonly Trial[],
  peers: ReadonlyMap<string, readonly Trial[]>,
): Row[] {
  const rows: Row[] = [];
  for (const { metric: figure, unit, of, ...rest } of figures) {
    const metric = `${scenario}: ${figure}`;
    const goal = 'goal' in rest ? { goal: { of: 'ours' as const, ...rest.goal } } : {};
    const present = [...peers].filter(([, trials]) => trials.length > 0);
    if (present.length === 0 && ours.length > 0)
      rows.push(row({ metric, unit, samples: ours.map(of), ...goal }));
    for (const [name, trials] of present) {
      const samples = trials.map(of);
      rows.push(
        ours.length === 0
          ? row({ metric: `${metric}, ${name}`, unit, samples })
          : row({ metric, unit, samples: ours.map(of), peer: { name, samples }, ...goal }),
      );
    }
  }
  return rows;
}

/** What only a governed process can show. */
function ownRows(scenario: string, ours: readonly Trial[]): Row[] {
  const ledgers = ours.flatMap(({ ledger }) => ledger ?? []);
  if (ledgers.length === 0) return [];
  const finished = ledgers.map(({ actions }) =>
    actions.filter(({ outcome, action }) => outcome === 'done' && frees(action)),
  );
  const metric = (text: string): string => `${scenario}: ${text}`;
  return [
    row({
      metric: metric('actions in the ledger'),
      unit: 'actions',
      samples: ledgers.map(({ actions }) => actions.length),
    }),
    row({
      metric: metric('of those that free memory, with freed bytes'),
      unit: 'share',
      samples: finished.map((actions) =>
        actions.length === 0
          ? 1
          : actions.filter(({ freedBytes }) => freedBytes !== null).length / actions.length,
      ),
      goal: { atLeast: 1 },
    }),
    row({
      metric: metric('bytes that actions freed'),
      unit: 'MiB',
      samples: finished.map(
        (actions) =>
          actions.reduce((sum, { freedBytes }) => sum + Math.max(0, freedBytes ?? 0), 0) / 1024 ** 2,
      ),
    }),
    row({
      metric: metric('management routes of the supervisor answered'),
      unit: 'share',
      samples: ours.map(({ supervisor }) => answeredRatio(supervisor)),
      goal: { atLeast: 1 },
    }),
    row({
      metric: metric('planned restarts'),
      unit: 'restarts',
      samples: ours.map(({ plannedRestarts }) => plannedRestarts),
    }),
    row({
      metric: metric('planned restarts in which the next life took over first'),
      unit: 'restarts',
      samples: ledgers.map(({ handovers }) => handovers),
    }),
    row({
      metric: metric('hash chain of the ledger whole'),
      unit: 'share',
      samples: ledgers.map(({ isChainWhole }) => Number(isChainWhole)),
      goal: { atLeast: 1 },
    }),
    row({
      metric: metric('rollbacks'),
      unit: 'rollbacks',
      samples: ledgers.map(({ rollbacks }) => rollbacks),
      goal: { atMost: 0 },
    }),
  ];
}

/** What a restart frees is a new process; what refuses or clamps frees nothing by itself. */
function frees(action: string): boolean {
  return (
    action !== 'process.restart' && !/^(?:admit|delegation|timeouts)\./.test(action) && action !== 'evidence'
  );
}

/** Without the leak the same load fits: whatever the governor does then is too much. */
function calmRows(calm: readonly Trial[]): Row[] {
  const ledgers = calm.flatMap(({ ledger }) => ledger ?? []);
  if (ledgers.length === 0) return [];
  return [
    row({
      metric: 'calm: actions beyond observing',
      unit: 'actions',
      samples: ledgers.map(({ actions }) => actions.length),
      goal: { atMost: 0 },
    }),
    row({
      metric: 'calm: false alarms',
      unit: 'alarms',
      samples: ledgers.map(({ alarms, findings }) => alarms + findings),
      goal: { atMost: 0 },
    }),
    row({
      metric: "calm: healthy sessions' requests that succeed",
      unit: 'share',
      samples: calm.map(successRatio),
      goal: { atLeast: 1 },
    }),
  ];
}
