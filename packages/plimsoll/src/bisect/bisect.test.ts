import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunFigures } from '../gate/compare.ts';
import { TestIo } from '../io.fixture.ts';
import { bisect } from './bisect.ts';
import type { BisectOptions } from './bisect.ts';
import { Worktrees } from './worktrees.ts';

const commits = 64;
const planted = 37;

/** A repository whose file `leak` says how many bytes a call keeps. */
function repository(): string {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-bisect-'));
  const git = (...args: string[]): void =>
    void execFileSync(
      'git',
      ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'commit.gpgsign=false', ...args],
      { cwd: dir, stdio: 'ignore' },
    );
  git('init', '-q');
  const stream: string[] = [];
  for (let i = 0; i <= commits; i++) {
    const message = i === planted ? 'Keep every request for later' : `Change ${i}`;
    const content = `${i >= planted ? 2048 : 0}\n`;
    const noise = `${i}\n`;
    stream.push(
      `commit refs/heads/main\nmark :${i + 1}\ncommitter a <a@b.c> ${1_700_000_000 + i} +0000\ndata ${message.length}\n${message}\n${i === 0 ? '' : `from :${i}\n`}M 100644 inline leak\ndata ${content.length}\n${content}\nM 100644 inline other\ndata ${noise.length}\n${noise}\n`,
    );
  }
  execFileSync('git', ['fast-import', '--quiet'], { cwd: dir, input: stream.join('') });
  git('checkout', '-q', 'main');
  return dir;
}

function figures(cwd: string): RunFigures {
  const bytesPerCall = Number(readFileSync(join(cwd, 'leak'), 'utf8'));
  return { calls: 1000, bytesPerCall, liveBytes: 30e6, peakBytes: 1e8 };
}

async function optionsOf(dir: string, changes: Partial<BisectOptions> = {}): Promise<BisectOptions> {
  const worktrees = await Worktrees.open({
    cwd: dir,
    dir: join(dir, '.git/plimsoll'),
    build: 'echo built >> built',
    env: process.env,
  });
  return {
    worktrees,
    good: `main~${commits}`,
    bad: 'main',
    bounds: { maxGrowth: 0.05, maxPerCall: 512, maxPeak: null },
    mostRuns: 4,
    measure: (cwd) => Promise.resolve(figures(cwd)),
    signal: new AbortController().signal,
    onStep: () => undefined,
    ...changes,
  };
}

test('the planted commit among 64 is found, and the working tree is not touched', async () => {
  const dir = repository();
  writeFileSync(join(dir, 'leak'), 'unsaved work\n');
  const options = await optionsOf(dir);
  const { first, steps, proof } = await bisect(options);
  expect(first?.subject).toBe('Keep every request for later');
  expect(steps.length).toBeLessThanOrEqual(8);
  expect(proof?.outcome).toBe('worse');
  expect(proof?.per1000Calls).toBe(2_048_000);
  expect(readFileSync(join(dir, 'leak'), 'utf8')).toBe('unsaved work\n');
  const [{ commit } = { commit: undefined }] = steps;
  if (commit === undefined) throw new Error('no step');
  // Built once: a second use finds it as it is.
  const folder = await options.worktrees.at(commit);
  expect(readFileSync(join(folder, 'built'), 'utf8')).toBe('built\n');
  await (options.worktrees as Worktrees).removeAll();
  expect(existsSync(folder)).toBe(false);
});

test('commits that do not decide are named with the ones beside them', async () => {
  const dir = repository();
  let flip = 1;
  const unsure = new Set([planted - 1, planted]);
  const measure = (cwd: string): Promise<RunFigures> => {
    const index = Number(readFileSync(join(cwd, 'other'), 'utf8'));
    flip = -flip;
    return Promise.resolve(unsure.has(index) ? { ...figures(cwd), bytesPerCall: 4000 * flip } : figures(cwd));
  };
  const { first, candidates } = await bisect(await optionsOf(dir, { measure }));
  expect(first).toBe(null);
  expect(candidates.map(({ subject }) => subject)).toEqual([
    'Change 36',
    'Keep every request for later',
    'Change 38',
  ]);
});

test('ends that do not differ are refused, and so is a folder that is no repository', async () => {
  const dir = repository();
  const options = await optionsOf(dir, { bad: 'main~40' });
  await expect(bisect(options)).rejects.toThrow('is not worse than');
  const outside = mkdtempSync(join(tmpdir(), 'plimsoll-no-git-'));
  await expect(Worktrees.open({ cwd: outside, dir: outside, build: null, env: {} })).rejects.toThrow(
    'git said',
  );
});

test('plimsoll bisect names the commit that holds 30 MiB more', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-bisect-'));
  const git = (...args: string[]): void =>
    void execFileSync(
      'git',
      ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'commit.gpgsign=false', ...args],
      { cwd: dir, stdio: 'ignore' },
    );
  git('init', '-q', '-b', 'main');
  for (const [text, message] of [
    ['globalThis.kept = [];', 'Begin'],
    ['globalThis.kept = [Buffer.alloc(30 << 20)];', 'Keep a table'],
  ] as const) {
    writeFileSync(join(dir, 'load.cjs'), `${text}\n`);
    git('add', '.');
    git('commit', '-q', '-m', message);
  }
  const io = new TestIo(dir);
  expect(await io.plimsoll('bisect', 'main~1', 'main', '--max-growth', '20%', '--', 'node', 'load.cjs')).toBe(
    0,
  );
  expect(io.out).toContain('is the first commit whose memory is worse.\n  Keep a table');
  expect(existsSync(join(dir, '.plimsoll/bisect'))).toBe(false);
  expect(await io.plimsoll('bisect', 'main~1', '--end', '--', 'node', 'load.cjs')).toBe(1);
});
