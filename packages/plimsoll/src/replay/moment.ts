import { LedgerReader } from '@plimsoll/ledger';
import type { StoredSample, WindowOptions } from '@plimsoll/ledger';

/** What the ledger kept of one moment of one process: its reading, what scopes held, or both. */
export interface Moment {
  readonly at: number;
  readonly process: StoredSample | undefined;
  /** Undefined when scopes were not written at this moment. */
  readonly scopes: readonly StoredSample[] | undefined;
}

/**
 * The moments of one run, oldest first, read as they are needed. The ledger writes the rows of a batch by their form, so that readings and
 * scopes are each in order but not beside each other: two walks are merged, each on a
 * connection of its own because one can be walked only once at a time.
 */
export function* momentsOf(reader: LedgerReader, window: WindowOptions): Generator<Moment> {
  const other = new LedgerReader(reader.dir);
  try {
    yield* merged(reader.samples({ ...window, scope: 'process' }), groups(other.samples(window)));
  } finally {
    other.close();
  }
}

function* merged(readings: Iterator<StoredSample>, scopes: Iterator<Group>): Generator<Moment> {
  let reading = readings.next();
  let group = scopes.next();
  while (reading.done !== true || group.done !== true) {
    const at = Math.min(timeOf(reading), timeOf(group));
    const process = timeOf(reading) === at ? (reading.value as StoredSample) : undefined;
    const held = timeOf(group) === at ? (group.value as Group).rows : undefined;
    yield { at, process, scopes: held };
    if (process !== undefined) reading = readings.next();
    if (held !== undefined) group = scopes.next();
  }
}

interface Group {
  readonly at: number;
  readonly rows: readonly StoredSample[];
}

/** What scopes held, together when it was written together. */
function* groups(samples: Iterable<StoredSample>): Generator<Group> {
  let rows: StoredSample[] = [];
  for (const sample of samples) {
    if (sample.scope === 'process') continue;
    const at = rows[0]?.at;
    if (at !== undefined && at !== sample.at) {
      yield { at, rows };
      rows = [];
    }
    rows.push(sample);
  }
  const at = rows[0]?.at;
  if (at !== undefined) yield { at, rows };
}

function timeOf(step: IteratorResult<{ readonly at: number }, unknown>): number {
  return step.done === true ? Number.POSITIVE_INFINITY : step.value.at;
}
