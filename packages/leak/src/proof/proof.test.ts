import fc from 'fast-check';
import { expect, test } from 'vitest';
import { costNow } from '@plimsoll/heap/capture-cost';
import { heavinessOf, refusalOf } from './capture.ts';
import { cureOf, holderOf } from './cure.ts';
import { CollectionReader } from '../floor/collections.ts';
import type { GcProfile } from '../floor/collections.ts';
import { dataBytesOf, FloorSeries, moments, type FloorPoint } from '../floor/floor-series.ts';
import {
  evenPoints,
  externalChannel,
  heapChannel,
  judgeGrowth,
  nativeChannel,
} from '../judge/growth-shape.ts';
import type { GrownContainer } from '../containers/container-counts.ts';
import { foundText, proofOf, refusalText, type Proof } from './proof.ts';
import type { SnapshotAnalysis } from './snapshot-analysis.ts';
import { growthRecordOf, judgementOf } from './growth-record.fixture.ts';

const MiB = 1024 ** 2;
const shapeOf = (values: readonly number[], channel = heapChannel): string =>
  judgeGrowth(evenPoints(values), channel).shape;
const line = (n: number, from: number, step: number): number[] =>
  Array.from({ length: n }, (_, i) => from + i * step);

test('steady growth is growing from the sixth floor on', () => {
  expect(shapeOf(line(5, 10 * MiB, MiB))).toBe('few');
  expect(shapeOf(line(6, 10 * MiB, MiB))).toBe('growing');
  expect(judgeGrowth(evenPoints(line(17, 10 * MiB, MiB)), heapChannel)).toMatchObject({ floors: 17 });
});

test('warm-up, plateau, staircase, sawtooth and noise are no leak', () => {
  const warmUp = Array.from({ length: 17 }, (_, i) => 60 * MiB + 6 * MiB * (1 - Math.exp(-i / 2)));
  const plateau = Array.from({ length: 17 }, (_, i) => 5 * MiB + Math.min(i, 10) * MiB);
  const stairs = Array.from(
    { length: 17 },
    (_, i) => 5 * MiB + (i > 6 ? 9 * MiB : 0) + (i > 9 ? 5 * MiB : 0),
  );
  const saw = Array.from({ length: 17 }, (_, i) => 7 * MiB + (i % 5) * MiB);
  const noise = Array.from({ length: 17 }, (_, i) => 70 * MiB + ((i * 7919) % 13) * 20_000);
  expect([warmUp, plateau, stairs, saw, noise].map((values) => shapeOf(values))).toEqual([
    'ended',
    'ended',
    'ended',
    'flat',
    'flat',
  ]);
});

test('a floor that is read twice and growth that speeds up stay growing', () => {
  expect(shapeOf(line(12, 10 * MiB, MiB).flatMap((value) => [value, value]))).toBe('growing');
  expect(shapeOf([15, 27, 33, 41, 66, 87, 124, 142, 162, 232].map((value) => value * MiB))).toBe('growing');
});

test('one odd floor hides no growth', () => {
  const floors = line(20, 14 * MiB, 0.15 * MiB);
  for (const odd of [5, 8, 12, 15, 16, 18])
    expect(shapeOf(floors.map((value, i) => (i === odd ? value + 2.5 * MiB : value)))).toBe('growing');
});

test('what a program lets go of after its start does not hide what grows after it', () => {
  const start = [9.3, 12.9, 13.2, 13.5, 13.7, 13.9, 14.3].map((value) => value * MiB);
  expect(shapeOf([...start, ...line(14, 10.3 * MiB, 0.2 * MiB)])).toBe('growing');
  // Floors of a busy machine, where the compiled code of the start was dropped late in a short run.
  const late = [
    9.33, 12.91, 13.2, 13.5, 13.72, 13.93, 14.35, 14.37, 14.55, 14.75, 14.94, 10.87, 11.07, 11.72, 11.92,
    12.11, 12.3, 12.5, 12.69,
  ];
  expect(shapeOf(late.map((value) => value * MiB))).toBe('growing');
});

test('a cache that was emptied once and fills again is no leak', () => {
  const tooth = line(10, 12 * MiB, 0.4 * MiB);
  expect(shapeOf([...tooth, ...tooth])).toBe('ended');
});

test('a floor at the end that is no higher than the first says flat even when there are only two', () => {
  expect(shapeOf([9 * MiB, 9.1 * MiB])).toBe('flat');
  expect(shapeOf([9 * MiB, 12 * MiB])).toBe('few');
  expect(shapeOf([9 * MiB])).toBe('few');
  expect(shapeOf([])).toBe('few');
});

test('each channel has its own bar', () => {
  expect(shapeOf(line(17, 2 * MiB, 30_000), externalChannel)).toBe('flat');
  expect(shapeOf(line(17, 50 * MiB, 2 * MiB), nativeChannel)).toBe('flat');
  expect(shapeOf(line(17, 100 * MiB, 20 * MiB), nativeChannel)).toBe('growing');
});

