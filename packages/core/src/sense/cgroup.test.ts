import { mkdirSync, mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Cgroup } from './cgroup.ts';

const mib = 1024 ** 2;
const dir = mkdtempSync(join(tmpdir(), 'plimsoll-cgroup-'));
afterAll(() => rmSync(dir, { recursive: true }));

let trees = 0;
/** Writes the files of a fixture tree and returns its root. */
function tree(files: Readonly<Record<string, string>>): string {
  const root = join(dir, String(trees++));
  mkdirSync(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function read(root: string): ReturnType<Cgroup['read']> {
  const cgroup = new Cgroup({ root, physicalBytes: 64 * 1024 * mib });
  const reading = cgroup.read(0);
  cgroup.close();
  if (reading === undefined) return undefined;
  const { failures: _, majorFaults: __, ...rest } = reading;
  return { ...rest, limitFile: reading.limitFile?.slice(root.length) };
}

const podTree = {
  'proc/self/cgroup': '0::/kubepods/pod1/app\n',
  'sys/fs/cgroup/kubepods/pod1/app/memory.current': `${300 * mib}\n`,
  'sys/fs/cgroup/kubepods/pod1/app/memory.stat': `anon 1\nfile 2\nactive_file 5\ninactive_file ${100 * mib}\n`,
  'sys/fs/cgroup/kubepods/pod1/app/memory.max': 'max\n',
  'sys/fs/cgroup/kubepods/pod1/memory.current': `${700 * mib}\n`,
  'sys/fs/cgroup/kubepods/pod1/memory.stat': `inactive_file ${200 * mib}\nanon 1\n`,
  'sys/fs/cgroup/kubepods/pod1/memory.max': `${1024 * mib}\n`,
  'sys/fs/cgroup/kubepods/memory.current': `${9000 * mib}\n`,
  'sys/fs/cgroup/kubepods/memory.max': `${32 * 1024 * mib}\n`,
  'sys/fs/cgroup/memory.stat': 'anon 1\n',
};

test('version 2: the tightest limit above the process, and the working set of the group that carries it', () => {
  expect(read(tree(podTree))).toEqual({
    version: 2,
    group: '/kubepods/pod1',
    workingSet: 500 * mib,
    limit: 1024 * mib,
    limitFile: '/sys/fs/cgroup/kubepods/pod1/memory.max',
  });
});

test('of two limits the one with less room left counts: a neighbour may fill the pod before we fill our group', () => {
  const own = { 'sys/fs/cgroup/kubepods/pod1/app/memory.max': `${512 * mib}\n` };
  const calm = tree({ ...podTree, ...own });
  expect(read(calm)).toMatchObject({ group: '/kubepods/pod1/app', limit: 512 * mib, workingSet: 200 * mib });
  const full = tree({
    ...podTree,
    ...own,
    'sys/fs/cgroup/kubepods/pod1/memory.current': `${1150 * mib}\n`,
  });
  expect(read(full)).toMatchObject({ group: '/kubepods/pod1', limit: 1024 * mib, workingSet: 950 * mib });
});

test('version 1 inside a container: the statistics name the limit of a pod that is out of sight', () => {
  const root = tree({
    'proc/self/cgroup': '4:memory:/kubepods/pod1/app\n',
    'sys/fs/cgroup/memory/memory.usage_in_bytes': `${90 * mib}\n`,
    'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
    'sys/fs/cgroup/memory/memory.stat': `hierarchical_memory_limit ${256 * mib}\ntotal_inactive_file 0\n`,
  });
  expect(read(root)).toMatchObject({ limit: 256 * mib, limitFile: '/sys/fs/cgroup/memory/memory.stat' });
});

test.each([
  [
    2,
    {
      'proc/self/cgroup': '0::/a\n',
      'sys/fs/cgroup/a/memory.current': '5\n',
      'sys/fs/cgroup/a/memory.events': 'low 0\nhigh 0\nmax 8000000\noom 0\n',
      'sys/fs/cgroup/a/memory.stat': 'anon 1\npgmajfault 26000\n',
    },
  ],
  [
    1,
    {
      'proc/self/cgroup': '4:memory:/a\n',
      'sys/fs/cgroup/memory/a/memory.usage_in_bytes': '5\n',
      'sys/fs/cgroup/memory/a/memory.failcnt': '8000000\n',
      'sys/fs/cgroup/memory/a/memory.stat': 'pgmajfault 7\ntotal_pgmajfault 26000\n',
    },
  ],
])('version %d tells failed charges and major faults', (_, files) => {
  const cgroup = new Cgroup({ root: tree(files) });
  expect(cgroup.read(0)).toMatchObject({ failures: 8_000_000, majorFaults: 26_000 });
  cgroup.close();
});

test('version 2: memory.high binds when it is lower', () => {
  const root = tree({
    'proc/self/cgroup': '0::/app\n',
    'sys/fs/cgroup/app/memory.current': `${80 * mib}\n`,
    'sys/fs/cgroup/app/memory.max': `${256 * mib}\n`,
    'sys/fs/cgroup/app/memory.high': `${200 * mib}\n`,
  });
  // Without memory.stat nothing can be taken off.
  expect(read(root)).toMatchObject({ workingSet: 80 * mib, limit: 200 * mib });
});

test('version 2 inside a container: the path of the host is not there, the mount point is our group', () => {
  const root = tree({
    'proc/self/cgroup': '0::/../../docker/abc\n',
    'sys/fs/cgroup/memory.current': `${64 * mib}\n`,
    'sys/fs/cgroup/memory.stat': `file 1\ninactive_file ${4 * mib}\n`,
    'sys/fs/cgroup/memory.max': `${512 * mib}\n`,
  });
  expect(read(root)).toMatchObject({ version: 2, group: '/', workingSet: 60 * mib, limit: 512 * mib });
});

test('version 1: hierarchical figures, and nearly 2^63 for no limit', () => {
  const root = tree({
    'proc/self/cgroup': '9:name=systemd:/\n4:cpu,memory:/docker/abc\n0::/\n',
    'sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes': `${90 * mib}\n`,
    'sys/fs/cgroup/memory/docker/abc/memory.stat': `inactive_file 1\ntotal_inactive_file ${30 * mib}\ntotal_active_file 7\n`,
    'sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes': '9223372036854771712\n',
    'sys/fs/cgroup/memory/docker/memory.limit_in_bytes': `${128 * mib}\n`,
    'sys/fs/cgroup/memory/docker/memory.usage_in_bytes': `${100 * mib}\n`,
  });
  expect(read(root)).toMatchObject({
    version: 1,
    group: '/docker',
    workingSet: 100 * mib,
    limit: 128 * mib,
  });
});

test('a group without any limit still tells its working set', () => {
  const root = tree({
    'proc/self/cgroup': '4:memory:/a\n',
    'sys/fs/cgroup/memory/a/memory.usage_in_bytes': `${90 * mib}\n`,
    'sys/fs/cgroup/memory/a/memory.limit_in_bytes': '9223372036854771712\n',
  });
  expect(read(root)).toEqual({
    version: 1,
    group: '/a',
    workingSet: 90 * mib,
    limit: undefined,
    limitFile: undefined,
  });
});

test.each([
  ['no files at all', {}],
  ['usage that is no figure', { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/memory.current': 'broken\n' }],
  ['an empty usage file', { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/memory.current': '' }],
  ['a membership that makes no sense', { 'proc/self/cgroup': 'what\n::\n\n' }],
])('%s: no reading, no error', (_, files) => {
  expect(read(tree(files))).toBeUndefined();
});

test('a stat file that is broken or shorter than promised takes nothing off', () => {
  for (const stat of ['inactive_file many\n', 'inactive_fil', '']) {
    const root = tree({
      'proc/self/cgroup': '0::/\n',
      'sys/fs/cgroup/memory.current': '1000\n',
      'sys/fs/cgroup/memory.stat': stat,
      'sys/fs/cgroup/memory.max': '2000\n',
    });
    expect(read(root)).toMatchObject({ workingSet: 1000, limit: 2000 });
  }
});

test('more page cache than usage is no negative working set', () => {
  const root = tree({
    'proc/self/cgroup': '0::/\n',
    'sys/fs/cgroup/memory.current': '1000\n',
    'sys/fs/cgroup/memory.stat': 'inactive_file 5000\n',
  });
  expect(read(root)?.workingSet).toBe(0);
});

test('limits are read again after ten seconds, and a limit that moved up takes the usage with it', () => {
  const root = tree(podTree);
  const cgroup = new Cgroup({ root, physicalBytes: 64 * 1024 * mib });
  expect(cgroup.read(0)?.limit).toBe(1024 * mib);
  expect(cgroup.retainedBytes).toBeGreaterThan(8192);
  writeFileSync(join(root, 'sys/fs/cgroup/kubepods/pod1/memory.max'), `${2048 * mib}\n`);
  writeFileSync(join(root, 'sys/fs/cgroup/kubepods/pod1/memory.current'), `${900 * mib}\n`);
  expect(cgroup.read(5000)).toMatchObject({ limit: 1024 * mib, workingSet: 700 * mib });
  expect(cgroup.read(10_000)).toMatchObject({ limit: 2048 * mib });
  writeFileSync(join(root, 'sys/fs/cgroup/kubepods/pod1/app/memory.max'), `${400 * mib}\n`);
  expect(cgroup.read(20_000)).toMatchObject({ group: '/kubepods/pod1/app', workingSet: 200 * mib });
  unlinkSync(join(root, 'sys/fs/cgroup/kubepods/pod1/app/memory.current'));
  unlinkSync(join(root, 'sys/fs/cgroup/kubepods/pod1/memory.current'));
  unlinkSync(join(root, 'sys/fs/cgroup/kubepods/memory.current'));
  expect(cgroup.read(30_000)).toBeUndefined();
  cgroup.close();
  expect(cgroup.read(30_001)).toBeUndefined();
});

test('without a limit the figures are read with the limits, every ten seconds', () => {
  const usage = 'sys/fs/cgroup/a/memory.current';
  const root = tree({ 'proc/self/cgroup': '0::/a\n', [usage]: `${90 * mib}\n` });
  const cgroup = new Cgroup({ root, physicalBytes: 64 * 1024 * mib });
  expect(cgroup.read(0)?.workingSet).toBe(90 * mib);
  writeFileSync(join(root, usage), `${95 * mib}\n`);
  expect(cgroup.read(9000)?.workingSet).toBe(90 * mib);
  writeFileSync(join(root, 'sys/fs/cgroup/a/memory.max'), `${100 * mib}\n`);
  expect(cgroup.read(10_000)).toMatchObject({ workingSet: 95 * mib, limit: 100 * mib });
  writeFileSync(join(root, usage), `${99 * mib}\n`);
  expect(cgroup.read(11_000)?.workingSet).toBe(99 * mib);
  cgroup.close();
});

test('the machine this test runs on is read without an error', () => {
  const cgroup = new Cgroup();
  const workingSet = cgroup.read(0)?.workingSet ?? 1;
  cgroup.close();
  expect(workingSet).toBeGreaterThan(0);
  expect(cgroup.retainedBytes).toBe(0);
});
