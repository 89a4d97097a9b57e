import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listing } from '@plimsoll/core/internal/listing';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import type { WorkerFloor } from '@plimsoll/core/internal/sense/worker-floors';
import { replaceFile } from '@plimsoll/core/internal/replace-file';
import type { FloorPoint } from '../floor/floor-series.ts';
import type { GrownContainer } from '../containers/container-counts.ts';
import type { Refusal } from './capture.ts';
import type { Judgement } from '../judge/growth-shape.ts';
import type { Channel } from '../judge/verdict.ts';

/** A heap snapshot and its cost. */
export interface Capture {
  readonly file: string;
  /** Wall time, ms since the epoch. */
  readonly at: number;
  /** How long the process was stopped. */
  readonly stopMs: number;
  /** Bytes that the program had allocated by then, if known. */
  readonly work?: number;
  /** Live bytes right after it. V8 drops its caches of compiled code before it writes. */
  readonly heapBytes: number;
}

/** A function of the program, by the place of its beginning. */
export interface FunctionPlace {
  readonly function: string;
  /** Address of the file and line where the function begins. */
  readonly file: string;
  readonly line: number;
  /** Counts from 0. */
  readonly column?: number;
}

/** A function that keeps allocating surviving objects. */
export interface AddingSite extends FunctionPlace {
  /** The callers for most of the surviving bytes, innermost first. */
  readonly callers?: readonly FunctionPlace[];
  /** Bytes per hour with a band of two standard errors. */
  readonly perHour: number;
  readonly low: number;
  readonly high: number;
  /** Dead objects per new object, from read to read. */
  readonly replaced?: number;
}

/** A worker thread whose heap grew, and up to three snapshots of it, oldest first. */
export interface WorkerRecord {
  readonly name: string;
  readonly script: string | null;
  /** When its readings showed half of the growth that led to the first snapshot. */
  readonly since?: number;
  /** That growth. */
  readonly grownBytes?: number;
  readonly captures: readonly Capture[];
  /** Its live bytes after collections, oldest first, with the time for which it was busy as its work. */
  readonly floors?: readonly WorkerFloor[];
  /** The lowest of several readings after them. Its bytes include garbage. */
  readonly later?: Pick<Capture, 'at' | 'heapBytes'>;
}

/** The channels that a record judges. */
export type RecordedChannel = Exclude<Channel, 'population'>;

/** The record of a process about its own growth, written at its exit for the analysis in another process. */
export interface GrowthRecord {
  readonly v: 1;
  readonly pid: number;
  readonly node: string;
  readonly startedAt: number;
  readonly at: number;
  readonly channels: Readonly<Record<RecordedChannel, Judgement>>;
  /** When growth was first suspected; null when never. */
  readonly suspectedAt: number | null;
  /** The snapshot at the first suspicion and the one at its confirmation or at the end. */
  readonly first: Capture | null;
  /** The confirmation, when a third snapshot was taken at the end. It identifies containers that stopped growing in between. */
  readonly middle?: Capture | null;
  readonly last: Capture | null;
  readonly refused: Refusal | null;
  /** Heap floors, one per moment, oldest first. */
  readonly floors: readonly number[];
  /** The floors with their time and work, only in the written record, so that the judgement can be repeated. */
  readonly series?: readonly FloorPoint[];
  /** Ending signals that the program itself handles. The others would have ended it at once. */
  readonly handled?: readonly string[];
  /** Functions whose objects are added and not replaced, most bytes first. */
  readonly sites?: readonly AddingSite[];
  /** Worker threads whose heaps grew. */
  readonly workers?: readonly WorkerRecord[];
  /** Containers that grew while they were watched, most bytes first. */
  readonly containers?: readonly GrownContainer[];
}

export function writeGrowthRecord(dir: string, record: GrowthRecord): void {
  replaceFile(fileOf(dir, record.pid), JSON.stringify(record));
}

export function hasGrowthRecord(dir: string, pid: number): boolean {
  return existsSync(fileOf(dir, pid));
}

/** Reads and removes the records of processes that started between two times, the target's first. */
export function takeGrowthRecords(
  dir: string,
  since: number,
  pid: number,
  until = Number.POSITIVE_INFINITY,
): readonly GrowthRecord[] {
  const found: GrowthRecord[] = [];
  for (const name of listing(dir)) {
    if (!/^\d+\.proof\.json$/.test(name)) continue;
    const record = parse(join(dir, name));
    if (record === undefined || record.startedAt < since || record.startedAt > until) continue;
    removeFile(join(dir, name));
    found.push(record);
  }
  return found.sort(
    (a, b) => Number(b.pid === pid) - Number(a.pid === pid) || b.floors.length - a.floors.length,
  );
}

function fileOf(dir: string, pid: number): string {
  return join(dir, `${pid}.proof.json`);
}

function parse(file: string): GrowthRecord | undefined {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<GrowthRecord>;
    return value.v === 1 && typeof value.pid === 'number' ? (value as GrowthRecord) : undefined;
  } catch {
    return undefined;
  }
}