test('what only falls or stays is never growing', () => {
  const drops = fc.array(fc.integer({ min: 0, max: 5 * MiB }), { minLength: 1, maxLength: 60 });
  const check = fc.property(drops, (steps) => {
    let level = 500 * MiB;
    expect(shapeOf(steps.map((drop) => (level -= drop)))).not.toBe('growing');
  });
  fc.assert(check);
});

const profile = (
  ...rows: readonly [type: string, before: number, after: number, external?: number][]
): GcProfile => ({
  statistics: rows.map(([gcType, before, after, external = 0]) => ({
    gcType,
    cost: 0,
    beforeGC: { heapStatistics: { usedHeapSize: before } },
    afterGC: { heapStatistics: { usedHeapSize: after, externalMemory: external } },
  })),
});

function logOf(profiles: readonly (GcProfile | undefined)[]): FloorSeries {
  const queue = [...profiles];
  return new FloorSeries(
    new CollectionReader(() => ({ start: () => undefined, stop: () => queue.shift() })),
    () => MiB,
  );
}

test('a floor carries the bytes allocated up to it, minor collections included', () => {
  const log = logOf([
    profile(['Scavenge', 5 * MiB, 2 * MiB], ['MarkSweepCompact', 3 * MiB, 1.5 * MiB, 7]),
    undefined,
    profile(['Scavenge', 4 * MiB, 2 * MiB]),
  ]);
  expect(log.read(50, 1000)).toBe(true);
  expect(log.points).toEqual([
    {
      heapBytes: 1.5 * MiB,
      codeBytes: 0,
      externalBytes: 7,
      nativeBytes: 43,
      flushedBytes: 0,
      allocatedBytes: 5 * MiB,
      at: 1000,
      isProbe: false,
    },
  ]);
  expect(log.read(50, 1100)).toBe(false);
  expect(log.read(50, 1200)).toBe(false);
  log.stop();
});

test('collections that another part of the process reads are not lost to the series', () => {
  const queue = [profile(['Scavenge', 3 * MiB, 2 * MiB], ['MarkSweepCompact', 4 * MiB, 2 * MiB]), undefined];
  const reader = new CollectionReader(() => ({ start: () => undefined, stop: () => queue.shift() }));
  const log = new FloorSeries(reader, () => MiB);
  reader.read();
  expect(log.read(0, 1)).toBe(true);
  expect(log.points.map(({ heapBytes, allocatedBytes }) => [heapBytes, allocatedBytes])).toEqual([
    [2 * MiB, 4 * MiB],
  ]);
});

test('what we allocate ourselves while we look is not the work of the program, also where it is collected meanwhile', () => {
  let used = 10 * MiB;
  let rows: [type: string, before: number, after: number][] = [];
  const allocate = (mebibytes: number): void => void (used += mebibytes * MiB);
  const collect = (type: string): void => void rows.push([type, used, (used = 10 * MiB)]);
  const stop = (): GcProfile => {
    const found = profile(...rows);
    rows = [];
    return found;
  };
  const log = new FloorSeries(new CollectionReader(() => ({ start: () => undefined, stop })), () => used);
  for (let i = 0; i < 3; i++) {
    allocate(2);
    collect('Scavenge');
    allocate(1);
    log.discount(() => {
      allocate(0.5);
      collect('Scavenge');
      allocate(0.25);
      // Work inside of work of ours is ours, too.
      log.discount(() => {
        collect('MarkSweepCompact');
        log.read(0, i, true);
      });
      allocate(0.25);
    });
    collect('MarkSweepCompact');
    log.read(0, i);
  }
  expect(log.points.map(({ allocatedBytes }) => allocatedBytes / MiB)).toEqual([3, 3, 6, 6, 9, 9]);
});

test('what work of ours leaves in the heap is told apart from what the program holds', () => {
  const rows = (live: number): GcProfile => profile(['MarkSweepCompact', 2 * live, live]);
  const queue = [rows(10 * MiB), rows(20 * MiB), rows(12 * MiB)];
  const reader = new CollectionReader(() => ({ start: () => undefined, stop: () => queue.shift() }));
  let uptimeMs = 60_000;
  const log = new FloorSeries(
    reader,
    () => MiB,
    () => uptimeMs,
  );
  log.read(0, 1);
  log.keep(2 * MiB);
  // What we allocate while V8 marks is still there after a collection that we did not ask for.
  expect(log.read(0, 2)).toBe(false);
  uptimeMs += 10_000;
  expect(log.read(0, 3)).toBe(true);
  expect(log.points.map(({ heapBytes, flushedBytes }) => heapBytes + flushedBytes)).toEqual([
    10 * MiB,
    10 * MiB,
  ]);
});

