import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { SampleBatch } from './sample-batch.ts';
import type { PackedBatch } from './sample-batch.ts';
import type { ProcessSample, Sample } from './sample.ts';

/** A folder that exists for one test. */
export function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-ledger-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export function batchOf(number: number, samples: readonly Sample[]): PackedBatch {
  const batch = new SampleBatch(1_000_000);
  for (const sample of samples) batch.add(sample);
  return batch.pack(number);
}

/** A process sample with the given use. */
export function processAt(at: number, usedBytes: number, more: Partial<ProcessSample> = {}): ProcessSample {
  const parts = {
    limit: 1000,
    heapUsed: usedBytes,
    external: 1,
    arrayBuffers: 2,
    rss: usedBytes * 2,
    loopDelayMs: 1.5,
  };
  return { at, scope: 'process', usedBytes, ...parts, ...more };
}

export const run = { id: 7, pid: process.pid, host: 'test', started: 1000 };
