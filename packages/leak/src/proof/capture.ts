import { chmodSync, closeSync, openSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import v8 from 'node:v8';
import { costMargin, costNow, stopMsOf } from '@plimsoll/heap/capture-cost';
import type { SnapshotCost } from '@plimsoll/heap/capture-cost';
import { makeOwnFolder } from '@plimsoll/core/internal/own-path';
import type { Capture } from './growth-record.ts';

/** The memory and time for a snapshot. */
interface CaptureRoom {
  readonly freeBytes: number;
  readonly maxStopMs: number;
}

/** A snapshot that was not taken, with the numbers. */
export interface Refusal extends SnapshotCost, CaptureRoom {
  readonly for: 'memory' | 'pause';
}

/**
 * Why a snapshot is not taken; undefined when it may be. It is synchronous, because nothing asynchronous runs at exit. In doubt it refuses.
 */
export function refusalOf(cost: SnapshotCost, room: CaptureRoom): Refusal | undefined {
  const reserve = Math.min(256 * 1024 * 1024, room.freeBytes / 10);
  if (cost.neededBytes * costMargin + reserve > room.freeBytes) return { ...cost, ...room, for: 'memory' };
  return cost.stopMs > room.maxStopMs ? { ...cost, ...room, for: 'pause' } : undefined;
}

/** A snapshot and its CPU time as a multiple of the usual one, or the numbers for which it was refused. */
export type Taken =
  | { readonly capture: Capture; readonly refusal: null; readonly heaviness: number }
  | { readonly capture: null; readonly refusal: Refusal };

/** Factor for live bytes since the last floor. */
const spareRatio = 1.25;
const paceMargin = 1.25;
/** Heaviness before the first snapshot of a heap. Heaps of servers had 1.0 to 2.0. */
const usualHeaviness = 1.3;
const mostHeaviness = 4;
/** Least heaviness. The usual time is for a heap of only small objects; heaps with long texts took a third of it. */
const leastHeaviness = 0.5;

interface SnapshotRequest {
  readonly dir: string;
  /** The file is `<pid>.<name>.heapsnapshot`. */
  readonly name: string;
  readonly maxStopMs: number;
  /** The last floor. V8 collects before it writes, so garbage does not count. */
  readonly heapBytes: number;
  /** Wall time of the last collection as a multiple of its CPU time, because the machine or the container delays the process. */
  readonly slowness?: number;
  /** CPU time of an earlier snapshot of this heap as a multiple of the usual one. Joined strings alone make it 2. */
  readonly heaviness?: number;
  /** Called right before the snapshot. */
  readonly onAdmitted?: () => void;
}

/** Takes a snapshot of this process, if there is free memory for it and its stop is allowed at the current pace of the machine. */
export function takeSnapshot(request: SnapshotRequest): Taken {
  const { dir, name, maxStopMs, heapBytes, slowness = 1, heaviness = usualHeaviness, onAdmitted } = request;
  const cost = costNow();
  const usualMs = heapBytes > 0 ? Math.min(cost.stopMs, stopMsOf(heapBytes * spareRatio)) : cost.stopMs;
  // The pace of the machine changes during the stop. Predictions without a margin were exceeded by up to 60 %.
  const stopMs = Math.round(usualMs * heaviness * Math.max(1, slowness) * paceMargin);
  const refusal = refusalOf({ ...cost, stopMs }, { freeBytes: process.availableMemory(), maxStopMs });
  if (refusal !== undefined) return { capture: null, refusal };
  makeOwnFolder(dir);
  const file = join(dir, `${process.pid}.${name}.heapsnapshot`);
  const started = performance.now();
  onAdmitted?.();
  const written = performance.now();
  const cpu = process.cpuUsage();
  // The file has mode 0600 from its first byte on.
  closeSync(openSync(`${file}.partial`, 'w', 0o600));
  v8.writeHeapSnapshot(`${file}.partial`);
  chmodSync(`${file}.partial`, 0o600);
  renameSync(`${file}.partial`, file);
  const { user, system } = process.cpuUsage(cpu);
  const ended = performance.now();
  const liveBytes = v8.getHeapStatistics().used_heap_size;
  const capture = { file, at: Date.now(), stopMs: Math.round(ended - started), heapBytes: liveBytes };
  // Other threads also use CPU time, so the result is bounded by the passed time.
  const cpuMs = Math.min((user + system) / 1000, ended - written);
  return { capture, refusal: null, heaviness: heavinessOf(cpuMs, usualMs) };
}

export function heavinessOf(cpuMs: number, usualMs: number): number {
  return Math.min(mostHeaviness, Math.max(leastHeaviness, cpuMs / Math.max(1, usualMs)));
}