test('the log is bounded: it halves, keeping the lower of each two', () => {
  const rows = Array.from(
    { length: 513 },
    (_, i) => ['MarkSweepCompact', 10 * MiB + i, 9 * MiB + i] as [string, number, number],
  );
  const log = logOf([profile(...rows)]);
  log.read(1, 1);
  expect(log.points).toHaveLength(257);
  expect(log.points[1]?.heapBytes).toBe(9 * MiB + 2);
  expect(log.points.at(-1)?.heapBytes).toBe(9 * MiB + 512);
});

const at = (allocatedBytes: number, heapBytes: number, isProbe = false): FloorPoint => ({
  heapBytes,
  codeBytes: 0,
  externalBytes: 0,
  nativeBytes: 0,
  flushedBytes: 0,
  isProbe,
  allocatedBytes,
  at: allocatedBytes,
});

test('what a snapshot of ours drops is not what the program lets go of', () => {
  const floors = line(20, 15 * MiB, 0.09 * MiB);
  const mark = (after: number): GcProfile => profile(['MarkSweepCompact', after + MiB, after]);
  // After the eighth floor V8 drops 0.7 MiB of compiled code, in two collections, and writes.
  const dropped = 0.7 * MiB;
  const log = logOf([
    ...floors.slice(0, 8).map(mark),
    profile(
      ['MarkSweepCompact', 16 * MiB, 15.4 * MiB],
      ['MarkSweepCompact', 16 * MiB, 15.63 * MiB - dropped],
    ),
    ...floors.slice(8).map((after) => mark(after - dropped)),
  ]);
  floors.forEach((_, i) => {
    if (i === 8) log.readSnapshot();
    log.read(0, i);
  });
  const { points } = log;
  expect(points).toHaveLength(20);
  expect(shapeOf(points.map(({ heapBytes }) => heapBytes))).not.toBe('growing');
  expect(shapeOf(points.map(({ heapBytes, flushedBytes }) => heapBytes + flushedBytes))).toBe('growing');
});

const spaced = (data: number, code: number): GcProfile => ({
  statistics: [
    {
      gcType: 'MarkSweepCompact',
      cost: 0,
      beforeGC: { heapStatistics: { usedHeapSize: data + code + MiB } },
      afterGC: {
        heapStatistics: { usedHeapSize: data + code, externalMemory: 0 },
        heapSpaceStatistics: [
          { spaceName: 'old_space', spaceUsedSize: data },
          { spaceName: 'code_space', spaceUsedSize: code / 2 },
          { spaceName: 'trusted_space', spaceUsedSize: code / 2 },
        ],
      },
    },
  ],
});

test('compiled code that becomes more is no growth of the program', () => {
  const log = logOf(Array.from({ length: 20 }, (_, i) => spaced(10 * MiB, 2 * MiB + i * 0.06 * MiB)));
  for (let i = 0; i < 20; i++) log.read(0, i);
  expect(shapeOf(log.points.map(({ heapBytes }) => heapBytes))).toBe('growing');
  expect(shapeOf(log.points.map(dataBytesOf))).toBe('flat');
});

test('what falls with the compiled code of start-up is not what the program lets go of, once and early', () => {
  const floors = line(40, 15 * MiB, 0.09 * MiB);
  const read = (uptimeMs: number): readonly number[] => {
    const queue = floors.map((data, i) =>
      i < 24 ? spaced(data, 3 * MiB) : spaced(data - 3.8 * MiB, 2.2 * MiB),
    );
    const log = new FloorSeries(
      new CollectionReader(() => ({ start: () => undefined, stop: () => queue.shift() })),
      () => MiB,
      () => uptimeMs,
    );
    floors.forEach((_, i) => log.read(0, i));
    return log.points.map((point) => dataBytesOf(point) + point.flushedBytes);
  };
  expect(shapeOf(read(20_000))).toBe('growing');
  expect(shapeOf(read(90_000))).not.toBe('growing');
});

test('a collection that leaves what the next one takes does not make what the snapshot drops look larger', () => {
  const log = logOf([
    profile(['MarkSweepCompact', 16 * MiB, 15 * MiB]),
    profile(['MarkSweepCompact', 17 * MiB, 15.1 * MiB]),
    profile(['MarkSweepCompact', 19 * MiB, 18 * MiB]),
    profile(['MarkSweepCompact', 18 * MiB, 14.7 * MiB]),
    profile(['MarkSweepCompact', 17 * MiB, 14.8 * MiB]),
  ]);
  for (let i = 0; i < 3; i++) log.read(0, i);
  log.readSnapshot();
  log.read(0, 4);
  expect(log.points.at(-1)?.flushedBytes).toBeCloseTo(0.5 * MiB, -1);
  const empty = logOf([profile(['MarkSweepCompact', 5 * MiB, 4 * MiB])]);
  empty.readSnapshot();
  empty.read(0, 1);
  expect(empty.points).toEqual([]);
});

