import type { AlertLevel } from '../policy/sections/alert-rules.ts';

export type { AlertLevel } from '../policy/sections/alert-rules.ts';

/** The fixed names of alerts, so that silences and routes can rely on them. */
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

/** The identity of an alert. Two alerts with equal labels are the same alert. */
export interface Labels {
  readonly alertname: AlertName;
  readonly level: AlertLevel;
  readonly service: string;
  readonly pod: string;
  /** The kind of its scopes. All sessions share one alert. */
  readonly kind: string;
  /** The finding, approval or action; empty when the kind is enough. */
  readonly subject: string;
}

/** One of the scopes behind an alert. */
export interface Offender {
  readonly scope: string;
  readonly level: string;
  readonly usedBytes: number;
  readonly limitBytes: number;
}

/** The text of an alert when it is sent. */
export interface AlertDetails {
  /** One sentence with the numbers. */
  readonly summary: string;
  /** The worst five; `offenderCount` says how many there are. */
  readonly offenders: readonly Offender[];
  readonly offenderCount: number;
  /** Recent actions against it, newest last. */
  readonly actions: readonly string[];
  readonly fix?: string;
  /** Values that a program needs for an answer: the id and digest of an approval. */
  readonly values?: Readonly<Record<string, string | number | null>>;
}

/** An alert as it is sent. */
export interface Alert extends AlertDetails {
  readonly fingerprint: string;
  readonly labels: Labels;
  readonly status: 'firing' | 'resolved';
  /** Wall time in ms. */
  readonly startsAt: number;
  readonly endsAt: number | null;
}

/** One message to one recipient: alerts of one group that began, still fire after the repeat time, or ended. */
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
  /** Number of firing alerts of the group that the recipient already knows. */
  readonly stillFiring: number;
}

/** The clock of the router. The clock of core fits. */
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
