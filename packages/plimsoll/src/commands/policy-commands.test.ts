import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { policyJsonSchema } from '@plimsoll/govern/internal/policy/json-schema';
import type { Io } from '../io.ts';
import { runProgram } from '../program.ts';
import { addCheckCommand } from './check.ts';
import { addExplainCommand } from './explain.ts';
import { addInitCommand } from './init.ts';

function folder(policy?: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-cli-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  if (policy !== undefined) writeFileSync(join(dir, 'plimsoll.yaml'), policy);
  return dir;
}

async function cli(cwd: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const chunks = { out: '', err: '' };
  stdout.on('data', (chunk: Buffer) => (chunks.out += String(chunk)));
  stderr.on('data', (chunk: Buffer) => (chunks.err += String(chunk)));
  const io: Io = { stdout, stderr, stdin: new PassThrough(), env: {}, cwd };
  const code = await runProgram(args, io, [addInitCommand, addCheckCommand, addExplainCommand], '0.0.0');
  return { code, ...chunks };
}

const policy = `apiVersion: plimsoll/v1
revision: 3
mode: shadow
budgets:
  agents:
    "*": { max: 64MiB, idle: 5m }
    "research-*": { max: 96MiB, priority: sheddable }
  sessions:
    "*": { max: 128MiB }
    vip: { idle: 1h }
ladder:
  warning: [ notify: { mode: enforce } ]
`;

describe('init', () => {
  test('writes a policy that check accepts, and the schema beside it', async () => {
    const dir = folder();
    expect(await cli(dir, 'init')).toMatchInlineSnapshot(`
      {
        "code": 0,
        "err": "",
        "out": "wrote plimsoll.yaml and plimsoll.schema.json
      next: plimsoll run --policy plimsoll.yaml -- node server.js
      ",
      }
    `);
    expect(await cli(dir, 'check')).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(readFileSync(join(dir, 'plimsoll.schema.json'), 'utf8'))).toEqual(policyJsonSchema());
    expect(readFileSync(join(dir, 'plimsoll.yaml'), 'utf8')).toContain('$schema=./plimsoll.schema.json');
  });

  test('--from converts a policy with memory_budgets and says what changed', async () => {
    const dir = folder();
    const old =
      'memory_budgets:\n  global: { max_memory_mb: 512, warning_threshold_percent: 80, critical_threshold_percent: 95 }\n  services: { messaging: 100MB }\n';
    writeFileSync(join(dir, 'old.yaml'), old);
    const { code, out } = await cli(dir, 'init', '--from', 'old.yaml');
    expect(code).toBe(0);
    expect(out).toContain('line 3: service "messaging": 100MB became max: 100MiB.');
    expect(await cli(dir, 'check')).toMatchObject({ code: 0, err: '' });
    const json = await cli(dir, 'init', '--from', 'old.yaml', '--force', '--json');
    expect(JSON.parse(json.out)).toMatchObject({ policy: 'plimsoll.yaml', changes: expect.any(Array) });
    expect(await cli(dir, 'init', '--from', '/dev/zero', '--force')).toMatchObject({
      code: 1,
      err: expect.stringContaining('it is a character device, not a regular file'),
    });
  });

  test('check of a device or a FIFO is refused at once', async () => {
    const { code, err } = await cli(folder(), 'check', '/dev/zero');
    expect(code).toBe(1);
    expect(err).toContain('PLM_POLICY_UNREADABLE: the policy could not be read: it is a character device');
  });

  test('never overwrites a policy by itself', async () => {
    const dir = folder('mine');
    expect(await cli(dir, 'init')).toMatchInlineSnapshot(`
      {
        "code": 1,
        "err": "PLM_POLICY_EXISTS: the file exists already.
        at:  plimsoll.yaml
        fix: pass --force to overwrite it, or another path.
      ",
        "out": "",
      }
    `);
    expect(readFileSync(join(dir, 'plimsoll.yaml'), 'utf8')).toBe('mine');
    expect((await cli(dir, 'init', '--force')).code).toBe(0);
    expect(readFileSync(join(dir, 'plimsoll.yaml'), 'utf8')).toContain('apiVersion');
  });

  test('makes folders, prints JSON, and says when a file cannot be written', async () => {
    const dir = folder('');
    expect(await cli(dir, 'init', 'ops/memory.yaml', '--json')).toMatchInlineSnapshot(`
      {
        "code": 0,
        "err": "",
        "out": "{"policy":"ops/memory.yaml","schema":"ops/plimsoll.schema.json"}
      ",
      }
    `);
    expect(await cli(dir, 'init', 'plimsoll.yaml/x.yaml')).toMatchInlineSnapshot(`
      {
        "code": 1,
        "err": "PLM_CLI_CANNOT_WRITE: plimsoll.yaml/x.yaml could not be written: EEXIST: file already exists.
        at:  plimsoll.yaml/x.yaml
        fix: check that its folder exists and may be written.
      ",
        "out": "",
      }
    `);
  });
});

