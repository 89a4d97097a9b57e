import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examine } from '../autopsy/examine.ts';
import { TestIo } from '../io.fixture.ts';

function folder(): string {
  return mkdtempSync(join(tmpdir(), 'plimsoll-pages-'));
}

test('plimsoll docs prints a page, the section of an error, the places of a word, and says what it has not', async () => {
  const io = new TestIo(folder());
  expect(await io.plimsoll('docs', 'PLM_LEDGER_NOT_FOUND')).toBe(0);
  expect(io.out).toContain('PLM_LEDGER_NOT_FOUND');
  io.out = '';
  expect(await io.plimsoll('docs', 'waterline')).toBe(0);
  expect(io.out).toMatch(/^\S+ {2,}\S/m);
  io.out = '';
  expect(await io.plimsoll('docs', '--json')).toBe(0);
  expect(JSON.parse(io.out)).toMatchObject({ kind: 'text' });
  expect(await io.plimsoll('docs', 'zyzzyva')).toBe(1);
  expect(io.err).toContain('PLM_CLI_NO_PAGE');
});

test('plimsoll autopsy tells the newest death of a folder, or all of them, or that there is none', async () => {
  const dir = folder();
  const io = new TestIo(dir);
  expect(await io.plimsoll('autopsy', '.')).toBe(0);
  expect(io.out).toBe('No death is known in ..\n');
  const seen = { oomKills: null, asked: null, wasStuck: false, restart: null };
  for (const pid of [7, 8])
    examine(dir, pid, `node server-${pid}.js`, {
      ...seen,
      exit: { code: null, signal: 'SIGKILL' },
      endedAt: pid,
    });
  io.out = '';
  expect(await io.plimsoll('autopsy', '.')).toBe(0);
  expect(io.out).toContain('server-8.js');
  expect(io.out).not.toContain('server-7.js');
  io.out = '';
  expect(await io.plimsoll('autopsy', '--all', '--json', '.')).toBe(0);
  expect((JSON.parse(io.out) as { pid: number }[]).map(({ pid }) => pid)).toEqual([8, 7]);
});

test('plimsoll mcp says which answer length it accepts', async () => {
  const io = new TestIo(folder());
  expect(await io.plimsoll('mcp', '--max-chars', 'many')).toBe(1);
  expect(io.err).toContain('a whole number of 500 or more');
});