test('dense floors of the start do not outvote the rest: growth that slows down shows it', () => {
  const works = Array.from({ length: 60 }, (_, i) => MiB * 1.1 ** i);
  const whole = works.at(-1) as number;
  const cache = works.map((work) => 10 * MiB + 5 * MiB * (1 - Math.exp((-4 * work) / whole)));
  expect(judgeGrowth(evenPoints(cache, works), heapChannel).shape).not.toBe('growing');
});

test('three collections in a row are one moment', () => {
  const points = [
    at(5e6, 30),
    at(5.004e6, 20),
    at(5.008e6, 21),
    at(10e6, 40),
    at(10.004e6, 35),
    at(12e6, 50),
  ];
  expect(moments(points).map((point) => point.heapBytes)).toEqual([20, 35, 50]);
  expect(moments([])).toEqual([]);
});

test('a program that works outside of the heap has moments, too, however little it allocates on it', () => {
  const samples = Array.from({ length: 15 }, (_, i) => 9e6 + i * 30_000);
  const points = [
    at(3e6, 5),
    at(8e6, 9),
    ...samples.flatMap((work) => [at(work, 12), at(work + 800, 10), at(work + 1600, 10)]),
  ];
  expect(moments(points)).toHaveLength(17);
});

test('a heap whose snapshot took longer or shorter than usual is expected to do so again, within bounds', () => {
  expect(heavinessOf(1200, 600)).toBe(2);
  expect(heavinessOf(420, 600)).toBe(0.7);
  expect(heavinessOf(60, 600)).toBe(0.5);
  expect(heavinessOf(60_000, 600)).toBe(4);
  expect(heavinessOf(5, 0)).toBe(4);
});

test('a snapshot is refused with the numbers when it does not fit or stops too long', () => {
  const space = (name: string, used: number): never => ({ space_name: name, space_used_size: used }) as never;
  const cost = costNow([
    space('old_space', 360 * MiB),
    space('large_object_space', 40 * MiB),
    space('code_large_object_space', 40 * MiB),
  ]);
  expect(cost.objects).toBe(10 * MiB);
  const room = { freeBytes: 64 * 1024 * MiB, maxStopMs: 60_000 };
  expect(refusalOf(cost, room)).toBeUndefined();
  const memory = refusalOf(cost, { ...room, freeBytes: 1024 * MiB });
  expect(memory?.for).toBe('memory');
  const pause = refusalOf(cost, { ...room, maxStopMs: 2000 });
  expect(pause?.for).toBe('pause');
  expect([memory, pause].map((refusal) => refusalText(refusal as NonNullable<typeof refusal>)))
    .toMatchInlineSnapshot(`
      [
        "a snapshot of up to 10,485,760 objects needs 6.7 GiB and 1.0 GiB is free",
        "a snapshot would stop the process for about 8 s and 2 s is allowed",
      ]
    `);
  expect(costNow().stopMs).toBeGreaterThan(0);
});

const step = (via: string, name: string, suspect = false, type = 'object'): never =>
  ({ type, via, name, suspect, id: 1, retainedBytes: 1, leaking: 'maybe', why: '' }) as never;

const growthOf = (newBytes: number, gained = 1000): SnapshotAnalysis['growth'][number] =>
  ({
    fingerprint: 'abc123',
    name: 'Session',
    counts: [10, 10 + gained],
    fresh: gained,
    bytes: [0, newBytes],
    keptBytes: 0,
    holders: 1,
    newBytes,
    severity: 'low',
    summary: 'Session 10 → 1,010, 9.0 MiB more',
    code: 'registry.sessions',
    trace: [
      step('', 'module', false, 'root'),
      step('variable registry', 'Registry'),
      step('sessions', 'Map', true),
      step('get(<number>)', 'Session', true),
    ],
  }) as never;

const analysis: SnapshotAnalysis = {
  growth: [growthOf(9 * MiB)],
  swollen: [],
  suspects: [],
  wrappers: [],
  scopes: [],
  sample: [],
  watched: [],
  heapBytes: 40 * MiB,
  ms: 10,
};
const capture = { file: '/x', at: 2, stopMs: 5, heapBytes: 20 * MiB };
const growing = judgeGrowth(evenPoints(line(17, 20 * MiB, MiB)), heapChannel);

test('the rate of a path is that of its own bytes between the snapshots, however little the heap grew', () => {
  const later = { ...capture, at: capture.at + 62_000, stopMs: 2000 };
  // The data of Buffers is not in the heap.
  const floors = line(17, 20 * MiB, 1024);
  const { findings } = proofOf(
    growthRecordOf({ heap: growing }, { first: capture, last: later, floors }),
    analysis,
  );
  expect(findings[0]?.rate).toBe(9 * 60 * MiB);
});

