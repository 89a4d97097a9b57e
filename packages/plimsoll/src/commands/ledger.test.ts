import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { storedFields } from '@plimsoll/core/internal/sense/reading-fields';
import { openLedger } from '@plimsoll/ledger';
import type { AuditEntry } from '@plimsoll/ledger';
import type { Io } from '../io.ts';
import { runProgram } from '../program.ts';
import { addLedgerCommand } from './ledger.ts';

const t0 = Date.parse('2026-07-01T10:00:00Z');
const MiB = 1024 ** 2;
const limit = 200 * MiB;

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-cli-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Runs the verb in a folder and collects what it wrote. */
async function cli(cwd: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const chunks = { out: '', err: '' };
  stdout.on('data', (chunk: Buffer) => (chunks.out += String(chunk)));
  stderr.on('data', (chunk: Buffer) => (chunks.err += String(chunk)));
  const io: Io = { stdout, stderr, stdin: new PassThrough(), env: {}, cwd };
  const code = await runProgram(['ledger', ...args], io, [addLedgerCommand], '0.0.0');
  return { code, ...chunks };
}

/** The run of a server with a leak in one agent, ten minutes long, ended by its memory limit. */
async function leakingRun(dir: string, exit: AuditEntry | undefined): Promise<number> {
  const ledger = openLedger({ dir });
  const events: AuditEntry[] = [
    {
      kind: 'start',
      at: t0,
      body: { pid: 2 ** 30, command: 'node server.js', limit, limitSource: '0.80 of old space' },
    },
    { kind: 'policy', at: t0 + 1, body: { file: 'plimsoll.yaml', revision: 3 } },
    {
      kind: 'level',
      at: t0 + 300_000,
      scope: 'process/agent:planner',
      body: { from: 'normal', to: 'warning', usedBytes: 80 * MiB, limit: 100 * MiB },
    },
    {
      kind: 'level',
      at: t0 + 420_000,
      body: { from: 'normal', to: 'critical', usedBytes: 146 * MiB, limit },
    },
    {
      kind: 'finding',
      at: t0 + 430_000,
      scope: 'process/agent:planner',
      body: { severity: 'high', kind: 'growth', bytes: 90 * MiB },
    },
    {
      kind: 'action',
      at: t0 + 440_000,
      scope: 'process/agent:planner',
      body: { action: 'evict', outcome: 'done', freedBytes: 3 * MiB },
    },
    ...(exit === undefined ? [] : [exit]),
  ];
  for (const event of events) await ledger.audit(event);
  for (let i = 0; i < 600; i++) {
    const at = t0 + i * 1000;
    const used = Math.round((40 + i / 4 + (i % 8)) * MiB);
    const parts = { heapUsed: used, external: 0, arrayBuffers: 0, rss: used, loopDelayMs: 1 };
    ledger.sample([
      { at, scope: 'process', usedBytes: used, limit, floor: Math.round((38 + i / 4) * MiB), ...parts },
      { at, scope: 'process/agent:planner', bytes: Math.round((20 + i / 5) * MiB) },
    ]);
  }
  await ledger.close();
  return ledger.run;
}

const withoutHost = (text: string): string =>
  text.replace(/pid \d+ on \S+/, 'pid N on HOST').replace(/(time +).*/, '$1SPAN');

test('the summary tells a run that was ended by its memory', async () => {
  const cwd = folder();
  const exit = {
    kind: 'exit',
    at: t0 + 600_000,
    body: { code: null, signal: 'SIGABRT', suspectedOutOfMemory: true, reason: 'heap limit' },
  };
  await leakingRun(join(cwd, '.plimsoll/ledger'), exit);
  const { code, out, err } = await cli(cwd, 'summary');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(withoutHost(out)).toMatchInlineSnapshot(`
    "run       node server.js, pid N on HOST
    time      SPAN
    end       ended by SIGABRT, suspected out of memory (heap limit) at 10:10:00
    limit     200.0 MiB (0.80 of old space)
    start     40.0 MiB of 200.0 MiB (20 %)
    peak      196.8 MiB of 200.0 MiB (98 %) at 10:09:59
    last      196.8 MiB of 200.0 MiB (98 %) at 10:09:59
    growth    process +900.0 MiB per hour of floor (r² 1.00, 600 points over 9 m 59 s)
              fastest scope process/agent:planner +720.0 MiB per hour of bytes (r² 1.00, 600 points over 9 m 59 s)
    levels    10:05:00  process/agent:planner: normal -> warning, 80.0 MiB of 100.0 MiB (80 %)
              10:07:00  process: normal -> critical, 146.0 MiB of 200.0 MiB (73 %)
    findings  10:07:10  process/agent:planner: high, growth, 90.0 MiB
    actions   10:07:20  process/agent:planner: evict, done, freed 3.0 MiB
    also      10:00:00  policy process: file plimsoll.yaml, revision 3
    scopes    2 scopes, 1,200 samples
              scope          scopes  samples       min    average        p95        max       last
              process             1      600  40.0 MiB  118.4 MiB  185.8 MiB  196.8 MiB  196.8 MiB
              agent:planner       1      600  20.0 MiB   79.9 MiB  133.8 MiB  139.8 MiB  139.8 MiB
    "
  `);
});

