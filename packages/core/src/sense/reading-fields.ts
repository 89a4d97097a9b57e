/** What is known of one number of a reading. */
export interface ReadingField {
  readonly unit: 'bytes' | 'ms' | 'ratio' | 'count';
  /** Who measures it. `sensor` fields are copied from the vitals of the sensor; the sampler computes the others. */
  readonly source: 'sensor' | 'sampler';
  /** Missing until there is something to tell. */
  readonly isOptional: boolean;
  /**
   * How the ledger keeps it: the column, in units of `1 / scale`, and which value stands for several in minutes, hours and days. Without
   * `rollUp` only raw samples have it. Null when the ledger does not keep it.
   */
  readonly stored: {
    readonly column: string;
    readonly scale: number;
    readonly rollUp: 'min' | 'max' | 'newest' | null;
  } | null;
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
 * columns of the ledger with what is read from them, and the labels and series of the page are made from it. To add one: a row here, and its value in `process-sensor.ts`.
 */
export const readingFields = {
  /** What counts against the limit. The ledger keeps it as the bytes of every sample. */
  used: {
    unit: 'bytes',
    source: 'sampler',
    isOptional: false,
    stored: null,
    metric: null,
    label: 'used of the limit',
  },
  /** The limit that is nearest to being reached. */
  limit: {
    unit: 'bytes',
    source: 'sampler',
    isOptional: false,
    stored: { column: 'limit_bytes', scale: 1, rollUp: 'newest' },
    metric: null,
    label: 'limit',
  },
  /** Live heap right after the last major GC; undefined before the first one. */
  floor: {
    unit: 'bytes',
    source: 'sampler',
    isOptional: true,
    stored: { column: 'floor', scale: 1, rollUp: 'min' },
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
  heapUsed: {
    unit: 'bytes',
    source: 'sensor',
    isOptional: false,
    stored: { column: 'heap', scale: 1, rollUp: null },
    metric: { name: 'plimsoll.heap.used', kind: 'gauge', help: 'Used heap of V8, all spaces' },
    label: 'heap with garbage',
  },
  external: {
    unit: 'bytes',
    source: 'sensor',
    isOptional: false,
    stored: { column: 'external', scale: 1, rollUp: null },
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
    stored: { column: 'array_buffers', scale: 1, rollUp: null },
    metric: null,
    label: 'of it ArrayBuffers',
  },
  rss: {
    unit: 'bytes',
    source: 'sensor',
    isOptional: false,
    stored: { column: 'rss', scale: 1, rollUp: 'max' },
    metric: { name: 'process.memory.usage', kind: 'gauge', help: 'Resident memory of the process' },
    label: 'resident (RSS)',
  },
  /** Longest event-loop delay since the previous reading. */
  loopDelayMs: {
    unit: 'ms',
    source: 'sensor',
    isOptional: false,
    stored: { column: 'loop_us', scale: 1000, rollUp: 'max' },
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

type StoredName = NamesBy<'stored', object>;

/** The numbers that the ledger keeps beside what is used. */
export type StoredNumbers = Pick<ReadingNumbers, StoredName>;

/** The same where some may be unknown. */
export type KnownNumbers = { readonly [Name in StoredName]: number | null };

const rows = Object.entries(readingFields) as [keyof Fields, ReadingField][];
const sensed = rows.filter(([, { source }]) => source === 'sensor').map(([name]) => name);

/** The numbers that the ledger keeps, in the order of its columns. */
export const storedFields = rows.flatMap(([name, { stored }]) =>
  stored === null ? [] : [{ name: name as StoredName, ...stored }],
);

/** The sensor's numbers out of its vitals. */
export function sensedNumbers(vitals: SensedNumbers): SensedNumbers {
  const values = vitals as unknown as Record<string, number>;
  return Object.fromEntries(sensed.map((name) => [name, values[name]])) as unknown as SensedNumbers;
}

/** What the ledger keeps of a reading. */
export function storedNumbers(reading: StoredNumbers): StoredNumbers {
  return Object.fromEntries(
    storedFields.map(({ name }) => [name, reading[name]]),
  ) as unknown as StoredNumbers;
}

/** The stored numbers of any row that has some of them; null where it has none. */
export function knownNumbers(row: Partial<Readonly<Record<StoredName, number | null>>>): KnownNumbers {
  return Object.fromEntries(
    storedFields.map(({ name }) => [name, row[name] ?? null]),
  ) as unknown as KnownNumbers;
}

/** The numbers of a reading of which only some were measured: the others are 0, optional ones are left out. */
export function partlyKnown(row: { readonly [Name in keyof Fields]?: number | null }): ReadingNumbers {
  const known = rows.flatMap(([name, { isOptional }]) => {
    const value = row[name] ?? (isOptional ? null : 0);
    return value === null ? [] : [[name, value]];
  });
  return Object.fromEntries(known) as unknown as ReadingNumbers;
}