test('entries that replace one another are no leak, unless what they hold stays', () => {
  const floors = line(17, 20 * MiB, MiB);
  const seen = growthRecordOf({ heap: growing }, { first: capture, last: capture, floors });
  const turned = { ...growthOf(9 * MiB), counts: [500, 900], fresh: 900, bytes: [10 * MiB, 19 * MiB] };
  const proofWith = (keptBytes: number): Proof =>
    proofOf(seen, { ...analysis, growth: [{ ...turned, keptBytes }] });
  expect(proofWith(0)).toMatchObject({
    verdict: 'undecided',
    why: expect.stringContaining('were replaced between the snapshots'),
  });
  expect(proofWith(10 * MiB)).toMatchObject({ verdict: 'leak' });
  // 500 timers of 20 kB each beside 40 MiB of the server that they lead to: they went with what was theirs.
  const shared = { ...turned, bytes: [50 * MiB, 59 * MiB], keptBytes: 40 * MiB };
  expect(proofOf(seen, { ...analysis, growth: [shared] })).toMatchObject({ verdict: 'undecided' });
  const kept = { ...shared, keptBytes: 49 * MiB };
  expect(proofOf(seen, { ...analysis, growth: [kept] })).toMatchObject({ verdict: 'leak' });
});

test('a few objects in each of many lists may be windows that are not full yet', () => {
  const floors = line(17, 20 * MiB, MiB);
  const seen = growthRecordOf({ heap: growing }, { first: capture, last: capture, floors });
  const proofWith = (holders: number): Proof =>
    proofOf(seen, { ...analysis, growth: [{ ...growthOf(9 * MiB), holders }] });
  expect(proofWith(100)).toMatchObject({
    verdict: 'undecided',
    why: expect.stringContaining('at 100 places, 10 each: windows that are not full yet look the same'),
  });
  expect(proofWith(20)).toMatchObject({ verdict: 'leak' });
});

test('growth that a path explains is a leak, with its trace and a way out', () => {
  const proof = proofOf(
    growthRecordOf({ heap: growing }, { first: capture, last: capture, floors: line(17, 20 * MiB, MiB) }),
    analysis,
  );
  expect(proof.verdict).toBe('leak');
  expect(proof.why).toMatchInlineSnapshot(
    `"the live heap grew by 15.0 MiB over 17 floors, by 3.5 GiB per hour at the end, and did not slow down; registry.sessions holds Session 10 → 1,010, 9.0 MiB more."`,
  );
  expect(proof.findings[0]).toMatchObject({
    kind: 'growth',
    severity: 'medium',
    fingerprint: 'abc123',
    bytes: 9 * MiB,
  });
  expect(proof.findings[0]?.fix).toMatchInlineSnapshot(
    `"remove entries from registry.sessions when their work ends, or give it a bound (a keeper of @plimsoll/keep)."`,
  );
});

test('growth that nothing explains pages nobody', () => {
  const seen = growthRecordOf(
    { heap: growing },
    { first: capture, last: capture, floors: line(17, 20 * MiB, MiB) },
  );
  const empty = { ...analysis, growth: [growthOf(100)] };
  for (const [record, found] of [
    [seen, empty],
    [seen, undefined],
    [growthRecordOf({ heap: growing }), undefined],
    [
      growthRecordOf(
        { heap: growing },
        { refused: { for: 'memory', objects: 5, neededBytes: 9e9, freeBytes: 1e9, stopMs: 1, maxStopMs: 2 } },
      ),
      undefined,
    ],
  ] as const) {
    const proof = proofOf(record, found);
    expect(proof.verdict).toBe('undecided');
    expect(proof.findings).toMatchObject([{ severity: 'low' }]);
  }
  expect(proofOf(seen, empty).why).toContain('no path in its snapshots explains it');
});

test('a creep that no path shows is the warmth of the program, unless nobody could look', () => {
  const heap = { ...growing, growthBytes: 300 * 1024 };
  const seen = growthRecordOf({ heap }, { first: capture, last: capture, floors: line(17, 20 * MiB, MiB) });
  const proof = proofOf(seen, { ...analysis, growth: [] });
  expect(proof).toMatchObject({ verdict: 'clean', findings: [] });
  expect(proof.why).toMatchInlineSnapshot(
    `"the live heap grew by 300.0 KiB over 17 floors, by 3.5 GiB per hour at the end, and did not slow down, and no path in its snapshots gained what matters."`,
  );
  expect(proofOf(seen, undefined).verdict).toBe('undecided');
  const large = { ...seen, floors: [200 * MiB], channels: { ...seen.channels, heap: growing } };
  // Growth of a twentieth of the heap is growth: nobody explains it, and that is what is said.
  expect(proofOf(large, { ...analysis, growth: [] }).verdict).toBe('undecided');
  expect(proofOf(seen, { ...analysis, growth: [growthOf(250 * 1024)] }).verdict).toBe('leak');
});

test('many paths that explain it together name the largest', () => {
  const many = Array.from({ length: 8 }, () => growthOf(1.1 * MiB));
  const seen = growthRecordOf(
    { heap: growing },
    { first: { ...capture, heapBytes: 29 * MiB }, last: capture, floors: line(17, 20 * MiB, MiB) },
  );
  expect(proofOf(seen, { ...analysis, growth: many }).findings).toHaveLength(1);
});

