import { expect, test } from 'vitest';
import { FakeSensor } from './fake-sensor.ts';
import { describeBinding, endsInMs, limits, liveHeap, pressures } from './limits.ts';
import type { CgroupReading } from './cgroup.ts';

const mib = 1024 ** 2;
const oldSpace = { bytes: 512 * mib, from: '--max-old-space-size=512', giveUpRatio: 0.8 };
const heapLimit = Math.floor(0.8 * 512 * mib);
const cgroup = {
  version: 2 as const,
  group: '/pod',
  workingSet: 300 * mib,
  limit: 384 * mib,
  limitFile: '/sys/fs/cgroup/pod/memory.max',
};

test('80 % of old space is the limit when nothing else is', () => {
  const found = limits({ oldSpace });
  expect(found.binding.bytes).toBe(heapLimit);
});

test('the limit that a growing heap reaches first binds, and the operator is told when it is the kernel', () => {
  const policy = { processBytes: 600 * mib, nativeBytes: 512 * mib, heapRatio: 0.9 };
  const found = limits({ oldSpace, cgroup, policy });
  expect(found.binding.source).toBe('cgroup');
});

// Measured: the kernel ends Node 22, 24 and 26 at this heap in groups of 128, 256 and 512 MiB; from 288 MiB on V8 aborts first.
test.each([
  [128, 'cgroup', 110, 115],
  [256, 'cgroup', 231, 239],
  [272, 'cgroup', 243, 256],
  [288, 'heap', 240, 256],
  [512, 'heap', 240, 256],
] as const)('a group of %d MiB with 256 MiB of old space: %s binds', (groupMib, source, low, high) => {
  const old = { bytes: 256 * mib, from: 'default', giveUpRatio: 0.8 };
  const { binding } = limits({ oldSpace: old, cgroup: { ...cgroup, limit: groupMib * mib } });
  expect(binding.source).toBe(source);
  expect(binding.endBytes / mib).toBeGreaterThan(0.97 * low);
  expect(binding.endBytes / mib).toBeLessThan(1.02 * high);
});

test('one line says which limit binds and why', () => {
  expect(describeBinding(limits({ oldSpace }))).toMatchInlineSnapshot(
    `"409.6 MiB: live heap, 80 % of 512.0 MiB old space (--max-old-space-size=512); V8 aborts near 512.0 MiB"`,
  );
  expect(describeBinding(limits({ oldSpace, cgroup }))).toMatchInlineSnapshot(
    `"384.0 MiB: working set, /sys/fs/cgroup/pod/memory.max; about 356.7 MiB of heap fit, so the kernel ends the process before V8's 512.0 MiB old space is full"`,
  );
});

test('a control group without a limit binds nothing', () => {
  expect(limits({ oldSpace, cgroup: { ...cgroup, limit: undefined } }).all).toHaveLength(1);
});

test('the limits of this process are found without being told', () => {
  expect(limits().binding.bytes).toBeGreaterThan(10 * mib);
});

test('live heap is the floor, less when more was freed since, and raw use before the first major GC', () => {
  const floor = { bytes: 100, external: 0, at: 0, major: 1 };
  expect(liveHeap({ heapUsed: 150, floor })).toBe(100);
  expect(liveHeap({ heapUsed: 80, floor })).toBe(80);
  expect(liveHeap({ heapUsed: 150, floor: undefined })).toBe(150);
});

test('pressures are sorted by how near their limit is', () => {
  const policy = { processBytes: 1000 * mib, nativeBytes: 500 * mib };
  const { vitals } = new FakeSensor({ cgroup, heapUsed: 100 * mib, external: 200 * mib });
  expect(pressures(limits({ oldSpace, cgroup, policy }), vitals)).toEqual([
    { source: 'cgroup', used: 300 * mib, limit: 384 * mib },
    { source: 'native', used: 200 * mib, limit: 500 * mib },
    { source: 'policy', used: 300 * mib, limit: 1000 * mib },
    { source: 'heap', used: 100 * mib, limit: heapLimit, endBytes: oldSpace.bytes },
  ]);
});

test('a pressure says that its limit is strained, and what a growing table will ask for', () => {
  const floor = { bytes: 90 * mib, external: 0, at: 0, major: 4, nextTableBytes: 112 * mib };
  const { vitals } = new FakeSensor({ cgroup, heapUsed: 100 * mib, floor });
  const found = limits({ oldSpace, cgroup });
  expect(pressures(found, vitals, { heap: true, cgroup: false })).toEqual([
    { source: 'cgroup', used: 300 * mib, limit: 384 * mib },
    {
      source: 'heap',
      used: 90 * mib,
      limit: heapLimit,
      strained: true,
      requestBytes: 112 * mib,
      endBytes: oldSpace.bytes,
    },
  ]);
});

test('a control group that vanished counts as unused', () => {
  const found = limits({ oldSpace, cgroup });
  const list = pressures(found, new FakeSensor().vitals);
  expect(list.find(({ source }) => source === 'cgroup')?.used).toBe(0);
});

test('how long a process has until V8 or the kernel ends it', () => {
  const MiB = 1024 ** 2;
  const found = limits({
    oldSpace: { bytes: 256 * MiB, from: 'test', giveUpRatio: 0.8 },
    cgroup: { limit: 512 * MiB, limitFile: 'memory.max', workingSet: 300 * MiB } as CgroupReading,
  });
  const use = (used: number, more: object = {}) => ({
    source: 'heap' as const,
    used: used * MiB,
    limit: 1,
    ...more,
  });
  expect(endsInMs(found, [use(200)], 0)).toBeUndefined();
  expect(endsInMs(found, [use(196)], 3600 * MiB)).toBe(60_000);
  expect(endsInMs(found, [use(250)], 0)).toBe(0);
  // A growing Map asks for its next table in one piece, and a collector that thrashes gives up early.
  expect(endsInMs(found, [use(180, { requestBytes: 80 * MiB })], 0)).toBe(0);
  expect(endsInMs(found, [use(210, { strained: true })], 0)).toBe(0);
  expect(endsInMs(found, [{ ...use(500), source: 'cgroup' }], 0)).toBe(0);
  expect(endsInMs(found, [{ ...use(500), source: 'policy' }], 3600 * MiB)).toBeUndefined();
});