describe('check', () => {
  test('sums up a policy that is fine, with what it probably does not mean', async () => {
    const { code, out } = await cli(folder(policy), 'check', 'plimsoll.yaml');
    expect(code).toBe(0);
    expect(out.replace(/sha256 \w+/, 'sha256 ...')).toMatchInlineSnapshot(`
      "plimsoll.yaml is fine: revision 3, mode shadow, sha256 ...
      levels
        warning   from 60 % for 30 s, until below 55 % for 1 m
        critical  from 80 % for 10 s, until below 75 % for 1 m
        emergency from 95 % for 2 s, until below 90 % for 1 m
      budgets, most specific first within a kind
        scope                max                      priority   idle  line
        process              100 % of the true limit  -          -     built-in
        agents "research-*"  96.0 MiB                 sheddable  -     7
        agents "*"           64.0 MiB                 -          5 m   6
        sessions "vip"       -                        -          1 h   10
        sessions "*"         128.0 MiB                -          -     9
      ladder
        warning   notify (enforce)
      note: plimsoll.yaml:9: sessions "*" may hold 128.0 MiB, but no agent more than 96.0 MiB: inside one of the agents the smaller number counts.
      next: plimsoll replay --policy plimsoll.yaml, to see what it would have done so far
      "
    `);
  });

  test('a policy with nothing in it', async () => {
    const { out } = await cli(folder('apiVersion: plimsoll/v1'), 'check');
    expect(out.replace(/sha256 \w+/, 'sha256 ...')).toMatchInlineSnapshot(`
      "plimsoll.yaml is fine: revision 0, mode observe, sha256 ...
      levels
        warning   from 60 % for 30 s, until below 55 % for 1 m
        critical  from 80 % for 10 s, until below 75 % for 1 m
        emergency from 95 % for 2 s, until below 90 % for 1 m
      budgets, most specific first within a kind
        scope    max                      priority  idle  line
        process  100 % of the true limit  -         -     built-in
      next: plimsoll replay --policy plimsoll.yaml, to see what it would have done so far
      "
    `);
  });

  test('names every fault with its place and ends with 1', async () => {
    const dir = folder(`${policy}mood: x\nsignal: { sample: 5 }\n`);
    expect(await cli(dir, 'check')).toMatchInlineSnapshot(`
      {
        "code": 1,
        "err": "PLM_POLICY_SEVERAL: the policy has 2 faults.
        at:  plimsoll.yaml
        fix: correct each of these.

      PLM_POLICY_UNKNOWN_KEY: "mood" is not a key of a policy.
        at:  plimsoll.yaml:13:1
        fix: remove it. Keys of a policy: apiVersion, revision, release, mode, limits, levels, signal, budgets, admission, ladder, approvals, settle, guards, ledger, sessions, adapters, alerts, rollback, exempt.

      PLM_POLICY_NO_UNIT: 5 has no unit.
        at:  plimsoll.yaml:14:19  signal.sample
        fix: write the unit you mean, such as 5s.
      ",
        "out": "",
      }
    `);
    const { code, out, err } = await cli(dir, 'check', '--json');
    expect([code, err]).toEqual([1, '']);
    expect(JSON.parse(out)).toMatchObject({
      file: 'plimsoll.yaml',
      ok: false,
      problems: [
        { code: 'PLM_POLICY_UNKNOWN_KEY', line: 13, column: 1 },
        { code: 'PLM_POLICY_NO_UNIT', line: 14, column: 19 },
      ],
    });
  });

  test('JSON of a good policy and of a missing file', async () => {
    const { out } = await cli(folder(policy), 'check', '--json');
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      revision: 3,
      mode: 'shadow',
      ladder: { warning: ['notify (enforce)'] },
    });
    const missing = await cli(folder(), 'check', '--json');
    expect(missing.code).toBe(1);
    expect(JSON.parse(missing.out)).toMatchObject({
      ok: false,
      problems: [{ code: 'PLM_POLICY_UNREADABLE', line: 0 }],
    });
    expect(await cli(folder(), 'check')).toMatchInlineSnapshot(`
      {
        "code": 1,
        "err": "PLM_POLICY_UNREADABLE: the policy could not be read: ENOENT: no such file or directory.
        at:  plimsoll.yaml
        fix: check the path and its permissions; "plimsoll init" writes a policy to start from.
      ",
        "out": "",
      }
    `);
  });
});

