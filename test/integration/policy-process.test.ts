import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const dir = mkdtempSync(join(tmpdir(), 'plimsoll-policy-process-'));
const file = join(dir, 'plimsoll.yaml');
writeFileSync(file, 'apiVersion: plimsoll/v1\nbudgets: { sessions: { "*": { max: 8MiB } } }\n');
afterAll(() => rmSync(dir, { recursive: true }));

/** Runs a module text in a process of its own, from this repository. */
function run(text: string): { status: number | null; out: string } {
  const args = ['--conditions=plimsoll-source', '--input-type=module', '--eval', text];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: join(import.meta.dirname, '../../packages/core'),
    encoding: 'utf8',
    timeout: 100_000,
  });
  return { status, out: stdout + stderr };
}

test('a watched policy and a started governor do not keep the process alive', () => {
  const ended = run(`
    import { PolicyFile } from '@plimsoll/govern/internal/policy/policy-file';
    import { Governor } from '@plimsoll/govern/internal/level/governor';
    const file = new PolicyFile(${JSON.stringify(file)});
    new Governor({ policy: file.current }).start();
    console.log('started', file.current.budgets.sessions.length);
  `);
  expect(ended).toEqual({ status: 0, out: 'started 1\n' });
});

test('a process without a policy file never loads the YAML parser', () => {
  const ended = run(`
    import { createRequire } from 'node:module';
    import { Governor } from '@plimsoll/govern/internal/level/governor';
    import { explain } from '@plimsoll/govern/internal/policy/explain';
import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import { parsePolicy } from '@plimsoll/govern/internal/policy/parse';
    const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('/yaml/'));
    new Governor().start();
    explain(builtInPolicy, 'agent:a');
    const before = loaded();
    parsePolicy('apiVersion: plimsoll/v1', 'p');
    console.log(before, loaded());
  `);
  expect(ended).toEqual({ status: 0, out: 'false true\n' });
});

test('a text made to exhaust the parser is refused and the process lives', () => {
  const ended = run(`
    import { checkPolicy } from '@plimsoll/govern/internal/policy/parse';
    for (const text of ['- '.repeat(60_000), '['.repeat(120_000), '- \\n'.repeat(40_000) + '['.repeat(900)])
      console.log(checkPolicy(text, 'p').problems.length > 0);
  `);
  expect(ended).toEqual({ status: 0, out: 'true\ntrue\ntrue\n' });
});
