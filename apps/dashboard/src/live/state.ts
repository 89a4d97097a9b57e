import { computed, signal } from '@preact/signals';
import type { Frame } from '@plimsoll/host/protocol/frame';
import type { SessionAnswer } from '@plimsoll/host/protocol/api';
import { KnownScopes } from './known-scopes.ts';
import { Series } from './series.ts';

/** State of the connection to the server. */
interface Connection {
  readonly state: 'connecting' | 'open' | 'lost';
  /** When this state began. */
  readonly since: number;
  /** Time of the next attempt while the connection is lost. */
  readonly retryAt: number | null;
  readonly why: string;
}

export const connection = signal<Connection>({
  state: 'connecting',
  since: Date.now(),
  retryAt: null,
  why: '',
});
export const session = signal<SessionAnswer | null>(null);
export const frame = signal<Frame | null>(null);
/** Grows whenever the scopes or the series changed. The tables are too large to be copied for a signal. */
export const scopesRevision = signal(0);
export const seriesRevision = signal(0);
export const skippedEvents = signal(0);
/** Wall time, once per second; ages and countdowns follow it. */
export const clock = signal(Date.now());

export const scopes = new KnownScopes();
export const series = new Series();

/** True when the shown process has ended and is read from a ledger. */
export const isHistorical = computed(
  () => session.value !== null && (!session.value.live || session.value.process?.state !== 'running'),
);

/** The time for computing ages: now while the process runs, its last sign of life afterwards. */
export const now = computed(() => (isHistorical.value ? (frame.value?.at ?? clock.value) : clock.value));
