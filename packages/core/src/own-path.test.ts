import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { checkPath, checkSocket, makeOwnFolder, openOwnFile, readOwnText } from './own-path.ts';
import type { PathStat, PathView } from './own-path.ts';
import { replaceFile } from './replace-file.ts';

const us = 1000;
const neighbour = 1001;

/** A file system of which only owners, modes and links matter: `d` folder, `f` file, `s` socket, `l` link. */
function view(entries: Readonly<Record<string, readonly [string, number, number, string?]>>): PathView {
  const all: typeof entries = { '/': ['d', 0, 0o755], '/tmp': ['d', 0, 0o1777], ...entries };
  const lstat = (path: string): PathStat | undefined => {
    const entry = all[path];
    if (entry === undefined) return undefined;
    const [type, uid, mode] = entry;
    return {
      uid,
      mode,
      isDirectory: () => type === 'd',
      isFile: () => type === 'f',
      isSocket: () => type === 's',
      isSymbolicLink: () => type === 'l',
    };
  };
  return { uid: us, lstat, readlink: (path) => all[path]?.[3] ?? '' };
}

describe('who a path belongs to', () => {
  test('a folder of ours is trusted, also below folders of others that only they may write', () => {
    const found = view({ '/srv': ['d', neighbour, 0o755], '/srv/.plimsoll': ['d', us, 0o700] });
    expect(checkPath('/srv/.plimsoll', 'folder', found).fault).toBeUndefined();
  });

  test('a folder that another user made first is refused, with both users', () => {
    const found = view({ '/tmp/.plimsoll': ['d', neighbour, 0o755] });
    expect(checkPath('/tmp/.plimsoll', 'folder', found).fault).toBe(
      '/tmp/.plimsoll belongs to user 1001 and lies in /tmp, where anybody may make files; this process runs as user 1000',
    );
    const home = view({ '/srv': ['d', us, 0o775], '/srv/.plimsoll': ['d', neighbour, 0o700] });
    expect(checkPath('/srv/.plimsoll', 'folder', home).fault).toBe(
      'it belongs to user 1001, and this process runs as user 1000',
    );
  });

  test('a folder of ours is refused where anybody may take it away', () => {
    const found = view({ '/open': ['d', 0, 0o777], '/open/.plimsoll': ['d', us, 0o700] });
    expect(checkPath('/open/.plimsoll', 'folder', found).fault).toBe(
      'any user may remove or replace files in /open',
    );
    // The owner of a sticky folder may remove what others made in it.
    const theirs = view({ '/theirs': ['d', neighbour, 0o1777], '/theirs/x': ['d', us, 0o700] });
    expect(checkPath('/theirs/x', 'folder', theirs).fault).toContain('files in /theirs');
  });

  test('a link of another user in /tmp is refused, a link of ours is followed to what it names', () => {
    const links = view({
      '/tmp/theirs': ['l', neighbour, 0o777, '/data'],
      '/tmp/ours': ['l', us, 0o777, '../data'],
      '/data': ['d', us, 0o700],
      '/tmp/trap': ['l', us, 0o777, '/tmp/evil'],
      '/tmp/evil': ['d', neighbour, 0o700],
    });
    expect(checkPath('/tmp/theirs', 'folder', links).fault).toContain('belongs to user 1001');
    expect(checkPath('/tmp/ours', 'folder', links)).toMatchObject({ fault: undefined, path: '/data' });
    expect(checkPath('/tmp/trap', 'folder', links).fault).toContain('/tmp/evil belongs to user 1001');
    const loop = view({ '/a': ['l', 0, 0o777, '/a'] });
    expect(checkPath('/a', 'folder', loop).fault).toBe('/a is a link without an end');
  });

  test('a file that others may write proves nothing; a secret that root mounted is read through its links', () => {
    const files = view({
      '/etc': ['d', 0, 0o755],
      '/etc/open.json': ['f', us, 0o666],
      '/etc/secret.json': ['l', 0, 0o777, '..data/secret.json'],
      '/etc/..data': ['l', 0, 0o777, '2026'],
      '/etc/2026': ['d', 0, 0o755],
      '/etc/2026/secret.json': ['f', 0, 0o440],
    });
    expect(checkPath('/etc/open.json', 'file', files).fault).toBe(
      'others than its owner may write it (mode 666)',
    );
    expect(checkPath('/etc/secret.json', 'file', files)).toMatchObject({
      fault: undefined,
      path: '/etc/2026/secret.json',
    });
    expect(checkPath('/etc', 'file', files).fault).toBe('it is no regular file');
  });

  test('a socket where another user listens is refused before anything is said', () => {
    const sockets = view({ '/tmp/plimsoll-7.sock': ['s', neighbour, 0o600] });
    expect(() => checkSocket('/tmp/plimsoll-7.sock', sockets)).toThrow(/not trusted/);
    const ours = view({
      '/run': ['d', 0, 0o755],
      '/run/us': ['d', us, 0o700],
      '/run/us/7.sock': ['s', us, 0o600],
    });
    expect(() => checkSocket('/run/us/7.sock', ours)).not.toThrow();
    expect(() => checkSocket('/run/us/8.sock', ours)).not.toThrow();
  });

  test('without users, as on Windows, everything is as before', () => {
    const found = view({ '/tmp/x': ['d', neighbour, 0o777] });
    expect(checkPath('/tmp/x', 'folder', { ...found, uid: undefined }).fault).toBeUndefined();
  });
});

