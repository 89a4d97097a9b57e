import { expect, test } from 'vitest';
import { freeMemory } from './free-memory.ts';

const mib = 1024 * 1024;
const host = `MemTotal: ${8 * 1024 * 1024} kB\nMemAvailable: ${4 * 1024 * 1024} kB\n`;
const from = (files: Readonly<Record<string, string>>) => (path: string) => files[path];

test('without a container the host binds', () => {
  expect(freeMemory(from({ '/proc/meminfo': host }))).toEqual({
    freeBytes: 4096 * mib,
    limitBytes: 8192 * mib,
    binds: 'host',
  });
});

test('without /proc the operating system is asked', () => {
  expect(freeMemory(() => undefined)).toMatchObject({ binds: 'host', limitBytes: expect.any(Number) });
});

test('the tightest cgroup of the hierarchy binds, and unused file pages count as free', () => {
  const files = {
    '/proc/meminfo': host,
    '/proc/self/cgroup': '0::/pod/app\n',
    '/sys/fs/cgroup/pod/app/memory.max': 'max\n',
    '/sys/fs/cgroup/pod/app/memory.current': `${100 * mib}\n`,
    '/sys/fs/cgroup/pod/memory.max': `${512 * mib}\n`,
    '/sys/fs/cgroup/pod/memory.current': `${300 * mib}\n`,
    '/sys/fs/cgroup/pod/memory.stat': `anon 1\ninactive_file ${50 * mib}\n`,
  };
  expect(freeMemory(from(files))).toEqual({ freeBytes: 262 * mib, limitBytes: 512 * mib, binds: 'cgroup' });
});

test('cgroup v1 is read too, its "no limit" is none', () => {
  const files = (limit: string): Record<string, string> => ({
    '/proc/meminfo': host,
    '/proc/self/cgroup': '4:memory:/app\n',
    '/sys/fs/cgroup/memory/app/memory.limit_in_bytes': limit,
    '/sys/fs/cgroup/memory/app/memory.usage_in_bytes': String(300 * mib),
  });
  expect(freeMemory(from(files(String(400 * mib))))).toMatchObject({ freeBytes: 100 * mib, binds: 'cgroup' });
  expect(freeMemory(from(files('9223372036854771712')))).toMatchObject({ binds: 'host' });
});

test('this very process gets an answer', () => {
  expect(freeMemory().freeBytes).toBeGreaterThan(0);
});
