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
    timeout: 15_000,
    env: { ...process.env, ...options.env },
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

async function levels(dir: string): Promise<unknown[]> {
  const ledger = openLedger({ dir });
  await ledger.audit({ kind: 'reopened' });
  await ledger.close();
  using reader = new LedgerReader(dir);
  expect(reader.verifyChain()).toMatchObject({ ok: true });
  return reader.audit({ kinds: ['level'] }).map((row) => row.body['i']);
}

test('a ledger does not keep a process alive, and says nothing', () => {
  const dir = folder();
  const began = performance.now();
  expect(live('idle', dir)).toEqual({ code: 0, out: '', err: '' });
  expect(performance.now() - began).toBeLessThan(10_000);
});

test('a process that awaits an audit entry lives until it is durable', async () => {
  const dir = folder();
  expect(live('await', dir)).toEqual({ code: 0, out: 'durable\n', err: '' });
  expect(await levels(dir)).toEqual([1]);
});

test.each(['exit', 'exit-later'])(
  'process.exit without close (%s) loses neither audit entries nor samples',
  async (what) => {
    const dir = folder();
    expect(live(what, dir)).toEqual({ code: 7, out: '', err: '' });
    expect(((await levels(dir)) as number[]).sort()).toEqual([0, 1, 2, 3, 4]);
    using reader = new LedgerReader(dir);
    if (what === 'exit-later') expect([...reader.samples()]).toHaveLength(1);
  },
);

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

test('a full disk: confirmed entries are kept, the others are said, and the process goes on', async () => {
  const dir = folder();
  const script = `mount -t tmpfs -o size=600k tmpfs "$1" && shift && "$@"; code=$?; mkdir -p "$KEEP" && cp -a "$LEDGER"/. "$KEEP"/; exit $code`;
  const run = spawnSync(
    'unshare',
    [
      '-rm',
      'sh',
      '-c',
      script,
      'sh',
      dir,
      process.execPath,
      '--conditions=plimsoll-source',
      fixture,
      'fill',
      join(dir, 'ledger'),
    ],
    {
      encoding: 'utf8',
      timeout: 40_000,
      env: { ...process.env, LEDGER: join(dir, 'ledger'), KEEP: `${dir}-kept` },
    },
  );
  onTestFinished(() => rmSync(`${dir}-kept`, { recursive: true, force: true }));
  const lines = run.stdout.trimEnd().split('\n');
  const last = JSON.parse(lines.at(-1) ?? '{}') as { answers: Record<string, number>; error: string };
  expect({ code: run.status, error: last.error }).toEqual({
    code: 0,
    error: expect.stringMatching(/full|disk I\/O/) as string,
  });
  const confirmed = lines.filter((line) => line.startsWith('audit ')).map((line) => Number(line.slice(6)));
  expect(confirmed.length).toBeGreaterThan(5);
  expect(last.answers['PLM_LEDGER_AUDIT_LATE']).toBe(2);
  const kept = new Set(await levels(`${dir}-kept`));
  expect(confirmed.filter((i) => !kept.has(i))).toEqual([]);
}, 60_000);
