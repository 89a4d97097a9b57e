import { keeperRows } from '@plimsoll/core/keeper';
import { roster } from '@plimsoll/core/internal/scope/index';
import { Census } from '@plimsoll/core/internal/sense/census/census';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { SelfCost } from '@plimsoll/core/internal/sense/self-cost';
import type { GrowthRecorder } from '@plimsoll/leak/internal/proof/growth-recorder';
import type { Part } from '../part.ts';
import { PeakList } from './peak-list.ts';
import { ScopeBytes } from './scope-bytes.ts';

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

  /** Bytes that keepers charged to open scopes. They are bounded, so they are no growth of the unknown. */
  get chargedBytes(): number {
    return this.bytes.chargedBytes;
  }

  /** Live heap outside every scope, as the census sees it. */
  unattributed(floorBytes: number): number | undefined {
    return this.#census.unattributed(floorBytes);
  }
}

/** What keepers hold that charge no scope. The others are in the bytes of their scope. */
function keptBytes(): number {
  return keeperRows().reduce((sum, { scope, bytes }) => (scope === null ? sum + bytes : sum), 0);
}
