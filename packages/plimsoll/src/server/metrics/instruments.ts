import type { Attributes, Meter, Observable, ObservableResult } from '@opentelemetry/api';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { levels, readingFields } from '@plimsoll/host/protocol/text';
import type { ReadingField } from '@plimsoll/host/protocol/text';
import type { Facts } from './facts.ts';

type Row = readonly [value: number | null | undefined, attributes?: Attributes];

interface Instrument {
  readonly name: string;
  readonly kind: 'gauge' | 'counter';
  readonly unit: string;
  readonly help: string;
  /** The attributes that its rows may have. */
  readonly labels: readonly string[];
  readonly rows: (facts: Facts) => readonly Row[];
}

/** Most rows of agents, whose names people choose. If a program generates names, the others share one row. */
const mostAgents = 50;

/**
 * The exported metrics, with OpenTelemetry's own names where they exist. No label has a session, run or scope path, because every value
 * would stay in the monitoring system for ever.
 */
export const instruments: readonly Instrument[] = [
  ...readingInstruments(),
  ...heapSpaceInstruments(),
  {
    name: 'process.uptime',
    kind: 'gauge',
    unit: 's',
    help: 'Time since the process started',
    labels: [],
    rows: ({ frame, now }) => [[Math.max(0, now - frame.startedAt) / 1000]],
  },
  {
    name: 'plimsoll.forecast.exhaustion',
    kind: 'gauge',
    unit: 's',
    help: 'Time until the limit is reached if memory keeps growing; absent while no growth is certain',
    labels: ['source'],
    rows: ({ frame: { forecast }, now }) =>
      forecast === null
        ? []
        : [[Math.max(0, forecast.at + forecast.ms - now) / 1000, { source: forecast.source }]],
  },
  {
    name: 'plimsoll.memory.unattributed',
    kind: 'gauge',
    unit: 'By',
    help: 'Live heap and external memory that neither scopes nor keepers hold',
    labels: [],
    rows: ({ frame }) => [[frame.unattributedBytes]],
  },
  {
    name: 'plimsoll.keeper.memory',
    kind: 'gauge',
    unit: 'By',
    help: 'Bytes that the keepers of a kind hold',
    labels: ['kind'],
    rows: ({ frame }) => keeperSums(frame, ({ bytes }) => bytes),
  },
  {
    name: 'plimsoll.keeper.entries',
    kind: 'gauge',
    unit: '{entry}',
    help: 'Entries in memory of the keepers of a kind',
    labels: ['kind'],
    rows: ({ frame }) => keeperSums(frame, ({ entries }) => entries ?? 0),
  },
  {
    name: 'plimsoll.delegation.active',
    kind: 'gauge',
    unit: '{delegation}',
    help: 'Delegations that are admitted and not over',
    labels: [],
    rows: ({ frame: { delegation } }) => (delegation === null ? [] : [[delegation.active]]),
  },
  {
    name: 'plimsoll.delegation.denied',
    kind: 'counter',
    unit: '{delegation}',
    help: 'Delegations that a breaker denied since the start',
    labels: [],
    rows: ({ frame: { delegation } }) => (delegation === null ? [] : [[delegation.denied]]),
  },
  {
    name: 'plimsoll.gc.effectiveness',
    kind: 'gauge',
    unit: '1',
    help: 'Garbage that recent major collections freed, divided by that garbage plus the growth of live memory',
    labels: [],
    rows: ({ frame }) => [[frame.gcEffectiveness]],
  },
  {
    name: 'plimsoll.pressure.ratio',
    kind: 'gauge',
    unit: '1',
    help: 'Used of each limit that was found',
    labels: ['source'],
    rows: ({ frame }) => pressures(frame),
  },
  {
    name: 'plimsoll.pressure.level',
    kind: 'gauge',
    unit: '{level}',
    help: 'Level of the process: 0 normal, 1 warning, 2 critical, 3 emergency',
    labels: [],
    rows: ({ frame }) => [[levels.indexOf(frame.level)]],
  },
  {
    name: 'plimsoll.budget.limit',
    kind: 'gauge',
    unit: 'By',
    help: 'The limit that binds the process',
    labels: ['source'],
    rows: ({ frame }) => [[frame.limits.bytes, { source: frame.limits.source }]],
  },
  {
    name: 'plimsoll.scopes.open',
    kind: 'gauge',
    unit: '{scope}',
    help: 'Open scopes by kind',
    labels: ['plimsoll.scope.type'],
    rows: ({ frame }) => frame.kinds.map(({ kind, open }) => [open, { 'plimsoll.scope.type': kind }]),
  },
  {
    name: 'plimsoll.scopes.opened',
    kind: 'counter',
    unit: '{scope}',
    help: 'Scopes opened since the start by kind',
    labels: ['plimsoll.scope.type'],
    rows: ({ frame }) => frame.kinds.map(({ kind, opened }) => [opened, { 'plimsoll.scope.type': kind }]),
  },
  {
    name: 'plimsoll.scope.memory.usage',
    kind: 'gauge',
    unit: 'By',
    help: 'Bytes of open scopes, by kind; agents by name',
    labels: ['plimsoll.scope.type', 'gen_ai.agent.name'],
    rows: ({ frame }) => scopeMemory(frame),
  },
  {
    name: 'plimsoll.findings',
    kind: 'gauge',
    unit: '{finding}',
    help: 'Findings by kind and severity',
    labels: ['kind', 'severity'],
    rows: ({ frame }) => findings(frame),
  },
  {
    name: 'plimsoll.actions',
    kind: 'counter',
    unit: '{action}',
    help: 'Actions since the start',
    labels: ['action', 'outcome', 'mode'],
    rows: ({ actions }) =>
      actions.map(({ action, outcome, mode, count }) => [count, { action, outcome, mode }]),
  },
  {
    name: 'plimsoll.action.freed',
    kind: 'counter',
    unit: 'By',
    help: 'Bytes freed by actions, measured at the next major GC',
    labels: ['action'],
    rows: ({ actions }) => freed(actions),
  },
  {
    name: 'plimsoll.sheds',
    kind: 'counter',
    unit: '{refusal}',
    help: 'Work refused since the start by shed point and reason',
    labels: ['point', 'reason'],
    rows: ({ frame }) => sheds(frame),
  },
  {
    name: 'plimsoll.approvals.pending',
    kind: 'gauge',
    unit: '{approval}',
    help: 'Approvals that wait for a decision',
    labels: [],
    rows: ({ frame }) => [[frame.governance.approvals.filter((row) => row.state === 'open').length]],
  },
  {
    name: 'plimsoll.approvals',
    kind: 'counter',
    unit: '{approval}',
    help: 'Approvals asked for since the start',
    labels: [],
    rows: ({ frame }) => [[frame.governance.counts.approvals]],
  },
  {
    name: 'plimsoll.sensor.age',
    kind: 'gauge',
    unit: 's',
    help: 'Age of the reading behind all this',
    labels: [],
    rows: ({ frame, now }) => [[Math.max(0, now - frame.at) / 1000]],
  },
  {
    name: 'plimsoll.ledger.dropped',
    kind: 'counter',
    unit: '{sample}',
    help: 'Samples the ledger could not take',
    labels: [],
    rows: ({ frame }) => [[frame.ledger.droppedSamples]],
  },
  {
    name: 'plimsoll.self.memory',
    kind: 'gauge',
    unit: 'By',
    help: 'Bytes of Plimsoll itself in the process',
    labels: [],
    rows: ({ frame }) => [[frame.reading.self.bytes]],
  },
  {
    name: 'plimsoll.self.cpu',
    kind: 'gauge',
    unit: '1',
    help: 'Share of a core that Plimsoll takes in the process',
    labels: [],
    rows: ({ frame }) => [[frame.reading.self.cpuRatio]],
  },
];