describe('explain', () => {
  test('which rule gave which number, and why others did not', async () => {
    const { code, out } = await cli(
      folder(policy),
      'explain',
      'process/agent:research-1/session:42',
      '--limit',
      '1GiB',
    );
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "process/agent:research-1/session:42
        max       96.0 MiB   from agents "research-*" (plimsoll.yaml:7); its own rule says 128.0 MiB (plimsoll.yaml:9); agent:research-1 around it is lower
        priority  sheddable  from agents "research-*" (plimsoll.yaml:7)
        idle      5 m        from agents "*" (plimsoll.yaml:6)
      rules that gave nothing
        sessions "vip" (plimsoll.yaml:10): does not match "42"
      policy plimsoll.yaml, revision 3, mode shadow
      "
    `);
  });

  test('without a policy file the built-in one is explained', async () => {
    expect((await cli(folder(), 'explain', 'agent:a')).out).toMatchInlineSnapshot(`
      "process/agent:a
        max       100 % of the true limit  from built-in; no rule of its own; bounded by the process
        priority  normal                   from built-in
        idle      never                    from built-in
      policy built-in, revision 0, mode observe
      "
    `);
  });

  test('JSON, another file, and bad words', async () => {
    const dir = folder(policy);
    const { out } = await cli(dir, 'explain', 'agent:a', '--policy', 'plimsoll.yaml', '--json');
    expect(JSON.parse(out)).toMatchObject({ path: 'process/agent:a', policy: { revision: 3 } });
    expect((await cli(dir, 'explain', 'planner')).err).toMatchInlineSnapshot(`
      "PLM_POLICY_BAD_SCOPE_PATH: "planner" is not a step of a scope path; a step is kind:name.
        at:  planner
        fix: write it like "process/agent:planner/session:42".
      "
    `);
    expect((await cli(dir, 'explain', 'agent:a', '--limit', '12')).err).toMatchInlineSnapshot(`
      "PLM_CLI_BAD_OPTION: --limit is "12"; it has to be a size with a unit such as 512MiB.
        at:  --limit
        fix: pass a size with a unit such as 512MiB.
      "
    `);
    expect((await cli(dir, 'explain', 'agent:a', '--policy', 'gone.yaml')).code).toBe(1);
  });
});
