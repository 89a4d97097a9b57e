import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { LedgerReader, openLedger } from '@plimsoll/ledger';

const fixture = fileURLToPath(new URL('./ledger-process.fixture.ts', import.meta.url));

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-process-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

interface Life {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function live(
  what: string,
  dir: string,
  options: { env?: NodeJS.ProcessEnv; uid?: number; flags?: string[] } = {},
): Life {
  const args = ['--conditions=plimsoll-source', ...(options.flags ?? []), fixture, what, dir];
  const done = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: 100_000,
    env: { ...process.env, ...options.env },
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

async function levels(dir: string): Promise<unknown[]> {
  const ledger = openLedger({ dir });
  await ledger.audit({ kind: 'reopened' });
  // On a loaded machine the writer may need longer than a program would wait for it.
  await ledger.close(60_000);
  using reader = new LedgerReader(dir);
  expect(reader.verifyChain()).toMatchObject({ ok: true });
  return reader.audit({ kinds: ['level'] }).map((row) => row.body['i']);
}

test('a ledger does not keep a process alive, and says nothing', () => {
  const dir = folder();
  // Kept alive it would be ended by the time limit of its life, without a code.
  expect(live('idle', dir)).toEqual({ code: 0, out: '', err: '' });
});

test('a process that awaits an audit entry lives until it is durable', async () => {
  const dir = folder();
  expect(live('await', dir)).toEqual({ code: 0, out: 'durable\n', err: '' });
  expect(await levels(dir)).toEqual([1]);
});

test.each([
  // Before the writer thread is up the journal takes the audit entries; samples may be lost when it needs too long.
  ['exit', 0],
  ['exit-later', 1],
])('process.exit without close (%s) loses no audit entry', async (what, samples) => {
  const dir = folder();
  expect(live(what, dir)).toEqual({ code: 7, out: '', err: '' });
  expect(((await levels(dir)) as number[]).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4]);
  using reader = new LedgerReader(dir);
  expect([...reader.samples()].length).toBeGreaterThanOrEqual(samples);
});

test('a preload of the host runs once, not again in the writer thread', () => {
  const dir = folder();
  const preload = join(dir, 'preload.mjs');
  const count = join(dir, 'count');
  writeFileSync(
    preload,
    `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(count)}, 'x');`,
  );
  const ways = [
    { flags: [`--import=${preload}`] },
    { env: { NODE_OPTIONS: `--import=${preload} --max-old-space-size=200` } },
  ];
  for (const [i, way] of ways.entries()) {
    writeFileSync(count, '');
    expect(live('await', join(dir, String(i)), way)).toEqual({ code: 0, out: 'durable\n', err: '' });
    expect(readFileSync(count, 'utf8')).toBe('x');
  }
});

test('a read-only folder is one warning; the process goes on and ends by itself', () => {
  const root = process.getuid?.() === 0;
  const dir = join(folder(), 'closed');
  mkdirSync(dir);
  chmodSync(join(dir, '..'), 0o755);
  chmodSync(dir, 0o555);
  onTestFinished(() => chmodSync(dir, 0o755));
  // Root may write everywhere, so the life is lived as nobody.
  const { code, out, err } = live('unwritable', join(dir, 'ledger'), root ? { uid: 65_534 } : {});
  expect({ code, out }).toEqual({ code: 0, out: 'PLM_LEDGER_AUDIT_LATE\nclosed false\n' });
  expect(err.match(/PLM_LEDGER_UNWRITABLE/g)).toHaveLength(1);
  expect(err).toContain('permission denied');
});

/** A disk of 600 KB where a user namespace may mount one, else a limit on the size of files, which SQLite meets as a failed write. */
function onSmallDisk(dir: string): { out: string; code: number | null; kept: string } {
  const kept = `${dir}-kept`;
  const life = [process.execPath, '--conditions=plimsoll-source', fixture, 'fill', join(dir, 'ledger')];
  const mount =
    'mount -t tmpfs -o size=600k tmpfs "$DISK" && "$@"; code=$?; cp -a "$DISK/ledger/." "$KEPT/"; exit $code';
  const limit =
    'trap "" XFSZ; ulimit -f 200; "$@"; code=$?; ulimit -f unlimited; cp -a "$DISK/ledger/." "$KEPT/"; exit $code';
  const namespaces = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', dir]).status === 0;
  const command =
    namespaces && process.env['PLIMSOLL_FULL_DISK'] !== 'ulimit'
      ? ['unshare', '-rm', 'sh', '-c', mount]
      : ['bash', '-c', limit];
  mkdirSync(kept);
  onTestFinished(() => rmSync(kept, { recursive: true, force: true }));
  const done = spawnSync(command[0] as string, [...command.slice(1), 'sh', ...life], {
    encoding: 'utf8',
    timeout: 100_000,
    env: { ...process.env, DISK: dir, KEPT: kept },
  });
  return { out: done.stdout, code: done.status, kept };
}

test('a full disk: confirmed entries are kept, the others are said, and the process goes on', async () => {
  const { out, code, kept } = onSmallDisk(folder());
  const lines = out.trimEnd().split('\n');
  const last = JSON.parse(lines.at(-1) ?? '{}') as { answers: Record<string, number>; error: string };
  expect({ code, error: last.error }).toEqual({
    code: 0,
    error: expect.stringMatching(/full|disk I\/O/) as string,
  });
  const confirmed = lines.filter((line) => line.startsWith('audit ')).map((line) => Number(line.slice(6)));
  expect(confirmed.length).toBeGreaterThan(5);
  expect(last.answers['PLM_LEDGER_AUDIT_LATE']).toBeGreaterThanOrEqual(2);
  const stored = new Set(await levels(kept));
  expect(confirmed.filter((i) => !stored.has(i))).toEqual([]);
});