describe('on a real file system', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'own-path-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  test('a folder is made for its owner alone; one that a group may write is closed', () => {
    const own = join(dir, 'a', '.plimsoll');
    makeOwnFolder(own);
    expect(lstatSync(own).mode & 0o777).toBe(0o700);
    chmodSync(own, 0o775);
    makeOwnFolder(own);
    expect(lstatSync(own).mode & 0o777).toBe(0o755);
  });

  test('a link in the place of a file is replaced, and what it names stays as it was', () => {
    const victim = join(dir, 'authorized_keys');
    writeFileSync(victim, 'mine');
    symlinkSync(victim, join(dir, '7.json'));
    replaceFile(join(dir, '7.json'), 'descriptor');
    expect(readFileSync(victim, 'utf8')).toBe('mine');
    expect(readFileSync(join(dir, '7.json'), 'utf8')).toBe('descriptor');
    expect(lstatSync(join(dir, '7.json')).isFile()).toBe(true);
  });

  test('a file of ours is read, an absent one is nothing, a folder that is not ours is an error with its reason', () => {
    writeFileSync(join(dir, 'a'), 'text', { mode: 0o600 });
    expect(readOwnText(join(dir, 'a'), 100)).toBe('text');
    expect(readOwnText(join(dir, 'b'), 100)).toBeUndefined();
    const uid = (process.geteuid?.() ?? 0) + 7;
    const someoneElse: PathView = {
      uid,
      lstat: (path) => lstatSync(path, { throwIfNoEntry: false }),
      readlink: () => '',
    };
    const mine = { ...someoneElse, lstat: ownedBy(4242, someoneElse, dir) };
    expect(() => makeOwnFolder(dir, mine)).toThrow(/belongs to user 4242/);
    expect(() => readOwnText(join(dir, 'a'), 100, mine)).toThrow(/belongs to user 4242/);
  });

  test('what a second user of this machine made in a shared folder is refused', () => {
    const shared = join(dir, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o1777);
    chmodSync(dir, 0o755);
    const other = join(shared, '.plimsoll');
    // Only root can become a second user. Without root the same is asked as if this user were the second one.
    const isRoot = process.geteuid?.() === 0;
    const script = `require('node:fs').mkdirSync(${JSON.stringify(other)})`;
    const made = spawnSync(process.execPath, ['-e', script], {
      cwd: '/',
      ...(isRoot && { uid: 65_534, gid: 65_534 }),
    });
    expect(String(made.stderr)).toBe('');
    const real: PathView = {
      uid: isRoot ? 0 : (process.geteuid?.() ?? 0) + 1,
      lstat: (path) => lstatSync(path, { throwIfNoEntry: false }),
      readlink: () => '',
    };
    const trusting = isRoot ? real : { ...real, lstat: ownedBy(real.uid as number, real, dir, shared) };
    expect(() => makeOwnFolder(other, trusting)).toThrow(/belongs to user \d+/);
    expect(() => readOwnText(join(other, 'approvers.json'), 100, trusting)).toThrow(/not trusted/);
  });

  test('a listening socket of ours is accepted', async () => {
    const path = join(dir, 's.sock');
    const server = createServer().listen(path);
    await new Promise((resolve) => server.once('listening', resolve));
    expect(() => checkSocket(path)).not.toThrow();
    server.close();
  });
});

/** As `view`, but these paths belong to another user. */
function ownedBy(uid: number, { lstat }: PathView, ...paths: string[]): PathView['lstat'] {
  return (path) => {
    const stat = lstat(path);
    return stat !== undefined && paths.includes(path)
      ? Object.assign(Object.create(stat) as PathStat, { uid })
      : stat;
  };
}

test('a file of ours is opened to append with mode 0600; links and what is no file are refused', () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-own-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'a.db');
  writeFileSync(file, 'old', { mode: 0o644 });
  const fd = openOwnFile(file);
  writeSync(fd, ' new');
  closeSync(fd);
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['old new', 0o600]);
  symlinkSync(file, join(dir, 'link'));
  expect(() => openOwnFile(join(dir, 'link'))).toThrow('it is a link');
  expect(() => openOwnFile(dir)).toThrow('EISDIR');
});
