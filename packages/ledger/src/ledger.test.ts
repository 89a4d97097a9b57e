import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { AuditEntry } from './audit-entry.ts';
import { folder, processAt } from './folder.fixture.ts';
import { Ledger, openLedger } from './ledger.ts';
import type { LedgerOptions } from './options.ts';
import { LedgerReader } from './read/ledger-reader.ts';
import { Database } from './sqlite/database.ts';

const crash = new URL('./worker/crash.fixture.ts', import.meta.url);
const late = new URL('./worker/late.fixture.ts', import.meta.url);
const silent = new URL('./worker/silent.fixture.ts', import.meta.url);
const nothing = new URL('./worker/does-not-exist.ts', import.meta.url);

function open(options: LedgerOptions, worker?: URL): Ledger {
  const ledger = new Ledger(options, worker);
  onTestFinished(async () => void (await ledger.close(100)));
  return ledger;
}

const level = (i: number): AuditEntry => ({ kind: 'level', body: { i } });

async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((done) => setTimeout(done, 5));
}

function stored(dir: string): number[] {
  using reader = new LedgerReader(dir);
  expect(reader.verifyChain()).toMatchObject({ ok: true });
  return reader.audit({ kinds: ['level'] }).map((entry) => entry.body['i'] as number);
}

test('what was recorded is read back', async () => {
  const dir = join(folder(), 'ledger');
  const ledger = openLedger({ dir });
  await ledger.audit({ kind: 'start', body: { pid: process.pid } });
  expect(ledger.sample(processAt(Date.now(), 10))).toBe(1);
  expect(ledger.sample([{ at: Date.now(), scope: 'process/agent:a', bytes: 5 }])).toBe(1);
  expect(await ledger.flush()).toBe(true);
  expect(await ledger.flush()).toBe(true);
  expect(ledger.health).toMatchObject({
    state: 'ready',
    samples: { taken: 2, written: 2, queued: 0, dropped: 0, malformed: 0 },
    audit: { taken: 1, written: 1, spilled: 0, queued: 0, refused: 0 },
    restarts: 0,
    lastError: undefined,
    head: { seq: 1 },
  });
  using reader = new LedgerReader(dir);
  expect(reader.story()).toMatchObject({
    run: ledger.run,
    state: 'running',
    samples: 2,
    start: { kind: 'start' },
  });
  await ledger[Symbol.asyncDispose]();
  expect(ledger.health.state).toBe('closed');
});

test('what is recorded before the writer thread has started survives a kill', async () => {
  const dir = join(folder(), 'ledger');
  const killed = open({ dir }, new URL('./worker/never.fixture.ts', import.meta.url));
  void killed.audit(level(1));
  void killed.audit(level(2));
  // Nothing of the event loop ran since: a kill would come here.
  const journals = (): string[] => readdirSync(dir).filter((name) => name.startsWith('audit.pending.'));
  const [name = ''] = journals();
  expect(readFileSync(join(dir, name), 'utf8').match(/"kind":"level"/g)).toHaveLength(2);
  expect(killed.health.state).toBe('starting');
  const next = openLedger({ dir });
  await next.audit(level(3));
  await next.close();
  expect(journals()).toEqual([name]);
  await killed.close(10);
  const last = openLedger({ dir });
  await last.audit(level(4));
  await last.close();
  expect(new Set(stored(dir))).toEqual(new Set([1, 2, 3, 4]));
  expect(journals()).toEqual([]);
});

test('copies in the journal go when the writer has the entries, and each entry is stored once', async () => {
  const dir = join(folder(), 'ledger');
  const ledger = openLedger({ dir });
  await Promise.all([1, 2, 3].map((i) => ledger.audit(level(i))));
  expect(ledger.health.audit).toMatchObject({ written: 3, spilled: 0 });
  await ledger.close();
  expect(stored(dir)).toEqual([1, 2, 3]);
  expect(readdirSync(dir).filter((name) => name.startsWith('audit.pending'))).toEqual([]);
});

test('once it is closed none of its timers keeps the process from ending', async () => {
  const made = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => made.mockRestore());
  const ledger = open({ dir: folder() });
  await ledger.audit(level(1));
  expect(await ledger.close()).toBe(true);
  const timers = made.mock.results.map(({ value }) => value as NodeJS.Timeout & { _destroyed: boolean });
  expect(timers.length).toBeGreaterThan(0);
  // One that was cleared still says that it has a reference.
  expect(timers.filter((timer) => timer.hasRef() && !timer._destroyed)).toEqual([]);
});

