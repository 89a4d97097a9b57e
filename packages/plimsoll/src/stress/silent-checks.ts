import type { CheckRow } from '../report/stress-section.ts';
import type { HttpClient } from './http-client.ts';
import type { LoadTally } from './load.ts';
import { fieldOf } from './recipe.ts';
import type { Probe, Recipe } from './recipe.ts';

/** The values of a recipe's probes at one moment; undefined without a usable answer. */
interface ProbeValues {
  readonly golden: readonly unknown[];
  readonly state: readonly unknown[];
  readonly metrics: readonly unknown[];
  readonly effects: readonly unknown[];
}

export async function probeAll(client: HttpClient, recipe: Recipe): Promise<ProbeValues> {
  const ask = async (probes: readonly Probe[]): Promise<readonly unknown[]> => {
    const found: unknown[] = [];
    for (const probe of probes) found.push(await valueOf(client, probe));
    return found;
  };
  return {
    golden: await ask(recipe.golden),
    state: await ask(recipe.state),
    metrics: await ask(recipe.metrics),
    effects: await ask(recipe.effects),
  };
}

async function valueOf(client: HttpClient, { step, field }: Probe): Promise<unknown> {
  const { error, status, text } = await client.call(step);
  if (error !== null || status >= 400) return undefined;
  if (field === null) return parsed(text) ?? text;
  const answer = parsed(text);
  if (answer !== undefined) return fieldOf(answer, field);
  return metricOf(text, field);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The sum of a metric's series in the Prometheus text format; undefined when it is not there. */
function metricOf(text: string, name: string): number | undefined {
  let sum: number | undefined;
  for (const line of text.split('\n')) {
    if (!line.startsWith(name) || !/^[ {]/.test(line.slice(name.length))) continue;
    const value = Number(line.slice(line.lastIndexOf(' ') + 1));
    if (Number.isFinite(value)) sum = (sum ?? 0) + value;
  }
  return sum;
}

/** Failures that no status code shows: changed answers, leftover state, counters that do not rise, missing effects. */
export function checkSilently(
  recipe: Recipe,
  before: ProbeValues,
  after: ProbeValues,
  tally: LoadTally,
): readonly CheckRow[] {
  return [
    ...recipe.golden.map((probe, i) =>
      compare('golden', probe, probe.equals ?? before.golden[i], after.golden[i]),
    ),
    ...recipe.state.map((probe, i) =>
      compare('state', probe, probe.equals ?? before.state[i], after.state[i]),
    ),
    ...recipe.metrics.map((probe, i) => rises(probe, before.metrics[i], after.metrics[i], tally)),
    ...recipe.effects.map((probe, i) => counted(probe, before.effects[i], after.effects[i], tally)),
  ];
}

function compare(kind: 'golden' | 'state', probe: Probe, wanted: unknown, found: unknown): CheckRow {
  const name = nameOf(probe);
  if (found === undefined) return { kind, name, outcome: 'failed', text: 'it did not answer after the load' };
  if (wanted === undefined)
    return { kind, name, outcome: 'undecided', text: 'it did not answer before the load' };
  const isSame = JSON.stringify(wanted) === JSON.stringify(found);
  return {
    kind,
    name,
    outcome: isSame ? 'ok' : 'failed',
    text: isSame
      ? `the same before and after (${short(found)})`
      : `${short(wanted)} was expected, ${short(found)} came`,
  };
}

function rises(probe: Probe, before: unknown, after: unknown, tally: LoadTally): CheckRow {
  const name = nameOf(probe);
  if (typeof after !== 'number')
    return { kind: 'metric', name, outcome: 'failed', text: `there is no number (${short(after)})` };
  const rise = after - (typeof before === 'number' ? before : 0);
  return {
    kind: 'metric',
    name,
    outcome: rise > 0 || tally.calls === 0 ? 'ok' : 'failed',
    text: `rose by ${rise.toLocaleString('en-US')} in ${tally.calls.toLocaleString('en-US')} calls`,
  };
}

/** Calls that failed or were refused may or may not have had their effect. */
function counted(
  probe: Recipe['effects'][number],
  before: unknown,
  after: unknown,
  tally: LoadTally,
): CheckRow {
  const name = nameOf(probe);
  if (typeof after !== 'number')
    return { kind: 'effect', name, outcome: 'failed', text: `there is no number (${short(after)})` };
  const rise = after - (typeof before === 'number' ? before : 0);
  const most = probe.per === 'session' ? tally.sessions : tally.calls;
  const least = most - tally.errors - tally.refused;
  const isRight = rise >= least && rise <= most;
  return {
    kind: 'effect',
    name,
    outcome: isRight ? 'ok' : 'failed',
    text: `${rise.toLocaleString('en-US')} counted, ${least === most ? '' : `${least.toLocaleString('en-US')} to `}${most.toLocaleString('en-US')} expected`,
  };
}

function nameOf({ step, field }: Probe): string {
  return `${step.method} ${step.path}${field === null ? '' : ` ${field}`}`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
