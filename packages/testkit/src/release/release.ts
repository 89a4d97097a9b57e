import { failure } from '@plimsoll/core/internal/errors';
import { formatByteSize } from '@plimsoll/core/units';
import type { Point, Work } from '../engine/round-trip.ts';
import { liveBytes } from '../engine/live-bytes.ts';
import { settle } from '../engine/settle.ts';
import { oneAtATime } from '../engine/turnstile.ts';
import { slopeOf } from '../growth/slope.ts';
import { bytesOf, checkWork, dirOf, nameOf } from '../options.ts';
import { mostLines, pathLines, snapshotsText } from '../report/failure-text.ts';
import { callerPlace, LeakError } from '../report/leak-error.ts';
import { heldInside, type HeldInside } from './held-inside.ts';

export interface ReleaseOptions {
  /** Bytes that a finished object may hold; default 4 KiB. */
  readonly under?: number | string;
  /** Finished objects that are kept and weighed, 4 to 1,000; default 32. */
  readonly kept?: number;
  /** Folder for the snapshot of a failure; default `.plimsoll`. */
  readonly dir?: string;
}

interface ReleaseReport {
  readonly name: string;
  readonly limitBytes: number;
  /** Bytes per kept object, heap and external. */
  readonly bytesEach: number;
  readonly inside: HeldInside | undefined;
}

const defaultBytes = 4096;
const defaultKept = 32;
const rounds = 4;
/** Calls whose results are dropped before the first one is kept. They load lazy parts and compile code. */
const warmup = 24;
const certainty = 3;

/**
 * Keeps the finished objects that a function returns, as a server keeps its last runs, and measures them. A finished object should hold
 * only its result. Throws a LeakError with the contents when they hold more than `under`.
 */
export async function releases(work: Work, options: ReleaseOptions = {}): Promise<void> {
  checkWork(work);
  const where = callerPlace();
  const limitBytes = bytesOf(options.under ?? defaultBytes, 'under');
  const kept = Math.max(rounds, Math.min(1000, options.kept ?? defaultKept));
  const name = nameOf(work);
  await oneAtATime(name, async () => {
    const objects: unknown[] = [];
    const report = await weigh(work, objects, kept, { name, limitBytes, dir: dirOf(options.dir) });
    if (report.bytesEach > limitBytes) throw releaseError(report, where);
  });
}

interface Asked {
  readonly name: string;
  readonly limitBytes: number;
  readonly dir: string;
}

async function weigh(work: Work, objects: unknown[], kept: number, asked: Asked): Promise<ReleaseReport> {
  const { name, limitBytes, dir } = asked;
  let call = 0;
  for (; call < warmup; call++) await work(call);
  const points = [await pointOf(0)];
  for (let round = 1; round <= rounds; round++) {
    while (objects.length < (kept * round) / rounds) objects.push(await work(call++));
    points.push(await pointOf(objects.length));
  }
  const heap = slopeOf(points, 'heap');
  const external = slopeOf(points, 'external');
  const most = heap.perCall + external.perCall + certainty * (heap.error + external.error);
  if (most <= limitBytes) return { name, limitBytes, bytesEach: most, inside: undefined };
  // The bytes are only an indication. The dominators of a snapshot show what each object alone holds.
  const inside = await heldInside(objects, dir);
  const bytesEach =
    inside === undefined ? heap.perCall + external.perCall : inside.bytesEach + external.perCall;
  return { name, limitBytes, bytesEach, inside };
}

async function pointOf(calls: number): Promise<Point> {
  await settle();
  return { calls, ...liveBytes() };
}

function releaseError(report: ReleaseReport, where: string): LeakError<ReleaseReport> {
  const { inside, bytesEach, limitBytes, name } = report;
  const error = failure('PLM_LEAK_UNRELEASED', {
    what: inside?.name ?? `result of ${name}`,
    held: formatByteSize(Math.round(bytesEach)),
    limit: formatByteSize(limitBytes),
    where,
    fix: `release ${inside?.heaviest ?? 'what it buffered'} when the work is finished, or keep only the result instead of the object.`,
  });
  const body =
    inside === undefined
      ? []
      : [
          `inside    of ${inside.objects} kept objects, by the bytes that only it holds`,
          ...pathLines(inside.trace, mostLines - 6),
          `open      plimsoll analyze ${snapshotsText([inside.snapshot])}`,
        ];
  return new LeakError(error, body, report);
}