test('samples are written by themselves after the batch time, and again while a batch is under way', async () => {
  const ledger = open({ dir: folder(), batchMs: 10 });
  for (let i = 0; i < 50; i++) {
    ledger.sample({ at: i, scope: 'process', bytes: i });
    await new Promise((done) => setTimeout(done, 2));
  }
  await until(() => ledger.health.samples.written === 50);
  expect(ledger.health.samples).toMatchObject({ taken: 50, queued: 0 });
});

test('a full queue drops the newest samples and counts them exactly', async () => {
  const ledger = open({ dir: folder(), queueRows: 10, batchMs: 60_000 });
  const rows = Array.from({ length: 25 }, (_, i) => ({ at: i, scope: 'process', bytes: i }));
  expect(ledger.sample(rows)).toBe(10);
  expect(ledger.sample({ at: Number.NaN, scope: 'process', bytes: 1 })).toBe(0);
  expect(ledger.health.samples).toEqual({ taken: 25, written: 0, queued: 10, dropped: 15, malformed: 1 });
  const flushed = ledger.flush();
  // The batch under way counts against the bound until it is confirmed.
  expect(ledger.sample(rows)).toBe(0);
  expect(await flushed).toBe(true);
  expect(ledger.sample(rows)).toBe(10);
  await ledger.close();
  expect(ledger.health.samples).toEqual({ taken: 75, written: 20, queued: 0, dropped: 55, malformed: 1 });
});

test('a burst of audit entries larger than the queue loses none', async () => {
  const dir = folder();
  const ledger = open({ dir, queueAudits: 5 });
  await Promise.all(Array.from({ length: 60 }, (_, i) => ledger.audit(level(i))));
  const { audit } = ledger.health;
  expect(audit).toMatchObject({ taken: 60, queued: 0, refused: 0 });
  expect(audit.written + audit.spilled).toBe(60);
  expect(audit.spilled).toBeGreaterThan(0);
  await until(
    () =>
      readdirSync(dir).every((name) => !name.startsWith('audit.pending')) ||
      (void ledger.audit({ kind: 'tick' }), false),
  );
  expect(stored(dir).sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i));
});

test.each(['crash', 'crash-after'])(
  'a writer that dies (%s) is started again and nothing is lost or doubled',
  async (kind) => {
    const dir = folder();
    const ledger = open({ dir, batchMs: 10 }, crash);
    await ledger.audit(level(0));
    ledger.sample({ at: 1, scope: 'process', bytes: 1 });
    const pending = [ledger.audit(level(1)), ledger.audit({ kind }), ledger.audit(level(2))];
    await Promise.all(pending);
    ledger.sample({ at: 2, scope: 'process', bytes: 2 });
    await until(() => ledger.health.state === 'ready' && ledger.health.restarts > 0);
    await ledger.audit(level(3));
    expect(await ledger.close()).toBe(true);
    expect(ledger.health.samples).toMatchObject({ taken: 2, written: 2, dropped: 0 });
    expect(stored(dir).sort((a, b) => a - b)).toEqual([0, 1, 2, 3]);
    using reader = new LedgerReader(dir);
    expect(reader.audit({ kinds: [kind] })).toHaveLength(1);
    expect([...reader.samples()].map((row) => row.bytes)).toEqual([1, 2]);
  },
);

test('without any writer audit entries wait in the journal and the next ledger takes them in', async () => {
  const dir = folder();
  const ledger = open({ dir }, nothing);
  await ledger.audit(level(1));
  await until(() => ledger.health.state === 'down');
  await ledger.audit(level(2));
  ledger.sample({ at: 1, scope: 'process', bytes: 1 });
  expect(ledger.health).toMatchObject({ audit: { spilled: 2, queued: 0 }, samples: { queued: 1 } });
  expect(ledger.health.lastError).toContain('does-not-exist');
  expect(await ledger.close(10)).toBe(false);
  expect(ledger.health.samples).toMatchObject({ dropped: 1, queued: 0 });
  const next = open({ dir });
  await next.audit(level(3));
  await next.close();
  expect(stored(dir)).toEqual([1, 2, 3]);
});

