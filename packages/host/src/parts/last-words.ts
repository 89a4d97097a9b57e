import { setHeapSnapshotNearHeapLimit } from 'node:v8';
import type { AllocationSites } from '@plimsoll/core/internal/sense/allocation-sites';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import { keeperRows } from '@plimsoll/core/keeper';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import { replaceFile } from '@plimsoll/core/internal/replace-file';
import type { GrownContainer } from '@plimsoll/leak/internal/containers/container-counts';
import { nameOf } from '@plimsoll/leak/internal/containers/container-name';
import type { AddingSite } from '@plimsoll/leak/internal/proof/growth-record';
import type { CapturePrediction } from '@plimsoll/heap/internal/capture/prediction';
import { lastWordsFile } from '../protocol/last-words.ts';
import type { LastWords } from '../protocol/last-words.ts';
import type { Level } from '../protocol/frame.ts';
import type { Part } from './part.ts';

interface LastWordsOptions {
  readonly dir: string;
  readonly level: () => Level;
  /** Ms until the limit is reached; null when nothing is forecast. */
  readonly forecastMs: () => number | null;
  /** The scopes that hold most. */
  readonly scopes: () => readonly { readonly path: string; readonly bytes: number }[];
  /** Sites that are already known, when allocations are sampled all the time. */
  readonly sites: () => LastWords['sites'] | undefined;
  /** The containers of the program that grew. */
  readonly containers: () => readonly GrownContainer[];
  /** Whether V8 may write a heap snapshot when it is about to give up, as far as the memory is there. */
  readonly isSnapshotWanted: boolean;
  /** Called with the words, because the folder may be lost with the machine. */
  readonly said?: (words: LastWords) => void;
  readonly sample?: () => Promise<AllocationSites>;
  readonly predict?: () => Promise<CapturePrediction>;
  readonly arm?: (count: number) => void;
}

/** The end is near when the forecast is below this time: one value at level normal, a longer one at warning. */
const nearMs = { normal: 5 * 60_000, warning: 60 * 60_000 } as const;
/** Above this share of the limit V8 is not asked any more. Reading samples collects the heap, and that collection may end the process. */
const mostRatio = 0.95;
const againMs = 60_000;
const sampleMs = 2000;
const mostRows = 10;
const mostChars = 160;

/**
 * Writes what is known when the end is near and a snapshot may not fit: allocation sites by sampling, the containers that grew, the scopes
 * and keepers that hold most. It writes well before the limit and never at it, so that it does not end the process sooner.
 */
export class LastWordsPart implements Part {
  readonly #options: LastWordsOptions;
  #atMs = Number.NEGATIVE_INFINITY;
  #isBusy = false;
  #snapshot: LastWords['snapshot'] = null;
  #isStopped = false;

  constructor(options: LastWordsOptions) {
    this.#options = options;
  }

  start(): void {
    // Nothing to do until the end is near.
  }

  take({ used, limit }: Pick<Reading, 'used' | 'limit'>): void {
    const nowMs = performance.now();
    if (this.#isBusy || nowMs - this.#atMs < againMs || !this.#isNear()) return;
    this.#isBusy = true;
    this.#atMs = nowMs;
    void this.#speak(used < mostRatio * limit).finally(() => {
      this.#isBusy = false;
    });
  }

  /** A clean end leaves no last words. */
  exit(code: number): void {
    if (code === 0) this.stop();
  }

  stop(): void {
    this.#isStopped = true;
    removeFile(lastWordsFile(this.#options.dir, process.pid));
  }

  #isNear(): boolean {
    const level = this.#options.level();
    const forecastMs = this.#options.forecastMs();
    if (level === 'critical' || level === 'emergency') return true;
    return forecastMs !== null && forecastMs < nearMs[level];
  }

  async #speak(mayAsk: boolean): Promise<void> {
    const { scopes, sites, containers } = this.#options;
    try {
      const words = {
        v: 1,
        at: Date.now(),
        containers: containers()
          .slice(0, mostRows)
          .map((each) => ({
            name: nameOf(each).slice(-mostChars),
            entries: each.count,
            gained: each.gained,
          })),
        scopes: scopes()
          .slice(0, mostRows)
          .map(({ path, bytes }) => [path.slice(-mostChars), bytes] as const),
        keepers: keeperRows()
          .slice(0, mostRows)
          .map(({ kind, name, bytes }) => [`${kind}:${name}`.slice(0, mostChars), bytes] as const),
      } as const;
      // The cheap part is written first, because the rest may come too late.
      this.#write({ ...words, sites: sites() ?? [], snapshot: this.#snapshot });
      if (!mayAsk) return;
      if (this.#options.isSnapshotWanted) this.#snapshot ??= await this.#armSnapshot();
      this.#write({ ...words, sites: sites() ?? (await this.#sample()), snapshot: this.#snapshot });
    } catch {
      // Last words only help later. The process goes on without them.
    }
  }

  #write(words: LastWords): void {
    if (this.#isStopped) return;
    this.#options.said?.(words);
    replaceFile(lastWordsFile(this.#options.dir, process.pid), JSON.stringify(words));
  }

  async #sample(): Promise<LastWords['sites']> {
    const sample = this.#options.sample ?? sampleNow;
    try {
      const { sites } = await sample();
      return sites
        .filter(({ where }) => where !== '(native)')
        .map(({ name, where, bytes }) => ({
          name: name.slice(0, 80),
          where: where.slice(-mostChars),
          bytes,
        }));
    } catch {
      // Another sampling runs, or the inspector is taken.
      return [];
    }
  }

  /** Asks V8 to write a snapshot when it is about to give up, but only where the memory for it is there. */
  async #armSnapshot(): Promise<LastWords['snapshot']> {
    const { neededBytes, freeBytes, fits } = await (this.#options.predict ?? predictNow)();
    if (!fits) return { state: 'refused', neededBytes, freeBytes };
    (this.#options.arm ?? setHeapSnapshotNearHeapLimit)(1);
    return { state: 'armed', neededBytes, freeBytes };
  }
}

// Both are loaded on demand, because most processes never come near their end.
async function sampleNow(): Promise<AllocationSites> {
  const { sampleAllocationSites } = await import('@plimsoll/core/internal/sense/allocation-sites');
  return sampleAllocationSites({ durationMs: sampleMs, top: mostRows });
}

async function predictNow(): Promise<CapturePrediction> {
  const { predictCapture } = await import('@plimsoll/heap/internal/capture/guard');
  return predictCapture();
}

/** Sites that were followed for long enough to say how fast each adds; undefined when there are none. */
export function addingSites(sites: readonly AddingSite[] | undefined): LastWords['sites'] | undefined {
  if (sites === undefined || sites.length === 0) return undefined;
  return sites.slice(0, mostRows).map(({ function: name, file, line, perHour }) => ({
    name: name.slice(0, 80),
    where: `${file}:${line}`.slice(-mostChars),
    bytesPerHour: Math.round(perHour),
  }));
}