/** V8's heap by space, under the names of OpenTelemetry's semantic conventions. */
function heapSpaceInstruments(): readonly Instrument[] {
  const made = [
    ['v8js.memory.heap.used', 'Used heap of a space', 'usedBytes'],
    ['v8js.memory.heap.space.size', 'Size of a heap space', 'sizeBytes'],
    ['v8js.memory.heap.space.available_size', 'Free bytes of a heap space', 'availableBytes'],
    ['v8js.memory.heap.space.physical_size', 'Committed memory of a heap space', 'physicalBytes'],
  ] as const;
  return made.map(([name, help, field]) => ({
    name,
    kind: 'gauge',
    unit: 'By',
    help,
    labels: ['v8js.heap.space.name'],
    rows: ({ frame }) =>
      (frame.heap.spaces ?? []).map((space) => [space[field], { 'v8js.heap.space.name': space.name }]),
  }));
}

/** The instruments of the numbers of a reading, from its table. */
function readingInstruments(): readonly Instrument[] {
  const units = { bytes: ['By', 1], ms: ['s', 1000], ratio: ['1', 1], count: ['{collection}', 1] } as const;
  return (Object.entries(readingFields) as [keyof typeof readingFields, ReadingField][]).flatMap(
    ([field, { metric, unit: kindOfUnit }]) => {
      if (metric === null) return [];
      const [unit, parts] = units[kindOfUnit];
      const rows = ({ frame: { reading } }: Facts): readonly Row[] => {
        const value = reading[field];
        return [[value === undefined ? undefined : value / parts]];
      };
      return [{ ...metric, unit, labels: [], rows }];
    },
  );
}

