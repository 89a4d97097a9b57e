/** The words of an analysis on the snapshot of a real process: scopes, classes, variables, keys and counts. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { analyze, type Analysis, type Suspect } from '@plimsoll/heap';
import { cureOf } from '@plimsoll/leak/internal/proof/cure';

let analysis: Analysis;
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-words-'));
  const file = join(folder, 'words.heapsnapshot');
  const program = join(import.meta.dirname, 'fixtures/heap/words.mjs');
  const done = spawnSync(process.execPath, ['--conditions=plimsoll-source', program, file], {
    encoding: 'utf8',
  });
  expect(done.stderr).toBe('');
  analysis = await analyze(file, { suspects: 12 });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const about = (text: string): Suspect => {
  const found = analysis.suspects.find(({ summary }) => summary.includes(text));
  expect(
    found,
    `no suspect about ${text} in\n${analysis.suspects.map((s) => s.summary).join('\n')}`,
  ).toBeDefined();
  return found as Suspect;
};

test('every scope with roots is listed with its path and its bytes', () => {
  const scopes = analysis.scopes ?? [];
  expect(scopes.map(({ path }) => path).sort()).toEqual(
    Array.from({ length: 20 }, (_, i) => `process/session:number-${i}`).sort(),
  );
  for (const scope of scopes) expect(scope).toMatchObject({ state: 'open', roots: 1 });
  expect(Math.min(...scopes.map(({ retainedBytes }) => retainedBytes))).toBeGreaterThan(600);
});

test('a class that has the name of one of Node is the class of the program', () => {
  const { trace } = about('AuditEntry');
  expect(trace.find(({ name }) => name === 'PriorityQueue')?.why).not.toContain('timers');
});

test('the variable of the program names the holder, in the sentence and in the fix', () => {
  const suspect = about('AuditEntry');
  expect(suspect.summary).toMatch(/^auditQueue\.#queue \(Array\) holds 2,000 × AuditEntry/);
  expect(cureOf(suspect.trace)).toContain('remove entries from auditQueue.#queue ');
});

test('a key that was built with a template is shown as text', () => {
  expect(about('Doc,').code).toMatch(/^documents\.get\(<\w+:\d+>\)$/);
});

test('a Map with keys and values of one class has as many entries as it has keys', () => {
  expect(about('titles (Map)')).toMatchObject({ count: 1000 });
});

test('a promise that never settles is named by its variable', () => {
  const suspect = about('neverReady');
  expect(suspect.code).toMatch(/^neverReady/);
  expect(suspect.trace[0]?.name).not.toContain('microtask');
});
