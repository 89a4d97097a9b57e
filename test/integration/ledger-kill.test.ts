import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { killRounds } from './ledger-kill-rounds.ts';

test('12 rounds of kill -9 lose nothing that was confirmed, double nothing and leave the chain whole', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-kill-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const result = await killRounds(dir, 12);
  expect(result).toMatchObject({
    lostAudits: [],
    lostSamples: [],
    doubledAudits: 0,
    doubledSamples: 0,
    chainWhole: true,
    damaged: [],
  });
  expect(result.audits).toBeGreaterThanOrEqual(12);
  expect(result.samples).toBeGreaterThanOrEqual(12 * 50);
});
