import { openLedger } from '@plimsoll/ledger';
import type { Frame } from '@plimsoll/host/protocol';
import { suspectOutOfMemory } from './report.ts';
import type { ExitFact } from './report.ts';

/** Writes into the ledger how a process ended that could not do it itself: killed, aborted, out of memory. */
export async function recordExit(frame: Frame | undefined, exit: ExitFact): Promise<void> {
  if (frame === undefined || frame.last || frame.ledger.dir === null) return;
  const { code, signal } = exit;
  const ledger = openLedger({ dir: frame.ledger.dir });
  try {
    await ledger.audit({
      kind: 'exit',
      body: {
        pid: frame.pid,
        code,
        signal,
        reason: suspectOutOfMemory(exit, frame) ? 'suspected out of memory' : 'killed',
        level: frame.level,
        usedBytes: frame.reading.used,
      },
    });
  } catch {
    // The ledger said why in its own warning; the summary is still printed.
  } finally {
    await ledger.close();
  }
}
