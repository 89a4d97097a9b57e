import type { AlertLevel } from '../policy/sections/alert-rules.ts';

export type { AlertLevel } from '../policy/sections/alert-rules.ts';

/** The names that alerts can have; they are few, so that silences and routes can rely on them. */
const alertNames = [
  'memory.incident',
  'memory.level',
  'memory.finding',
  'memory.approval',
  'memory.action',
  'memory.action.failed',
  'memory.restart',
  'memory.rollback',
  'memory.sensor.stale',
  'memory.policy',
  'memory.gc',
  'memory.survivors',
] as const;
export type AlertName = (typeof alertNames)[number];

/** What tells one alert from another. Two alerts with equal labels are the same alert. */
export interface Labels {
  readonly alertname: AlertName;
  readonly level: AlertLevel;
  readonly service: string;
  readonly pod: string;
  /** The kind of the scopes that it is about. All sessions share one alert. */
  readonly kind: string;
  /** Which finding, approval or action; empty when the kind says it all. */
  readonly subject: string;
}

/** One of the scopes behind an alert. */
export interface Offender {
  readonly scope: string;
  readonly level: string;
  readonly usedBytes: number;
  readonly limitBytes: number;
}

/** What an alert says, at the time it is told. */
export interface AlertDetails {
  /** One sentence with the numbers. */
  readonly summary: string;
  /** The worst five; `offenderCount` says how many there are. */
  readonly offenders: readonly Offender[];
  readonly offenderCount: number;
  /** What was done about it lately, newest last. */
  readonly actions: readonly string[];
  readonly fix?: string;
  /** Values a program needs to answer: the id and digest of an approval. */
  readonly values?: Readonly<Record<string, string | number | null>>;
}

/** An alert as it goes out. */
export interface Alert extends AlertDetails {
  readonly fingerprint: string;
  readonly labels: Labels;
  readonly status: 'firing' | 'resolved';
  /** Wall time in ms. */
  readonly startsAt: number;
  readonly endsAt: number | null;
}

/** What one recipient is told at once: alerts of one group that began, still fire after the repeat time, or ended. */
export interface Notice {
  readonly id: string;
  readonly recipient: string;
  /** The labels that the group has in common. */
  readonly group: Readonly<Record<string, string>>;
  /** The highest level in it. */
  readonly level: AlertLevel;
  readonly at: number;
  readonly firing: readonly Alert[];
  readonly resolved: readonly Alert[];
  /** Alerts of the group that fire and that the recipient knows of already. */
  readonly stillFiring: number;
}

/** Time as the router needs it; the clock of `@plimsoll/core/sense` is one. */
export interface AlertClock {
  now(): number;
  monotonic(): number;
  after(ms: number, callback: () => void): () => void;
}

export const alertClock: AlertClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms).unref();
    return () => clearTimeout(timer);
  },
};
