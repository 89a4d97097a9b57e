/** Caches that know their bound are no leaks, in one snapshot and in a pair; a map beside them is. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { analyze, diff, type Analysis, type Diff } from '@plimsoll/heap';

let analysis: Analysis;
let pair: Diff;
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-bounds-'));
  const files = [join(folder, 'first.heapsnapshot'), join(folder, 'last.heapsnapshot')];
  const program = join(import.meta.dirname, 'fixtures/heap/bounded.mjs');
  const done = spawnSync(process.execPath, ['--expose-gc', program, ...files], { encoding: 'utf8' });
  expect(done.stderr).toBe('');
  analysis = await analyze(files[1] as string, { suspects: 12 });
  pair = await diff(files);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a minified lru-cache says how far it is filled', () => {
  const found = analysis.suspects.find(({ bound }) => bound?.cache === 'LRUCache of lru-cache');
  expect(found).toMatchObject({ severity: 'info', bound: { entries: 1049, max: 3495 } });
  expect(found?.summary).toContain('a cache that fills: 1,049 of 3,495 (LRUCache of lru-cache)');
});

test('quick-lru is known by the map that it filled before', () => {
  const found = analysis.suspects.find(({ bound }) => bound?.cache === 'QuickLRU of quick-lru');
  expect(found).toMatchObject({ severity: 'info', bound: { entries: 1049, max: 1200 } });
});

test('a map without a bound stays a suspect', () => {
  const found = analysis.suspects.find(({ code }) => code.includes('sessions'));
  expect(found?.bound).toBeUndefined();
  expect(found?.severity).not.toBe('info');
});

test('between two snapshots only the map grew for want of a bound', () => {
  const open = pair.growth.filter(({ bound }) => bound === undefined);
  expect(open.map(({ code }) => code).join(' ')).toContain('sessions');
  expect(open.map(({ code }) => code).join(' ')).not.toContain('documents');
  const filling = pair.growth.filter(({ bound }) => bound !== undefined);
  expect(filling.length).toBeGreaterThan(0);
  for (const { severity } of filling) expect(severity).toBe('info');
});
