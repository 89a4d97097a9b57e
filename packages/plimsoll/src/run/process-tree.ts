import { setTimeout as delay } from 'node:timers/promises';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { liveDescriptors, takeLastFrame } from '@plimsoll/host/protocol';
import { hasGrowthRecord, takeGrowthRecords } from '@plimsoll/leak/internal/proof/growth-record';
import type { GrowthRecord } from '@plimsoll/leak/internal/proof/growth-record';

/** One life of a program: its first process, and when it began and ended. */
export interface TreeOptions {
  readonly dir: string;
  readonly pid: number;
  readonly since: number;
  /** When the target ended; now by default. A process that started later belongs to the next life. */
  readonly until?: number | undefined;
}

/** The files of one process of the tree. */
export interface TreeProcess {
  readonly record: GrowthRecord;
  /** Its last frame; undefined when none arrived. */
  readonly frame: Frame | undefined;
}

const pollMs = 100;
const silentMs = 2000;
/** Longest wait. A worker may take up to 30 s for its last snapshot while it exits. */
const longestWaitMs = 40_000;

/**
 * Waits until the processes that outlive the target have written their records, for at most 40 s. Workers of a cluster end after their
 * primary. `onWait` is called once, after 2 s.
 */
export async function untilTreeEnded(
  options: TreeOptions,
  onWait: (pids: readonly number[]) => void,
): Promise<void> {
  const begun = Date.now();
  let isTold = false;
  for (;;) {
    const pids = unwritten(options);
    const waitedMs = Date.now() - begun;
    if (pids.length === 0 || waitedMs >= longestWaitMs) return;
    if (!isTold && waitedMs >= silentMs) {
      isTold = true;
      onWait(pids);
    }
    await delay(pollMs);
  }
}

/** Processes of this life that are alive and have not written their record. */
function unwritten({ dir, since, until = Date.now() }: TreeOptions): readonly number[] {
  try {
    return liveDescriptors(dir)
      .filter(({ startedAt }) => startedAt >= since && startedAt <= until)
      .map(({ pid }) => pid)
      .filter((pid) => !hasGrowthRecord(dir, pid));
  } catch {
    // The folder is not ours, which the host has reported.
    return [];
  }
}

/**
 * Reads and removes the files of the processes of a life, the target's first. A killed process wrote no record; its newest frame has the
 * record of that moment.
 */
export function takeTree(options: TreeOptions, frames: ReadonlyMap<number, Frame>): readonly TreeProcess[] {
  const { dir, since, pid, until } = options;
  const written = takeGrowthRecords(dir, since, pid, until);
  const known = new Set(written.map((record) => record.pid));
  const fromFrames = [...frames.values()].flatMap(({ growth }) =>
    growth === null || known.has(growth.pid) ? [] : growth,
  );
  return [...written, ...fromFrames].map((record) => ({
    record,
    frame: takeLastFrame(dir, record.pid) ?? frames.get(record.pid),
  }));
}