/** Units in names of Prometheus. Others, such as `{scope}`, are left out. */
const suffixes: Readonly<Record<string, string>> = { By: 'bytes', s: 'seconds', '1': 'ratio' };

/** The name with its unit, in the form of Prometheus. */
export function nameWithUnit(name: string, unit: string): string {
  const suffix = suffixes[unit];
  return suffix === undefined || name.endsWith(suffix) ? name : `${name}.${suffix}`;
}

/** The name in a scrape. */
export function prometheusName({ name, unit, kind }: Instrument): string {
  return `${nameWithUnit(name, unit).replaceAll('.', '_')}${kind === 'counter' ? '_total' : ''}`;
}

/** Adds every instrument to a meter. `facts` is called once per collection. Unknown values are left out and not zero. */
export function observeAll(meter: Meter, facts: () => Facts | undefined): void {
  const made = instruments.map(({ name, kind, unit, help, rows }) => {
    const options = { unit, description: help };
    const instrument: Observable =
      kind === 'gauge'
        ? meter.createObservableGauge(name, options)
        : meter.createObservableCounter(name, options);
    return { instrument, rows };
  });
  for (const { instrument, rows } of made) {
    instrument.addCallback((result: ObservableResult) => {
      const known = facts();
      if (known === undefined) return;
      for (const [value, attributes] of rows(known)) {
        if (typeof value === 'number' && Number.isFinite(value)) result.observe(value, attributes);
      }
    });
  }
}

function pressures({ reading, limits }: Frame): readonly Row[] {
  const all =
    // Frames from a ledger and from older processes have none.
    reading.pressures?.length > 0
      ? reading.pressures
      : [{ source: limits.source, used: reading.used, limit: reading.limit }];
  return all.filter(({ limit }) => limit > 0).map(({ source, used, limit }) => [used / limit, { source }]);
}

function scopeMemory({ kinds, scopes }: Frame): readonly Row[] {
  const agents = scopes.filter((row) => row.kind === 'agent');
  const byName = new Map<string, number>();
  for (const { path, bytes } of agents) {
    const name = path.slice(path.lastIndexOf('/agent:') + '/agent:'.length);
    const key = byName.has(name) || byName.size < mostAgents ? name : '(other)';
    byName.set(key, (byName.get(key) ?? 0) + bytes);
  }
  const named = [...byName].map(([name, bytes]): Row => [
    bytes,
    { 'plimsoll.scope.type': 'agent', 'gen_ai.agent.name': name },
  ]);
  const others = kinds.filter(({ kind }) => kind !== 'agent' || named.length === 0);
  return [...others.map(({ kind, bytes }): Row => [bytes, { 'plimsoll.scope.type': kind }]), ...named];
}

function findings({ findings: all }: Frame): readonly Row[] {
  const counts = new Map<string, { count: number; kind: string; severity: string }>();
  for (const { kind, severity } of all) {
    const key = `${kind} ${severity}`;
    counts.set(key, { kind, severity, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()].map(({ count, kind, severity }) => [count, { kind, severity }]);
}

function freed(actions: Facts['actions']): readonly Row[] {
  const bytes = new Map<string, number>();
  for (const { action, freedBytes } of actions) bytes.set(action, (bytes.get(action) ?? 0) + freedBytes);
  return [...bytes].map(([action, value]) => [value, { action }]);
}

function sheds({ governance }: Frame): readonly Row[] {
  return (governance.admission?.points ?? []).flatMap(({ point, reasons }) =>
    Object.entries(reasons).map(([reason, count]): Row => [count, { point, reason }]),
  );
}

/** One row per kind of keeper. Names are left out, because a program may make one per session. */
function keeperSums(frame: Frame, value: (row: Frame['keepers'][number]) => number): readonly Row[] {
  const sums = new Map<string, number>();
  for (const row of frame.keepers) sums.set(row.kind, (sums.get(row.kind) ?? 0) + value(row));
  return [...sums].map(([kind, sum]) => [sum, { kind }]);
}