test('a writer that hangs is not waited for: entries go to the journal at the deadline, close keeps its own', async () => {
  const dir = folder();
  const ledger = open({ dir, auditDeadlineMs: 30 }, silent);
  await ledger.audit(level(1));
  expect(ledger.health.audit).toMatchObject({ written: 0, spilled: 1 });
  void ledger.audit(level(2)).catch(() => undefined);
  ledger.sample({ at: 1, scope: 'process', bytes: 1 });
  // Timers end in the order of their moments, also when all of them are late; a close without a deadline of its own takes five seconds.
  const tooLate = new Promise((done) => void setTimeout(done, 4900, 'late'));
  expect(await Promise.race([ledger.close(20), tooLate])).toBe(false);
  const journal = readdirSync(dir).find((name) => name.startsWith('audit.pending'));
  expect(journal).toBeDefined();
});

test('a process waits for close, also when the writer confirms an entry of the journal meanwhile', () => {
  const code = `
    import { setTimeout as pause } from 'node:timers/promises';
    import { Ledger } from ${JSON.stringify(new URL('./ledger.ts', import.meta.url).href)};
    const writer = new URL(${JSON.stringify(late.href)});
    const ledger = new Ledger({ dir: ${JSON.stringify(folder())}, auditDeadlineMs: 30 }, writer);
    while (ledger.health.state !== 'ready') await pause(5);
    await ledger.audit({ kind: 'level', body: {} });
    console.log(ledger.health.audit.spilled, await ledger.close());`;
  const args = ['--conditions=plimsoll-source', '--input-type=module', '-e', code];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '1 true\n' });
});

test('a folder that cannot be written is a warning, a late promise and a bounded queue', async () => {
  const warnings: string[] = [];
  const hear = (warning: Error & { code?: string }): void => void warnings.push(warning.code ?? '');
  process.on('warning', hear);
  onTestFinished(() => void process.off('warning', hear));
  const parent = folder();
  writeFileSync(join(parent, 'file'), '');
  const ledger = open({ dir: join(parent, 'file', 'ledger'), auditDeadlineMs: 40, queueAudits: 2 });
  const late = [ledger.audit(level(1)), ledger.audit(level(2))];
  await expect(ledger.audit(level(3))).rejects.toMatchObject({ code: 'PLM_LEDGER_AUDIT_REFUSED' });
  for (const promise of late) await expect(promise).rejects.toMatchObject({ code: 'PLM_LEDGER_AUDIT_LATE' });
  await until(() => ledger.health.lastError !== undefined);
  expect(ledger.sample({ at: 1, scope: 'process', bytes: 1 })).toBe(1);
  expect(ledger.health).toMatchObject({ audit: { queued: 2, refused: 1 }, samples: { queued: 1 } });
  expect(await ledger.close(10)).toBe(false);
  expect(warnings).toEqual(['PLM_LEDGER_UNWRITABLE']);
});

test('a folder that becomes writable gets what has waited', async () => {
  const parent = folder();
  writeFileSync(join(parent, 'ledger'), '');
  const ledger = open({ dir: join(parent, 'ledger'), auditDeadlineMs: 20, batchMs: 10 });
  await expect(ledger.audit(level(1))).rejects.toMatchObject({ code: 'PLM_LEDGER_AUDIT_LATE' });
  ledger.sample({ at: 1, scope: 'process', bytes: 1 });
  await until(() => ledger.health.state === 'down');
  rmSync(join(parent, 'ledger'));
  await until(() => ledger.health.state === 'ready');
  expect(await ledger.close()).toBe(true);
  expect(stored(join(parent, 'ledger'))).toEqual([1]);
  expect(ledger.health.samples).toMatchObject({ written: 1 });
});

test('entries that cannot be stored are refused in words', async () => {
  const ledger = open({ dir: folder(), maxBodyChars: 300 });
  const refused = async (entry: AuditEntry): Promise<string> =>
    ledger.audit(entry).then(() => 'taken', String);
  expect(await refused({ kind: 'note', body: { text: 'x'.repeat(400) } })).toContain(
    'PLM_LEDGER_AUDIT_REFUSED: the audit entry "note" was refused: its body has 411 characters of JSON, at most 300 are stored.',
  );
  const loop: Record<string, unknown> = {};
  loop['loop'] = loop;
  expect(await refused({ kind: 'note', body: loop as never })).toContain('its body is no JSON');
  await ledger.close();
  expect(await refused({ kind: 'note' })).toContain('the ledger is closed');
  expect(ledger.sample(processAt(1, 1))).toBe(0);
  expect(ledger.health.audit.refused).toBe(3);
});

