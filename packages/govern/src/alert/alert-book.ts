import type { Alert, AlertDetails, Labels } from './alert.ts';
import { createHash } from 'node:crypto';

/** One alert that fires or fired recently. */
export interface BookEntry {
  readonly fingerprint: string;
  readonly labels: Labels;
  /** True for emergencies and approvals, whose notices are sent sooner. */
  readonly urgent: boolean;
  /** True for an event that happened once. No notice is sent about its end. */
  readonly momentary: boolean;
  firing: boolean;
  /** Monotonic time of the last change between firing and resolved. */
  changedMs: number;
  startsAt: number;
  endsAt: number | null;
  /** The current text; frozen when the alert ends. */
  describe: () => AlertDetails;
  /** Ends by itself at this monotonic time unless it fires again. */
  untilMs: number;
}

export interface FireOptions {
  readonly urgent?: boolean;
  readonly momentary?: boolean;
  /** How long it fires without being fired again; for ever by default. */
  readonly holdMs?: number;
}

/** Key with one text per set of labels. The hash is only for recipients. */
function keyOf({ alertname, level, service, pod, kind, subject }: Labels): string {
  return `${alertname}\0${level}\0${service}\0${pod}\0${kind}\0${subject}`;
}

/** The alerts that fire and those that ended recently, one per set of labels; bounded. */
export class AlertBook {
  readonly #entries = new Map<string, BookEntry>();
  readonly #most: number;
  #refused = 0;
  #version = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Counts every beginning and end. */
  get version(): number {
    return this.#version;
  }

  /** Alerts that found no room. */
  get refused(): number {
    return this.#refused;
  }

  entries(): Iterable<BookEntry> {
    return this.#entries.values();
  }

  /** Starts an alert, or continues it. */
  fire(
    labels: Labels,
    describe: () => AlertDetails,
    now: { readonly ms: number; readonly at: number },
    options: FireOptions = {},
  ): void {
    const key = keyOf(labels);
    const untilMs = options.holdMs === undefined ? Number.POSITIVE_INFINITY : now.ms + options.holdMs;
    const known = this.#entries.get(key);
    if (known !== undefined) {
      if (!known.firing) {
        this.#version++;
        known.firing = true;
        known.changedMs = now.ms;
        known.startsAt = now.at;
        known.endsAt = null;
      }
      known.describe = describe;
      known.untilMs = untilMs;
      return;
    }
    if (this.#entries.size >= this.#most && !this.#dropOldestResolved()) {
      this.#refused++;
      return;
    }
    this.#version++;
    this.#entries.set(key, {
      fingerprint: fingerprintOf(labels),
      labels,
      urgent: options.urgent ?? labels.level === 'emergency',
      momentary: options.momentary ?? false,
      firing: true,
      changedMs: now.ms,
      startsAt: now.at,
      endsAt: null,
      describe,
      untilMs,
    });
  }

  /** Ends an alert. Does nothing when it does not fire. */
  resolve(labels: Labels, now: { readonly ms: number; readonly at: number }): void {
    const entry = this.#entries.get(keyOf(labels));
    if (entry?.firing === true) this.#end(entry, now);
  }

  /** Ends alerts whose time is over. */
  expire(now: { readonly ms: number; readonly at: number }): void {
    for (const entry of this.#entries.values())
      if (entry.firing && entry.untilMs <= now.ms) this.#end(entry, now);
  }

  forget({ labels }: Pick<BookEntry, 'labels'>): void {
    this.#entries.delete(keyOf(labels));
  }

  #end(entry: BookEntry, now: { readonly ms: number; readonly at: number }): void {
    const last = entry.describe();
    this.#version++;
    entry.firing = false;
    entry.changedMs = now.ms;
    entry.endsAt = now.at;
    entry.untilMs = Number.POSITIVE_INFINITY;
    entry.describe = () => last;
  }

  #dropOldestResolved(): boolean {
    let oldest: BookEntry | undefined;
    for (const entry of this.#entries.values())
      if (!entry.firing && entry.changedMs < (oldest?.changedMs ?? Number.POSITIVE_INFINITY)) oldest = entry;
    return oldest !== undefined && this.#entries.delete(keyOf(oldest.labels));
  }
}

/** The alert as it is sent. */
export function alertOf(entry: BookEntry): Alert {
  const { fingerprint, labels, firing, startsAt, endsAt } = entry;
  return {
    ...entry.describe(),
    fingerprint,
    labels,
    status: firing ? 'firing' : 'resolved',
    startsAt,
    endsAt,
  };
}

/** The identity of an alert: a hash over its labels in the order of their names. */
function fingerprintOf(labels: Labels): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(pairs)).digest('hex').slice(0, 16);
}
