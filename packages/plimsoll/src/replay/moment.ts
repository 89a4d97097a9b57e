import { LedgerReader } from '@plimsoll/ledger';
import type { StoredSample, WindowOptions } from '@plimsoll/ledger';

/** One stored moment of a process: its reading, the bytes of its scopes, or both. */
export interface Moment {
  readonly at: number;
  readonly process: StoredSample | undefined;
  /** Undefined when scopes were not written at this moment. */
  readonly scopes: readonly StoredSample[] | undefined;
}

/** Time span for which scopes are read and sorted at once, because the ledger returns them scope by scope. */
const sliceMs = 15 * 60_000;

/**
 * The moments of one run, oldest first, read on demand. Readings come in order of time. Scopes come scope by scope and are sorted slice by
 * slice. Each of the two walks needs its own connection, because a connection can run only one walk at a time.
 */
export function* momentsOf(reader: LedgerReader, window: WindowOptions): Generator<Moment> {
  const other = new LedgerReader(reader.dir);
  try {
    yield* merged(reader.samples({ ...window, scope: 'process' }), groups(inOrder(other, window)));
  } finally {
    other.close();
  }
}

/** The samples of all scopes in the order of time. */
function* inOrder(reader: LedgerReader, window: WindowOptions): Generator<StoredSample> {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { at } of reader.samples(window)) {
    first = Math.min(first, at);
    last = Math.max(last, at);
  }
  for (let since = first; since <= last; since += sliceMs) {
    const slice = [...reader.samples({ ...window, since, until: Math.min(since + sliceMs, last + 1) })];
    yield* slice.toSorted((a, b) => a.at - b.at);
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

/** The samples of scopes, grouped by the time at which they were written. */
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