test('one object that was made anew and larger explains growth that no other path does, unless it came to rest', () => {
  const floors = line(17, 20 * MiB, MiB);
  const seen = growthRecordOf({ heap: growing }, { first: capture, last: capture, floors });
  const buffer = {
    ...growthOf(9 * MiB),
    counts: [1, 1],
    fresh: 1,
    bytes: [MiB, 10 * MiB],
    summary: 'one Uint8Array that grew from 1.0 MiB to 10.0 MiB',
  };
  const bare = { ...analysis, growth: [] };
  expect(proofOf(seen, { ...bare, swollen: [buffer] })).toMatchObject({
    verdict: 'leak',
    why: expect.stringContaining('one Uint8Array that grew'),
  });
  expect(proofOf(seen, { ...bare, swollen: [{ ...buffer, newBytes: 2 * MiB }] }).verdict).toBe('undecided');
  const rested = { ...buffer, counts: [1, 1, 1], bytes: [MiB, 9.5 * MiB, 10 * MiB] };
  const thrice = { ...seen, first: { ...capture, at: 1 }, middle: capture, last: { ...capture, at: 3 } };
  expect(proofOf(thrice, { ...bare, swollen: [rested] }).verdict).toBe('undecided');
});

test('where the floors slow down, a path whose holder slows down with them accuses nobody', () => {
  const capturesAt = (at: number) => ({ ...capture, at, work: at });
  const heap = judgementOf('slowing', 9 * MiB);
  const verdictOf = (count: number, containers: readonly GrownContainer[] = []): string => {
    const snapshots = { first: capturesAt(10), middle: capturesAt(20), last: capturesAt(40) };
    const seen = growthRecordOf({ heap }, { ...snapshots, containers, floors: [29 * MiB] });
    const path = { ...growthOf(9 * MiB), counts: [100, 200, count], fresh: count - 100 };
    return proofOf(seen, { ...analysis, growth: [path] }).verdict;
  };
  expect(verdictOf(400)).toBe('leak');
  // Half of its earlier pace: a table that fills with the keys of its load.
  expect(verdictOf(300)).toBe('undecided');
  const sessions: GrownContainer = {
    path: [
      { via: 'variable registry', name: 'Registry' },
      { via: 'sessions', name: 'Map' },
    ],
    kind: 'Map',
    count: 400,
    gained: 300,
    entryBytes: 9 * 1024,
    isLight: false,
    hasTexts: true,
    shape: 'slowing',
    odds: -3,
    formerPace: 1,
  };
  expect(verdictOf(400, [sessions])).toBe('undecided');
  expect(verdictOf(400, [{ ...sessions, shape: 'unclear' }])).toBe('leak');
  // A cache that knows its bound and is below it.
  expect(verdictOf(400, [{ ...sessions, shape: 'filling', bound: 500 }])).toBe('undecided');
  expect(verdictOf(400, [{ ...sessions, shape: 'leaving' }])).toBe('undecided');
  // So are the objects that its entries consist of.
  const path = sessions.path.slice(0, 1);
  const filling: GrownContainer = { ...sessions, path, shape: 'filling', bound: 500 };
  expect(verdictOf(400, [filling])).toBe('undecided');
  // So are the keys and values that the same cache keeps in lists beside it.
  const keyMap = [
    { via: 'variable registry', name: 'Registry' },
    { via: '#keyMap', name: 'Map' },
  ];
  const beside: GrownContainer = { ...filling, path: keyMap };
  expect(verdictOf(400, [beside])).toBe('leak');
  expect(verdictOf(400, [{ ...beside, isOfOwner: true }])).toBe('undecided');
});

