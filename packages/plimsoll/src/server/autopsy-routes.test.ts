import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AutopsyAnswer, ProcessRow } from '@plimsoll/host/protocol/api';
import { expect, test } from 'vitest';
import { autopsyOf } from '../autopsy/autopsy.ts';
import type { Autopsy } from '../autopsy/autopsy.ts';
import { autopsyRoutes, isOf } from './autopsy-routes.ts';
import type { RouteContext } from './route.ts';
import { schemas } from './schema.ts';
import type { Schema } from './schema.ts';
import { misfits } from './shape-check.fixture.ts';

const death: Autopsy = {
  ...autopsyOf(7, 'node server.js', {
    exit: { code: null, signal: 'SIGKILL' },
    endedAt: 100_000,
    box: undefined,
    fatal: undefined,
    oomKills: null,
    asked: null,
    wasStuck: false,
    restart: null,
  }),
  startedAt: 50_000,
};
const row: ProcessRow = {
  id: 'run-1',
  pid: 7,
  target: 'node server.js',
  startedAt: 51_000,
  endedAt: 99_000,
  state: 'died',
};

test('a process is known by its number and its time', () => {
  expect(isOf(death, row)).toBe(true);
  expect(isOf(death, { ...row, pid: 8 })).toBe(false);
  expect(isOf(death, { ...row, startedAt: 5_000_000 })).toBe(false);
  expect(isOf({ ...death, startedAt: null }, row)).toBe(true);
  expect(isOf({ ...death, startedAt: null, endedAt: null }, row)).toBe(false);
});

test('the answer has the autopsy of a process that is gone, and the story of its folder', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-autopsy-route-'));
  for (const endedAt of [40_000, 100_000])
    writeFileSync(
      join(dir, `autopsy-${String(endedAt).padStart(15, '0')}-7.json`),
      JSON.stringify({ ...death, endedAt, startedAt: endedAt - 50_000 }),
    );
  const answer = async (state: ProcessRow['state'], ledgerDir: string | null): Promise<AutopsyAnswer> =>
    (await autopsyRoutes[0]?.handle({
      sources: { dir },
      source: () => Promise.resolve({ process: { ...row, state }, ledgerDir }),
    } as unknown as RouteContext)) as AutopsyAnswer;
  const dead = await answer('died', join(dir, 'ledger'));
  expect(dead).toMatchObject({ autopsy: { pid: 7, endedAt: 100_000 }, deaths: 2 });
  expect(dead.story).toBe('died 2 times in 1 m by SIGKILL, each 50 s after start');
  expect(misfits(schemas['AutopsyAnswer'] as Schema, dead)).toEqual([]);
  expect((await answer('running', null)).autopsy).toBeNull();
  rmSync(dir, { recursive: true });
});
