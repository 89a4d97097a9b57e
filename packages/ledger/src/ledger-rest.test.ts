/** A ledger whose thread rests: nothing of what it takes may be missing or doubled, whoever takes the journals in. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { folder, processAt } from './folder.fixture.ts';
import { Ledger } from './ledger.ts';
import { settle } from './options.ts';
import { bringHome } from './read/bring-home.ts';
import { LedgerReader } from './read/ledger-reader.ts';

const born = Date.now();

function open(dir: string, restMs = 100): Ledger {
  const ledger = new Ledger({ dir, restMs, batchMs: 60_000 });
  onTestFinished(async () => void (await ledger.close(100)));
  return ledger;
}

async function take(ledger: Ledger, ...seconds: readonly number[]): Promise<void> {
  for (const second of seconds) {
    ledger.sample(processAt(born + second * 1000, second, second === 1 ? {} : { floor: 7 }));
    ledger.sample({ at: born + second * 1000, scope: 'process/agent:a', bytes: second });
    await ledger.flush();
  }
}

const journals = (dir: string): string[] => readdirSync(dir).filter((name) => name.includes('.pending.'));

function stored(dir: string): { seconds: number[]; kinds: string[] } {
  using reader = new LedgerReader(dir);
  expect(reader.verifyChain()).toMatchObject({ ok: true });
  const seconds = [...reader.samples({ scope: 'process' })].map(({ bytes }) => bytes);
  expect([...reader.samples({ scope: 'process/agent:a' })].map(({ bytes }) => bytes)).toEqual(seconds);
  return { seconds, kinds: reader.audit().map(({ kind }) => kind) };
}

test('samples and the start of a run take no thread, and a reader of the living process has all of them once', async () => {
  const dir = join(folder(), 'ledger');
  const ledger = open(dir);
  await ledger.audit({ kind: 'start', body: { pid: process.pid } });
  await take(ledger, 1, 2);
  expect(ledger.health).toMatchObject({ state: 'resting', samples: { taken: 4, written: 4, queued: 0 } });
  expect(readdirSync(dir).filter((name) => name.endsWith('.db'))).toEqual([]);
  expect(stored(dir)).toEqual({ seconds: [1, 2], kinds: ['start'] });
  await take(ledger, 3);
  expect(stored(dir)).toEqual({ seconds: [1, 2, 3], kinds: ['start'] });
  using reader = new LedgerReader(dir);
  const floors = [...reader.samples({ scope: 'process' })].map(({ floor }) => floor);
  expect(floors).toEqual([null, 7, 7]);
  await take(ledger, 4);
  expect([...reader.samples({ scope: 'process' })]).toHaveLength(3);
  bringHome(dir);
  expect([...reader.samples({ scope: 'process' })]).toHaveLength(4);
});

test('another entry wakes the thread, which takes the journals in and rests again', async () => {
  const dir = join(folder(), 'ledger');
  const ledger = open(dir);
  await ledger.audit({ kind: 'start' });
  await take(ledger, 1, 2);
  await ledger.audit({ kind: 'level' });
  await take(ledger, 3);
  expect(ledger.health).toMatchObject({ state: 'ready', restarts: 0 });
  using reader = new LedgerReader(dir, { asWritten: true });
  expect([...reader.samples({ scope: 'process' })]).toHaveLength(3);
  await vi.waitFor(() => expect(ledger.health.state).toBe('resting'), { timeout: 60_000 });
  expect(journals(dir)).toEqual([]);
  await take(ledger, 4);
  await ledger.audit({ kind: 'action' });
  await take(ledger, 5);
  expect(stored(dir)).toEqual({ seconds: [1, 2, 3, 4, 5], kinds: ['start', 'level', 'action'] });
  expect(ledger.health).toMatchObject({ samples: { taken: 10, written: 10, dropped: 0 }, restarts: 0 });
});

test('a closed ledger leaves journals that the next reader takes in and removes', async () => {
  const dir = join(folder(), 'ledger');
  const ledger = open(dir);
  await ledger.audit({ kind: 'start' });
  ledger.sample([processAt(born, 1), { at: born, scope: 'process/agent:a', bytes: 1 }]);
  await ledger.audit({ kind: 'exit' });
  expect(await ledger.close()).toBe(true);
  expect(journals(dir)).toHaveLength(2);
  expect(stored(dir)).toEqual({ seconds: [1], kinds: ['start', 'exit'] });
  expect(journals(dir)).toEqual([]);
});

test('lines of another version and damaged ones are left out, and the rest is taken in', async () => {
  const dir = join(folder(), 'ledger');
  const ledger = open(dir);
  await ledger.audit({ kind: 'start' });
  await take(ledger, 1, 2);
  const name = journals(dir).find((journal) => journal.startsWith('samples')) as string;
  const [, first = ''] = readFileSync(join(dir, name), 'utf8').split('\n');
  const other = first.replace('"columns":"', '"columns":"another ').replace('"number":1', '"number":9');
  const alien = first.replace('"number":1', '"number":8').replace('"scopes":[', '"scopes":[null,');
  expect(alien).toContain('null');
  writeFileSync(join(dir, name), `${readFileSync(join(dir, name), 'utf8')}${other}\n${alien}\n{"run":`);
  expect(stored(dir).seconds).toEqual([1, 2]);
});

test('a process that restarts again and again leaves a bounded number of journals', async () => {
  const dir = join(folder(), 'ledger');
  for (let life = 0; life < 20; life += 1) {
    const ledger = open(dir);
    await ledger.audit({ kind: 'start' });
    await take(ledger, 1);
    await vi.waitFor(() => expect(ledger.health.state).toMatch(/resting|ready/), { timeout: 60_000 });
    await ledger.close();
    expect(journals(dir).length).toBeLessThan(20);
  }
});

test('a journal that cannot be written wakes the thread, and nothing is lost', async () => {
  const dir = join(folder(), 'ledger');
  mkdirSync(dir, { mode: 0o700 });
  const ledger = open(dir);
  const path = join(dir, `samples.pending.${process.pid}-${ledger.run}`);
  mkdirSync(path);
  await take(ledger, 1);
  await ledger.audit({ kind: 'start' });
  await vi.waitFor(() => expect(ledger.health.samples).toMatchObject({ written: 2, dropped: 0 }), {
    timeout: 60_000,
  });
  expect(stored(dir).seconds).toEqual([1]);
});

test('with anchors or a fleet the thread never rests', () => {
  const dir = 'ledger';
  const identity = { service: 's', release: 'r', host: 'h', pid: 1, node: 'v24' };
  expect(settle({ dir, restMs: 20 }).restMs).toBe(20);
  expect(settle({ dir }).restMs).toBeUndefined();
  expect(settle({ dir, restMs: 20, anchors: { file: 'heads' } }).restMs).toBeUndefined();
  expect(settle({ dir, restMs: 20, fleet: { url: 'postgres://h/d', identity } }).restMs).toBeUndefined();
});
