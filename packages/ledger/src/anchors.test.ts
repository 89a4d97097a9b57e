import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Anchor } from './anchors.ts';
import { folder } from './folder.fixture.ts';
import { openLedger } from './ledger.ts';
import { LedgerReader } from './read/ledger-reader.ts';

test('heads are kept in a file and sent; they tell when the ledger was replaced', async () => {
  const dir = join(folder(), 'ledger');
  const file = join(folder(), 'elsewhere', 'anchors.jsonl');
  const sent: Anchor[] = [];
  const send = async (anchor: Anchor): Promise<void> => void sent.push(anchor);
  const ledger = openLedger({ dir, auditDeadlineMs: 60_000, anchors: { file, send } });
  await ledger.audit({ kind: 'start' });
  await ledger.audit({ kind: 'level' });
  expect(await ledger.close()).toBe(true);
  const kept = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Anchor);
  expect(kept).toEqual(sent);
  expect(kept.map(({ seq }) => seq)).toEqual([1, 2]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  using reader = new LedgerReader(dir);
  expect(reader.verifyChain(kept)).toMatchObject({ ok: true, head: { seq: 2 } });

  const other = join(folder(), 'ledger');
  const forged = openLedger({ dir: other });
  await forged.audit({ kind: 'start' });
  await forged.close();
  using replaced = new LedgerReader(other);
  expect(replaced.verifyChain(kept)?.broken).toEqual({ seq: 1, why: 'rewritten' });
});

test('an anchor that cannot be kept is a warning, and the ledger goes on', async () => {
  const warned: string[] = [];
  const listen = (warning: Error & { code?: string }): void => void warned.push(warning.code ?? '');
  process.on('warning', listen);
  onTestFinished(() => void process.off('warning', listen));
  const dir = join(folder(), 'ledger');
  const send = (): Promise<void> => Promise.reject(new Error('no route'));
  const ledger = openLedger({ dir, auditDeadlineMs: 60_000, anchors: { send } });
  await ledger.audit({ kind: 'start' });
  expect(await ledger.close()).toBe(true);
  await expect.poll(() => warned).toContain('PLM_LEDGER_ANCHOR_LOST');
});
