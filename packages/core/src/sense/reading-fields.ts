/** What is known of one number of a reading. */
export interface ReadingField {
  readonly unit: 'bytes' | 'ms' | 'ratio' | 'count';
  /** Who measures it. `sensor` fields are copied from the vitals of the sensor; the sampler computes the others. */
  readonly source: 'sensor' | 'sampler';
  /** Missing until there is something to tell. */
  readonly isOptional: boolean;
  /** Part of every process sample of the ledger, under this name. */
  readonly stored: string | null;
  /** What metrics export it as; null when it is not exported or an instrument of its own does it. */
  readonly metric: {
    readonly name: string;
    readonly kind: 'gauge' | 'counter';
    readonly help: string;
  } | null;
  /** A few words for people. */
  readonly label: string;
}

/**
 * The numbers of a reading, in one table. The types of readings and vitals, the sampler, the JSON Schema of the server, the metrics, the
 * samples that the host stores and the labels of the page are made from it. To add one: a row here, and its value in `process-sensor.ts`.
 */
export const readingFields = {
  rss: {
    unit: 'bytes',
    source: 'sensor',
    isOptional: false,
    stored: 'rss',
    metric: { name: 'process.memory.usage', kind: 'gauge', help: 'Resident memory of the process' },
    label: 'resident (RSS)',
  },
  heapUsed: {
    unit: 'bytes',
    source: 'sensor',
    isOptional: false,
    stored: 'heapUsed',
    metric: { name: 'plimsoll.heap.used', kind: 'gauge', help: 'Used heap of V8, all spaces' },
    label: 'heap with garbage',
  },
  external: {
    unit: 'bytes',
    source: 'sensor',
    isOptional: false,
    stored: 'external',
    metric: {
      name: 'plimsoll.memory.external',
      kind: 'gauge',
      help: 'Memory outside the heap that its objects hold, array buffers included',
    },
    label: 'outside the heap',
  },
  arrayBuffers: {
    unit: 'bytes',
    source: 'sensor',
    isOptional: false,
    stored: 'arrayBuffers',
    metric: null,
    label: 'of it ArrayBuffers',
  },
  /** Live heap right after the last major GC; undefined before the first one. */
  floor: {
    unit: 'bytes',
    source: 'sampler',
    isOptional: true,
    stored: 'floor',
    metric: {
      name: 'plimsoll.memory.live',
      kind: 'gauge',
      help: 'Live heap right after the last major GC: the floor',
    },
    label: 'alive after the last major GC',
  },
  floorAgeMs: {
    unit: 'ms',
    source: 'sampler',
    isOptional: true,
    stored: null,
    metric: null,
    label: 'age of the floor',
  },
  /** Ordinal of the last major GC since sensing began; differences tell how many lie between two readings. */
  majors: {
    unit: 'count',
    source: 'sampler',
    isOptional: false,
    stored: null,
    metric: { name: 'plimsoll.gc.majors', kind: 'counter', help: 'Major collections since the start' },
    label: 'major GCs',
  },
  /** The limit that is nearest to being reached, and what counts against it. */
  limit: {
    unit: 'bytes',
    source: 'sampler',
    isOptional: false,
    stored: 'limit',
    metric: null,
    label: 'limit',
  },
  used: {
    unit: 'bytes',
    source: 'sampler',
    isOptional: false,
    stored: 'usedBytes',
    metric: null,
    label: 'used of the limit',
  },
  /** Longest event-loop delay since the previous reading. */
  loopDelayMs: {
    unit: 'ms',
    source: 'sensor',
    isOptional: false,
    stored: 'loopDelayMs',
    metric: {
      name: 'nodejs.eventloop.delay.max',
      kind: 'gauge',
      help: 'Longest delay of the event loop since the reading before',
    },
    label: 'longest event-loop delay',
  },
  /** Share of the time since the previous reading that the loop was busy, 0 to 1. */
  loopUtilization: {
    unit: 'ratio',
    source: 'sensor',
    isOptional: false,
    stored: null,
    metric: {
      name: 'nodejs.eventloop.utilization',
      kind: 'gauge',
      help: 'Share of the time since the reading before that the event loop was busy',
    },
    label: 'event loop busy',
  },
  /** Open scopes. */
  scopes: {
    unit: 'count',
    source: 'sampler',
    isOptional: false,
    stored: null,
    metric: null,
    label: 'open scopes',
  },
  /** Live heap that the census found in no scope; undefined until it went round once. */
  unattributed: {
    unit: 'bytes',
    source: 'sampler',
    isOptional: true,
    stored: null,
    metric: null,
    label: 'in no scope',
  },
  /** Ms by which this reading came late; a late reading stands for one sample, however many it replaced. */
  lateMs: {
    unit: 'ms',
    source: 'sampler',
    isOptional: false,
    stored: null,
    metric: null,
    label: 'late by',
  },
} as const satisfies Readonly<Record<string, ReadingField>>;

type Fields = typeof readingFields;
type NamesBy<Key extends keyof ReadingField, Value> = {
  [Name in keyof Fields]: Fields[Name][Key] extends Value ? Name : never;
}[keyof Fields];

/** The numbers of a reading. */
export type ReadingNumbers = { readonly [Name in NamesBy<'isOptional', false>]: number } & {
  readonly [Name in NamesBy<'isOptional', true>]?: number;
};

/** The numbers that the sensor measures. */
export type SensedNumbers = { readonly [Name in NamesBy<'source', 'sensor'>]: number };

/** The stored numbers of a reading by the names that a sample has. */
export type StoredNumbers = {
  readonly [Name in NamesBy<'stored', string> as Fields[Name]['stored'] & string]: ReadingNumbers[Name];
};

const rows = Object.entries(readingFields) as [keyof Fields, ReadingField][];
const sensed = rows.filter(([, { source }]) => source === 'sensor').map(([name]) => name);
const storedRows = rows.filter(([, { stored }]) => stored !== null);

/** The sensor's numbers out of its vitals. */
export function sensedNumbers(vitals: SensedNumbers): SensedNumbers {
  const values = vitals as unknown as Record<string, number>;
  return Object.fromEntries(sensed.map((name) => [name, values[name]])) as unknown as SensedNumbers;
}

/** What the ledger keeps of a reading. */
export function storedNumbers(reading: ReadingNumbers): StoredNumbers {
  return Object.fromEntries(
    storedRows.map(([name, { stored }]) => [stored, reading[name]]),
  ) as unknown as StoredNumbers;
}