test('two ledgers in one folder share the files and one chain', async () => {
  const dir = folder();
  const [one, two] = [open({ dir }), open({ dir })];
  await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? one : two).audit(level(i))));
  one.sample({ at: 1, scope: 'process', bytes: 1 });
  two.sample({ at: 1, scope: 'process', bytes: 2 });
  await Promise.all([one.close(), two.close()]);
  expect(stored(dir).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  using reader = new LedgerReader(dir);
  expect(reader.growth().tooShort).toBe(2);
  expect(new Set(reader.runs().map((row) => row.run))).toEqual(new Set([one.run, two.run]));
});

test('a file held by another process delays samples and loses none', async () => {
  const dir = folder();
  const ledger = open({ dir, batchMs: 10 });
  ledger.sample({ at: 1, scope: 'process', bytes: 1 });
  await ledger.flush();
  const other = new Database(join(dir, 'samples.db'));
  other.exec('BEGIN IMMEDIATE');
  ledger.sample({ at: 2, scope: 'process', bytes: 2 });
  expect(await ledger.flush(100)).toBe(false);
  other.exec('ROLLBACK');
  other.close();
  expect(await ledger.flush()).toBe(true);
  expect(ledger.health.samples.written).toBe(2);
});

test('a batch the file refuses is kept and sent again', async () => {
  const ledger = open({ dir: folder(), batchMs: 10, maxBytes: 1, queueRows: 60_000 });
  const rows = Array.from({ length: 40_000 }, (_, i) => ({ at: i, scope: 'process', bytes: 2 ** 40 + i }));
  await ledger.audit(level(0));
  ledger.sample(rows);
  await until(() => ledger.health.lastError !== undefined);
  expect(await ledger.flush(50)).toBe(false);
  expect(ledger.health.lastError).toBe('samples: database or disk is full');
  expect(ledger.health.samples).toMatchObject({ queued: 40_000, written: 0, dropped: 0 });
});

test('a damaged file is a warning with its new name, and the ledger goes on', async () => {
  const warnings: Error[] = [];
  const hear = (warning: Error): void => void warnings.push(warning);
  process.on('warning', hear);
  onTestFinished(() => void process.off('warning', hear));
  const dir = folder();
  writeFileSync(join(dir, 'samples.db'), 'x'.repeat(10_000));
  const ledger = open({ dir });
  ledger.sample(processAt(1, 1));
  expect(await ledger.close()).toBe(true);
  expect(warnings.map((warning) => warning.message)).toEqual([
    expect.stringMatching(/^samples\.db is damaged; it was set aside and a new one was started\./),
  ]);
});

/** What process.exit would call for this ledger: the listener it added last. */
function exitListener(): () => void {
  return process.listeners('exit').at(-1) as () => void;
}

test('at exit the writer gets a moment, and then everything is on disk without another turn of the loop', async () => {
  const dir = folder();
  const ledger = open({ dir, exitWaitMs: 2000 });
  await ledger.audit(level(0));
  void ledger.audit(level(1));
  void ledger.audit(level(2));
  ledger.sample({ at: 1, scope: 'process', bytes: 1 });
  exitListener()();
  expect(stored(dir)).toEqual([0, 1, 2]);
  using reader = new LedgerReader(dir);
  expect([...reader.samples()]).toHaveLength(1);
});

test('at exit entries that no writer confirms in time go to the journal; without a folder for it the exit goes on', async () => {
  const dir = folder();
  const hung = open({ dir, exitWaitMs: 20 }, silent);
  await until(() => hung.health.state === 'ready');
  void hung.audit(level(1));
  exitListener()();
  const name = readdirSync(dir).find((item) => item.startsWith('audit.pending')) as string;
  expect(readFileSync(join(dir, name), 'utf8')).toContain('"i\\":1');
  writeFileSync(join(dir, 'file'), '');
  const lost = open({ dir: join(dir, 'file', 'ledger'), exitWaitMs: 0 }, silent);
  void lost.audit(level(1));
  expect(exitListener()).not.toThrow();
});

test('a journal whose folder vanishes before it reaches the disk is no confirmation', async () => {
  const dir = join(folder(), 'ledger');
  const ledger = open({ dir }, nothing);
  await until(() => ledger.health.state === 'down');
  const promise = ledger.audit(level(1));
  const name = readdirSync(dir).find((item) => item.startsWith('audit.pending')) as string;
  rmSync(join(dir, name));
  mkdirSync(join(dir, name));
  await expect(promise).rejects.toMatchObject({ code: 'PLM_LEDGER_AUDIT_LATE' });
});