test('a named run is told, and one whose process lives is still running', async () => {
  const cwd = folder();
  const run = await leakingRun(join(cwd, 'ledger'), undefined);
  await leakingRun(join(cwd, 'ledger'), undefined);
  const { out } = await cli(cwd, 'summary', '--dir', '.', '--by', 'kind', '--run', String(run));
  expect(out).toContain('end       still running');
  expect(out).toMatch(/earlier +1 more runs in this ledger: --run \d+/);
});

test('growth is a table per scope', async () => {
  const cwd = folder();
  await leakingRun(join(cwd, '.plimsoll/ledger'), undefined);
  const { out } = await cli(cwd, 'growth', '--dir', '.plimsoll');
  expect(out).toMatchInlineSnapshot(`
    "growth per hour, 2026-07-01 10:00:00Z to 2026-07-01 10:09:59Z (9 m 59 s)
    scope                    per hour  ± error    r²      from         to      over  points  of
    process                +900.0 MiB      1 B  1.00  38.0 MiB  187.7 MiB  9 m 59 s     600  floor
    process/agent:planner  +720.0 MiB      1 B  1.00  20.0 MiB  139.8 MiB  9 m 59 s     600  bytes
    "
  `);
  const json = JSON.parse((await cli(cwd, 'growth', '--json')).out) as { rows: { bytesPerHour: number }[] };
  expect(json.rows[0]?.bytesPerHour).toBeCloseTo(900 * MiB, -3);
  expect((await cli(cwd, 'growth', '--limit', '1')).out).toContain('... 1 more (--limit)');
  expect((await cli(cwd, 'growth', '--since', '2020-01-01', '--until', '2020-01-02')).out).toContain(
    'no scope has three samples',
  );
});

test('verify says that the chain is whole, with its head', async () => {
  const cwd = folder();
  await leakingRun(join(cwd, '.plimsoll/ledger'), undefined);
  const { code, out } = await cli(cwd, 'verify');
  expect(code).toBe(0);
  expect(out).toMatch(/^6 audit entries, the chain is whole\nhead 6 [0-9a-f]{64}\n$/);
  expect(JSON.parse((await cli(cwd, 'verify', '--json')).out)).toMatchObject({
    ok: true,
    rows: 6,
    prunedUpTo: 0,
  });
});

test('verify compares the chain with heads that were kept elsewhere, and says which file it accepts', async () => {
  const cwd = folder();
  await leakingRun(join(cwd, '.plimsoll/ledger'), undefined);
  const hash = / ([0-9a-f]{64})\n$/.exec((await cli(cwd, 'verify')).out)?.[1];
  const anchors = join(cwd, 'anchors');
  writeFileSync(anchors, `${JSON.stringify({ seq: 6, hash })}\n\n`);
  expect((await cli(cwd, 'verify', '--anchors', 'anchors')).code).toBe(0);
  writeFileSync(anchors, `${JSON.stringify({ seq: 6, hash: '0'.repeat(64) })}\n`);
  const other = await cli(cwd, 'verify', '--anchors', 'anchors');
  expect([other.code, other.err]).toEqual([2, expect.stringContaining('PLM_LEDGER_CHAIN_BROKEN') as string]);
  writeFileSync(anchors, '{"seq":"six"}\n');
  expect((await cli(cwd, 'verify', '--anchors', 'anchors')).err).toContain('lines such as {"seq":118');
  expect((await cli(cwd, 'verify', '--anchors', 'nowhere')).err).toContain('a file that can be read');
});

test('verify names the entry that was changed and ends with 2', async () => {
  const cwd = folder();
  const dir = join(cwd, '.plimsoll/ledger');
  await leakingRun(dir, undefined);
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const db = new DatabaseSync(join(dir, 'audit.db'));
  db.exec("DROP TRIGGER audit_no_update; UPDATE audit SET body = '{}' WHERE seq = 3");
  db.close();
  const { code, err } = await cli(cwd, 'verify');
  expect(code).toBe(2);
  expect(err.replaceAll(cwd, 'DIR')).toMatchInlineSnapshot(`
    "PLM_LEDGER_CHAIN_BROKEN: entry 3 was changed after it was written; the 2 before it are whole.
      at:  DIR/.plimsoll/ledger/audit.db
      fix: restore audit.db from a backup and find out who may write the file.
    "
  `);
  const json = await cli(cwd, 'verify', '--json');
  expect([json.code, (JSON.parse(json.out) as { ok: boolean }).ok, json.err]).toEqual([2, false, '']);
});

