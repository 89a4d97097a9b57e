import { keeperRows } from '@plimsoll/core/keeper';
import { roster } from '@plimsoll/core/internal/scope/index';
import { Census } from '@plimsoll/core/internal/sense/census/census';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { SelfCost } from '@plimsoll/core/internal/sense/self-cost';
import type { GrowthRecorder } from '@plimsoll/leak/internal/proof/growth-recorder';
import type { Part } from '../part.ts';
import { ScopeBytes } from './scope-bytes.ts';
import type { PeakRow } from '../../protocol/frame.ts';

/** What every open scope holds at the last reading, and the highest that any scope ever held. */
export class ScopesPart implements Part {
  readonly bytes: ScopeBytes;
  readonly peaks = new PeakList();
  readonly #census: Census;
  readonly #recorder: GrowthRecorder | undefined;

  constructor(self: SelfCost, recorder: GrowthRecorder | undefined) {
    this.#census = new Census({
      roster,
      self,
      onClosing: (path, bytes, at) => this.peaks.note(() => path, bytes, at),
    });
    this.#recorder = recorder;
    this.bytes = new ScopeBytes(roster, this.#census);
  }

  start(): void {
    this.#census.start();
  }

  take(reading: Reading): void {
    // The list of open scopes is as old as the last reading, so several collections since then count once.
    if (reading.gc.major > 0) roster.noteMajorGc();
    if (roster.openedByProgram > 0) this.#recorder?.scopesAreInUse();
    this.bytes.refresh();
    for (const { record, bytes } of this.bytes.moved) this.peaks.note(() => record.path, bytes, reading.at);
    this.bytes.reconcile(reading, keptBytes);
  }

  stop(): void {
    this.#census.stop();
    this.bytes.stop();
  }

  /** Bytes that keepers charged to open scopes. Keepers are bounded, so these bytes are not unknown growth. */
  get chargedBytes(): number {
    return this.bytes.chargedBytes;
  }

  /** Learns from a snapshot what scopes retain; `at` is when it was taken. */
  calibrate(scopes: Parameters<Census['calibrate']>[0], at: number): void {
    this.#census.calibrate(scopes, at);
  }

  /** Live heap outside every scope, by the census. */
  unattributed(floorBytes: number): number | undefined {
    return this.#census.unattributed(floorBytes);
  }
}

/** Bytes of keepers that charge no scope. The bytes of the others are in their scope. */
function keptBytes(): number {
  return keeperRows().reduce((sum, { scope, bytes }) => (scope === null ? sum + bytes : sum), 0);
}

const mostRows = 10;

/**
 * The few scopes that held most since the start. A scope that has closed stays in it, because people ask afterwards who held the memory.
 */
export class PeakList {
  readonly #rows = new Map<string, { path: string; peakBytes: number; at: number }>();
  #least = 0;

  /** Notes what a scope holds; almost every call ends at the first comparison. */
  note(path: () => string, bytes: number, at: number): void {
    if (bytes <= this.#least || bytes <= 0) return;
    const key = path();
    const known = this.#rows.get(key);
    if (known !== undefined) {
      if (bytes > known.peakBytes) Object.assign(known, { peakBytes: bytes, at });
    } else {
      this.#rows.set(key, { path: key, peakBytes: bytes, at });
      if (this.#rows.size > mostRows) this.#rows.delete((this.rows.at(-1) as PeakRow).path);
    }
    this.#least = this.#rows.size < mostRows ? 0 : (this.rows.at(-1) as PeakRow).peakBytes;
  }

  get rows(): readonly PeakRow[] {
    return [...this.#rows.values()].sort((a, b) => b.peakBytes - a.peakBytes);
  }
}