test('one snapshot alone explains growth of its own size only', () => {
  const suspect = {
    ...growthOf(0),
    count: 5,
    retainedBytes: 10 * MiB,
    severity: 'high',
  } as never as SnapshotAnalysis['suspects'][number];
  const { newBytes: _, ...bare } = suspect as never as Record<string, unknown>;
  const seen = growthRecordOf({ heap: growing }, { last: capture, floors: [1] });
  const one = { ...analysis, growth: [], suspects: [bare as never] };
  expect(proofOf(seen, one).verdict).toBe('leak');
  const short = { ...seen, channels: { ...seen.channels, heap: { ...growing, floors: 7 } } };
  expect(proofOf(short, one).verdict).toBe('undecided');
  const told = { ...one, suspects: [{ ...bare, summary: 'out.#steps holds 4,200 × Step' } as never] };
  expect(proofOf(short, told).why).toContain(
    'one snapshot does not show what grew in it; the largest holder there: out.#steps holds 4,200 × Step.',
  );
  // One snapshot cannot say whether its largest container still rises; floors that came to rest do.
  const rested = [21.6, 24.6, 25.6, 26.5, 27.8, 27.5, 27.5, 27.7, 28.3, 28.3].map((size) => size * MiB);
  expect(proofOf({ ...seen, floors: rested }, one).verdict).toBe('undecided');
  const huge = { ...one, suspects: [{ ...bare, retainedBytes: 500 * MiB } as never] };
  expect(proofOf(seen, huge).verdict).toBe('undecided');
  const single = { ...one, suspects: [{ ...bare, kind: 'large' } as never] };
  expect(proofOf(seen, single).verdict).toBe('undecided');
  // It leaked before the window that was judged, too.
  const whole = { ...seen, floors: line(17, 2 * MiB, 2 * MiB) };
  expect(proofOf(whole, { ...one, suspects: [{ ...bare, retainedBytes: 30 * MiB } as never] }).verdict).toBe(
    'leak',
  );
  // A known leak may be a smaller part of the growth.
  const small = { ...bare, retainedBytes: 0.3 * growing.growthBytes };
  expect(proofOf(seen, { ...one, suspects: [small as never] }).verdict).toBe('undecided');
  const knownLeak = { title: 'kept', cure: 'let go.', link: 'https://example.org' };
  expect(proofOf(seen, { ...one, suspects: [{ ...small, knownLeak } as never] })).toMatchObject({
    verdict: 'leak',
    findings: [{ knownLeak: { name: 'kept' }, fix: 'let go.' }],
  });
  // A tenth of the heap: something of that size is in every heap, unless it is a known leak.
  expect(proofOf({ ...seen, floors: [200 * MiB] }, one).verdict).toBe('undecided');
  const found = proofOf(
    { ...seen, floors: [200 * MiB] },
    { ...one, suspects: [{ ...small, knownLeak } as never] },
  );
  expect(found.verdict).toBe('leak');
});

test('native growth is explained by its wrappers in the heap, however small', () => {
  const native = judgeGrowth(evenPoints(line(17, 100 * MiB, 20 * MiB)), nativeChannel);
  const seen = growthRecordOf({ native }, { first: capture, last: capture });
  expect(proofOf(seen, { ...analysis, growth: [growthOf(20_000, 2000)] }).verdict).toBe('leak');
  expect(proofOf(seen, { ...analysis, growth: [growthOf(20_000, 12)] }).verdict).toBe('undecided');
});

test('what wraps native memory explains its growth, by one snapshot as by two, with the path that names its holder', () => {
  const native = judgeGrowth(evenPoints(line(17, 100 * MiB, 20 * MiB)), nativeChannel);
  const seen = growthRecordOf({ native }, { last: capture });
  const wrapper = { ...growthOf(2000, 240), name: 'Canvas', fingerprint: 'wrapped' };
  const held = { ...growthOf(4000, 20), name: 'Canvas', fingerprint: 'held' };
  const noise = growthOf(90_000, 3000);
  const proof = proofOf(seen, { ...analysis, growth: [], wrappers: [wrapper] });
  expect(proof).toMatchObject({
    verdict: 'leak',
    findings: [{ fingerprint: 'wrapped', bytes: native.growthBytes }],
  });
  expect(
    proofOf(seen, { ...analysis, growth: [noise, held], wrappers: [wrapper] }).findings[0]?.fingerprint,
  ).toBe('held');
  const few = { ...wrapper, counts: [0, 12] };
  expect(proofOf(seen, { ...analysis, growth: [], wrappers: [few] }).verdict).toBe('undecided');
});

test('a path that gained next to nothing explains nothing, however little time was between the snapshots', () => {
  const late = { ...capture, heapBytes: 36 * MiB };
  const seen = growthRecordOf(
    { heap: growing },
    { first: late, last: capture, floors: line(17, 20 * MiB, MiB) },
  );
  expect(proofOf(seen, { ...analysis, growth: [growthOf(6000)] }).verdict).toBe('undecided');
  expect(proofOf(seen, { ...analysis, growth: [growthOf(60_000)] }).verdict).toBe('leak');
});

test('quiet runs are clean, too short ones undecided', () => {
  expect(proofOf(growthRecordOf({}), undefined)).toMatchObject({
    verdict: 'clean',
    why: 'over 17 floors nothing grew that matters.',
  });
  const ended = judgementOf('ended', 4 * MiB);
  expect(proofOf(growthRecordOf({ heap: ended }), undefined)).toMatchObject({
    verdict: 'clean',
    why: 'the live heap grew by 4.0 MiB over 17 floors and came to rest.',
  });
  for (const shape of ['slowing', 'unclear'] as const)
    expect(proofOf(growthRecordOf({ heap: judgementOf(shape, 4 * MiB) }), undefined).verdict).toBe(
      'undecided',
    );
  const few = judgementOf('few', 0, 1);
  expect(proofOf(growthRecordOf({ heap: few }), undefined)).toMatchObject({
    verdict: 'undecided',
    findings: [],
  });
});

