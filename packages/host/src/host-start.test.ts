import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Host } from './host.ts';
import { loadInTurns } from './load-in-turns.ts';
import { partList } from './part-list.ts';
import { liveDescriptors } from './protocol/descriptor.ts';

let dir: string;
let host: Host;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-start-'));
  const loaded = await loadInTurns();
  host = await loaded.Host.load({
    dir,
    ledgerDir: join(dir, 'ledger'),
    policyFile: undefined,
    target: 'node test',
    maxPauseMs: 0,
    isSupervised: false,
  });
});

afterEach(async () => {
  await host.stop();
});

test('the loop turns between the starts of two parts', async () => {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    pending = setImmediate(count);
  };
  let pending = setImmediate(count);
  await host.startInTurns();
  clearImmediate(pending);
  expect(turns).toBeGreaterThanOrEqual(Object.keys(partList).length);
  expect(host.frame).toBeDefined();
});

test('a host that is stopped while it starts starts no further part', async () => {
  const started = host.startInTurns();
  await host.stop();
  await started;
  expect(host.frame).toBeUndefined();
  expect(liveDescriptors(dir)).toEqual([]);
});

test('a process that exits while the host starts asks only the parts that have started', async () => {
  const started = host.startInTurns();
  process.emit('exit', 0);
  expect(host.frame).toBeUndefined();
  await started;
  expect(host.frame).toBeDefined();
});
