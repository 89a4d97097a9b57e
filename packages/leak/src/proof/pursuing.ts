import type { Finding } from '../findings/finding.ts';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import type { Evidence } from './evidence.ts';
import { Pursuit } from './pursuit.ts';
import type { Lead, Pair, PursuitOptions } from './pursuit.ts';
import { takeSnapshot } from './snapshot-file.ts';
import type { Capture, Channel, Testimony } from './testimony.ts';

export { Tracing } from './tracing.ts';

export interface PursuingOptions {
  readonly dir: string;
  readonly maxPauseMs: number;
  /** What the detector suspects of growing. */
  readonly leads: () => readonly (Lead & { readonly growthBytes: number })[];
  /** What the witness saw, on which a proof builds. */
  readonly testimony: () => Testimony;
  readonly onFinding: (finding: Finding) => void;
  /** Reads two snapshots elsewhere; default another process. */
  readonly analyze?: (last: Capture, first: Capture) => Promise<Evidence | undefined>;
  /** Monotonic ms since the process began. */
  readonly now?: () => number;
  readonly limits?: Pick<PursuitOptions, 'fromMs' | 'pairMs' | 'patienceMs' | 'cooldownMs'>;
}

const lookMs = 60_000;

/** Has the growth that the detector suspects proved by two snapshots while the program runs; nobody is paged before. */
export class Pursuing {
  readonly #options: PursuingOptions;
  readonly #pursuit: Pursuit;
  readonly #now: () => number;
  #lookAt = 0;

  constructor(options: PursuingOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#pursuit = new Pursuit({
      take: (name, heapBytes) => takeSnapshot(options.dir, name, options.maxPauseMs, heapBytes),
      remove: ({ file }) => removeFile(file),
      ...options.limits,
    });
  }

  /** Once a minute, from a reading; resolves when a pair, if there was one, has been read. */
  async take(reading: Reading): Promise<void> {
    const now = this.#now();
    if (now < this.#lookAt || reading.floor === undefined) return;
    this.#lookAt = now + lookMs;
    try {
      const pair = this.#pursuit.pursue(this.#options.leads(), now, reading.at, reading.floor);
      if (pair !== undefined) await this.#prove(pair);
    } catch {
      // A full disk or a V8 that refuses: the suspicion stays one.
    }
  }

  stop(): void {
    this.#pursuit.stop();
  }

  async #prove(pair: Pair): Promise<void> {
    const { first, last } = pair;
    try {
      const analyze = this.#options.analyze ?? analyzeElsewhere;
      const evidence = await analyze(last, first);
      const { prove } = await import('./prove.ts');
      const { verdict, findings } = prove(this.#testimony(pair), evidence);
      if (verdict === 'leak') for (const finding of findings) this.#options.onFinding(finding);
    } finally {
      removeFile(first.file);
      removeFile(last.file);
    }
  }

  #testimony({ lead, first, last, suspectedAt }: Pair): Testimony {
    const seen = this.#options.testimony();
    const channel: Channel = lead.channel === 'population' ? 'heap' : (lead.channel as Channel);
    const known = this.#options.leads().find(({ fingerprint }) => fingerprint === lead.fingerprint);
    const gained = last.heapBytes - first.heapBytes;
    const growthBytes = channel === 'heap' ? gained : (known?.growthBytes ?? gained);
    const growing = { ...seen.channels[channel], shape: 'growing' as const, growthBytes };
    return {
      ...seen,
      // The pace is that of the pair, not of the whole life.
      startedAt: first.at,
      at: last.at,
      channels: { ...seen.channels, [channel]: growing },
      suspectedAt,
      first,
      last,
      floors: [first.heapBytes, last.heapBytes],
    };
  }
}

async function analyzeElsewhere(last: Capture, first: Capture): Promise<Evidence | undefined> {
  const elsewhere = await import('./analyze.ts');
  return elsewhere.analyzeElsewhere(last, first, { isGuest: true });
}
