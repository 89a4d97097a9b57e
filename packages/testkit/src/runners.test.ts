/** The entries for runners other than Vitest, which all other tests of the kit use. */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const exec = promisify(execFile);

test('node:test: t.assert has the four questions, and a leak fails the test', async () => {
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, NODE_TEST_CONTEXT: ___, ...env } = process.env;
  const fixture = join(import.meta.dirname, 'node-runner.fixture.ts');
  const flags = ['--conditions=plimsoll-source', '--test', '--test-reporter=tap'];
  const { stdout } = await exec(process.execPath, [...flags, fixture], { env }).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toContain('ok 1 - what is dropped is collected');
  expect(stdout).toContain('not ok 2 - what is kept is not');
  expect(stdout).toContain('PLM_LEAK_SURVIVOR');
  expect(stdout).toContain('variable kept');
});

test('Jest: the matchers are registered with its expect, by modules that Node itself loads', () => {
  const registered: string[] = [];
  const timeouts: number[] = [];
  const scope = globalThis as { expect?: unknown; jest?: unknown };
  const before = { expect: scope.expect, jest: scope.jest };
  scope.expect = { extend: (matchers: object) => registered.push(...Object.keys(matchers)) };
  scope.jest = { setTimeout: (ms: number) => timeouts.push(ms) };
  try {
    const kit = createRequire(import.meta.url)('../jest.cjs') as Readonly<Record<string, unknown>>;
    expect(Object.keys(kit)).toEqual(['doesNotLeak', 'leakGuard', 'underLimit', 'watch']);
  } finally {
    Object.assign(scope, before);
  }
  expect(registered).toEqual(['toLeak', 'toBeCollected', 'toRelease', 'toStayUnder']);
  expect(timeouts).toEqual([180_000]);
});
