import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { untilRead } from '../../packages/plimsoll/src/run/program.fixture.ts';

const root = resolve(import.meta.dirname, '../..');

/** What a governed program has loaded of ours after its first readings, by folder, and which parts of Node.js came with it. */
const program = `
  import { Session } from 'node:inspector';
  ${untilRead(2)}
  const found = new Set();
  const session = new Session();
  session.connect();
  session.on('Debugger.scriptParsed', ({ params: { url } }) => found.add(url));
  session.post('Debugger.enable');
  const ours = [...found].filter((url) => url.startsWith('file:') && !url.endsWith('program.mjs'));
  const node = process.moduleLoadList.filter((name) => /undici\\/undici|http2|NativeModule https?$/.test(name));
  console.log(JSON.stringify({ ours, node }));
`;

function loadedBy(env: Readonly<Record<string, string>>): { ours: string[]; node: string[] } {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-footprint-'));
  const file = join(dir, 'program.mjs');
  writeFileSync(file, program);
  const register = join(root, 'packages/host/src/register.ts');
  const { stdout } = spawnSync(
    process.execPath,
    ['--conditions=plimsoll-source', '--import', register, file],
    {
      cwd: dir,
      encoding: 'utf8',
      timeout: 100_000,
      env: { ...process.env, NODE_V8_COVERAGE: '', PLIMSOLL_DIR: join(dir, '.plimsoll'), ...env },
    },
  );
  return JSON.parse(stdout) as { ours: string[]; node: string[] };
}

const acting =
  /govern\/src\/(?:alert|ladder|actions|approvals\/approval-desk|rollback\/rollback|policy\/(?:parse|yaml-tree))/;
const never =
  /govern\/src\/alert\/|leak\/src\/audit\/audit\.ts|ledger\/src\/read|proof\/growth-recorder|node_modules\/@a2a/;

test('a process without a policy loads nothing that acts, and no network of Node.js', () => {
  const { ours, node } = loadedBy({});
  expect(ours.some((url) => url.endsWith('host/src/host.ts'))).toBe(true);
  expect(ours.filter((url) => acting.test(url) || never.test(url) || url.includes('yaml'))).toEqual([]);
  expect(node).toEqual([]);
  // Each module is 20 KB of the program's heap for as long as it lives. 251 with the fleet's link, quarantines and last words, five more with
  // the classes and the queue of what the census looks into.
  expect(ours.length).toBeLessThan(270);
});

test('a process with a policy has loaded all that acts before it is needed, and no alerts when it declares none', () => {
  const { ours, node } = loadedBy({
    PLIMSOLL_POLICY: join(root, 'examples/agent-server/plimsoll.yaml'),
  });
  for (const part of [
    'ladder/ladder.ts',
    'actions/process-restart.ts',
    'approvals/approval-desk.ts',
    'restart/drain.ts',
  ])
    expect(ours.some((url) => url.endsWith(part))).toBe(true);
  expect(ours.filter((url) => /govern\/src\/alert\//.test(url))).toEqual([]);
  expect(node).toEqual([]);
});