test('export writes lines of JSON or CSV', async () => {
  const cwd = folder();
  const run = await leakingRun(join(cwd, '.plimsoll/ledger'), undefined);
  const ndjson = (await cli(cwd, 'export')).out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(ndjson).toHaveLength(1206);
  expect(ndjson[0]).toMatchObject({
    type: 'sample',
    at: t0,
    run,
    scope: 'process',
    bytes: 40 * MiB,
    limit,
    loopDelayMs: 1,
  });
  expect(ndjson.at(-1)).toMatchObject({ type: 'audit', kind: 'action', body: { action: 'evict' } });
  const csv = (
    await cli(
      cwd,
      'export',
      '--format',
      'csv',
      '--scope',
      'process/agent:planner',
      '--until',
      '2026-07-01T10:00:01Z',
    )
  ).out;
  const fields = storedFields.map(({ name }) => name);
  expect(csv.split('\n')).toEqual([
    ['at', 'run', 'scope', 'bytes', ...fields, 'level'].join(),
    [1782900000000, run, 'process/agent:planner', 20971520, ...fields.map(() => ''), ''].join(),
    '',
  ]);
  expect(fields.slice(0, 3)).toEqual(['limit', 'floor', 'heapUsed']);
  const audit = (await cli(cwd, 'export', '--format', 'csv', '--only', 'audit')).out.split('\n');
  expect(audit[0]).toBe('seq,at,run,kind,scope,body,hash');
  expect(audit[1]).toContain('"{""command"":""node server.js""');
  const file = await cli(cwd, 'export', '--only', 'audit', '--out', 'audit.ndjson');
  expect(file).toEqual({ code: 0, out: '', err: '6 lines written to audit.ndjson\n' });
  expect(statSync(join(cwd, 'audit.ndjson')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(cwd, 'audit.ndjson'), 'utf8').trimEnd().split('\n')).toHaveLength(6);
  expect((await cli(cwd, 'export', '--json', '--out', 'all.ndjson')).out).toContain('"lines": 1206');
});

test('bad input is three lines and exit code 1', async () => {
  const cwd = folder();
  expect((await cli(cwd, 'summary')).err.replaceAll(cwd, 'DIR')).toMatchInlineSnapshot(`
    "PLM_LEDGER_NOT_FOUND: there is no ledger here (no samples.db and no audit.db).
      at:  DIR/.plimsoll/ledger
      fix: run "plimsoll run -- node server.js" first, or point --dir at the folder that holds the ledger.
    "
  `);
  await leakingRun(join(cwd, '.plimsoll/ledger'), undefined);
  const answers: string[] = [];
  for (const args of [
    ['growth', '--since', 'yesterday'],
    ['summary', '--by', 'colour'],
    ['summary', '--run', '5'],
    ['growth', '--limit', '0'],
    ['export', '--format', 'xml'],
    ['export', '--out', 'no/such/folder/file'],
  ]) {
    const { code, err } = await cli(cwd, ...args);
    expect(code).toBe(1);
    answers.push(
      err
        .split('\n')[0]
        ?.replaceAll(cwd, 'DIR')
        .replace(/\d{6,}/, 'RUN') ?? '',
    );
  }
  expect(answers).toMatchInlineSnapshot(`
    [
      "PLM_CLI_BAD_OPTION: --since is "yesterday"; it has to be a duration such as "24h" or a time such as "2026-07-01T10:00:00Z".",
      "PLM_CLI_BAD_OPTION: --by is "colour"; it has to be one of kind, service, scope.",
      "PLM_CLI_BAD_OPTION: --run is "5"; it has to be one of RUN.",
      "PLM_CLI_BAD_OPTION: --limit is "0"; it has to be a whole number above 0.",
      "PLM_CLI_BAD_OPTION: --format is "xml"; it has to be one of ndjson, csv.",
      "PLM_CLI_CANNOT_WRITE: DIR/no/such/folder/file could not be written: ENOENT: no such file or directory, open 'DIR/no/such/folder/file'.",
    ]
  `);
});

test('an empty ledger says so', async () => {
  const cwd = folder();
  const ledger = openLedger({ dir: join(cwd, '.plimsoll/ledger') });
  await ledger.audit({ kind: 'note' });
  await ledger.close();
  expect((await cli(cwd, 'summary')).out.replaceAll(cwd, 'DIR')).toBe(
    'The ledger in DIR/.plimsoll/ledger holds no run yet.\n',
  );
  expect(JSON.parse((await cli(cwd, 'summary', '--json')).out)).toMatchObject({ story: null });
});