test('timers that wait are told by their function, because Node.js keeps their list', () => {
  const callback = { ...(step('_onTimeout', '(anonymous)()') as object), at: '/app/server.mjs:4' } as never;
  const trace = (last: never): never[] => [
    step('', 'module /app/server.mjs', false, 'root'),
    step('variable server', 'Server'),
    step('_idleNext', 'Timeout', true),
    step('_idleNext', 'Timeout', true),
    last,
  ];
  const holder = 'timers (function at /app/server.mjs:4)';
  expect(holderOf(trace(callback))).toEqual({ holder });
  const suspect = { trace: trace(callback), summary: 'global holds 1,335 × Timeout, 1.8 KiB each' };
  expect(foundText(suspect as never)).toBe(`${holder} holds 1,335 × Timeout, 1.8 KiB each`);
  expect(holderOf(trace(step('_onTimeout', '(anonymous)()')))).toEqual({ holder: 'server._idleNext' });
  expect(cureOf(trace(callback))).toContain('clear the timer');
});

test('timers that a rising load makes more of are not accused by a pair of snapshots', () => {
  const waiting = [step('[15000]', 'TimersList'), step('_idleNext', 'Timeout', true)];
  const trace = [step('', 'global', false, 'root'), ...waiting, step('_idleNext', 'Timeout', true)];
  const timers = { ...growthOf(9 * MiB), trace };
  const path = [{ via: 'timers that wait', name: 'Timeout' }];
  const verdictWith = (shape: GrownContainer['shape']): string =>
    proofOf(
      growthRecordOf(
        { heap: growing },
        {
          first: capture,
          last: capture,
          floors: line(17, 20 * MiB, MiB),
          containers: [
            {
              path,
              shape,
              kind: 'resources',
              count: 1100,
              gained: 1000,
              entryBytes: 0,
              isLight: true,
              hasTexts: false,
              odds: 9,
              formerPace: 0,
            },
          ],
        },
      ),
      { ...analysis, growth: [timers] },
    ).verdict;
  expect(verdictWith('growing')).toBe('leak');
  expect(verdictWith('leaving')).toBe('undecided');
  // Node.js links timers of one delay, so that a timer of another holder leads to them.
  const through = [step('#made', 'Map', true), step('#timer', 'Timeout', true), ...trace.slice(2)];
  const callback = { ...(step('_onTimeout', '(anonymous)()') as object), at: '/app/server.mjs:2' } as never;
  const root = step('', 'process', false, 'root');
  expect(holderOf([root, ...through, callback])).toEqual({
    holder: 'timers (function at /app/server.mjs:2)',
  });
  expect(cureOf([root, ...through, callback])).toContain('clear the timer');
});

test('the way out follows what the path goes through', () => {
  const root = step('', 'global', false, 'root');
  const through = (via: string, name: string): string =>
    cureOf([root, step('x', 'Holder'), step(via, name, true)]);
  expect(through('<symbol kEvents>', 'Map')).toContain('abort listener');
  expect(through('_events', 'Object')).toContain('emitter.off');
  // Listeners of one event that become many are the suspects, and not the table that their list is in.
  const listeners = [step('variable bus', 'Bus'), step('_events', '{token}')];
  const many = [step('token', 'Array', true), step('[2116]', '(anonymous)()', true)];
  expect(cureOf([root, ...listeners, ...many])).toContain('emitter.off');
  expect(holderOf([root, ...listeners, ...many])).toEqual({ holder: 'bus ("token" listeners)' });
  const timers = [
    step('timerListMap', 'Object'),
    step('[60000]', 'TimersList'),
    step('_idleNext', 'Timeout'),
  ];
  expect(holderOf([root, ...timers, step('_idleNext', 'Timeout', true)])).toEqual({
    holder: 'timers of 1 m',
  });
  expect(through('600000', 'TimersList')).toContain('clear the timer');
  expect(through('x', 'AsyncContextFrame')).toContain('one AsyncLocalStorage');
  expect(through('reaction', 'PromiseReaction')).toContain('settle');
  const waiting = [step('variable shutdown', 'Promise'), step('reaction', 'AsyncContextFrame', true)];
  expect(cureOf([root, ...waiting])).toContain('settle');
  expect(through('cache', 'Map')).toMatchInlineSnapshot(
    `"remove entries from Holder.cache when their work ends, or give it a bound (a keeper of @plimsoll/keep)."`,
  );
  // How a server is held is no news; the container nearest to what leaks is what was not cleared.
  const service = [
    step('timer', 'TimersList', true),
    step('this', 'Service', true),
    step('store', 'Store', true),
  ];
  expect(
    cureOf([root, ...service, step('sessions', 'Map', true), step('get(1)', 'Session', true)]),
  ).toContain('remove entries from Store.sessions');
  expect(cureOf([root])).toContain('the holder');
});
