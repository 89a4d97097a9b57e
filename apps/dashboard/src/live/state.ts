import { computed, signal } from '@preact/signals';
import type { Frame } from '@plimsoll/host/protocol/frame';
import type { SessionAnswer } from '@plimsoll/host/protocol/api';
import { KnownScopes } from './known-scopes.ts';
import { Series } from './series.ts';

/** How the page stands to its server. */
interface Connection {
  readonly state: 'connecting' | 'open' | 'lost';
  /** Since when it is so. */
  readonly since: number;
  /** When the next attempt is made, while it is lost. */
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

/** True when what is shown is over: the process is gone and a ledger tells of it. */
export const isHistorical = computed(
  () => session.value !== null && (!session.value.live || session.value.process?.state !== 'running'),
);

/** The time that ages are counted to: now while the process runs, its last sign of life afterwards. */
export const now = computed(() => (isHistorical.value ? (frame.value?.at ?? clock.value) : clock.value));
