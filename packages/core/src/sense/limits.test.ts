import { expect, test } from 'vitest';
import { FakeSensor } from './fake-sensor.ts';
import { describeLimits, limits, liveHeap, pressures } from './limits.ts';

const mib = 1024 ** 2;
const oldSpace = { bytes: 512 * mib, from: '--max-old-space-size=512' };
const cgroup = {
  version: 2 as const,
  group: '/pod',
  workingSet: 300 * mib,
  limit: 384 * mib,
  limitFile: '/sys/fs/cgroup/pod/memory.max',
};

test('80 % of old space is the limit when nothing else is', () => {
  const found = limits({ oldSpace });
  expect(found.binding.bytes).toBe(Math.floor(0.8 * 512 * mib));
  expect(describeLimits(found)).toMatchInlineSnapshot(`
    "limits:
      heap     409.6 MiB  live heap, 80 % of 512.0 MiB old space (--max-old-space-size=512)  binds first"
  `);
});

test('the lowest of heap, control group and policy binds first, and the operator is told when V8 cannot know', () => {
  const policy = { processBytes: 600 * mib, nativeBytes: 512 * mib, heapRatio: 0.9 };
  const found = limits({ oldSpace, cgroup, policy });
  expect(found.binding.source).toBe('cgroup');
  expect(describeLimits(found)).toMatchInlineSnapshot(`
    "limits:
      heap     460.8 MiB  live heap, 90 % of 512.0 MiB old space (--max-old-space-size=512)
      cgroup   384.0 MiB  working set, /sys/fs/cgroup/pod/memory.max  binds first
      policy   600.0 MiB  live heap and external memory
      native   512.0 MiB  external memory and ArrayBuffers
      note: V8 may grow past the control group; --max-old-space-size=288 would leave it a quarter for the rest."
  `);
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
    { source: 'heap', used: 100 * mib, limit: Math.floor(0.8 * 512 * mib) },
  ]);
});

test('a control group that vanished counts as unused', () => {
  const found = limits({ oldSpace, cgroup });
  const list = pressures(found, new FakeSensor().vitals);
  expect(list.find(({ source }) => source === 'cgroup')?.used).toBe(0);
});
