/** `plimsoll run --audit` on the example server: the listener that every run leaves behind is named by its line, and nothing else is. That the
 * server without a leak leaves nothing attached is in planted-leaks.test.ts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Report } from '../../packages/plimsoll/src/run/report.ts';
import { plimsoll, root, workFolder } from './plimsoll.ts';

const server = join(root, 'examples/agent-server/src/main.ts');

async function audited(...extra: readonly string[]): Promise<Report> {
  const dir = workFolder();
  const load = [
    '--port',
    '0',
    '--load',
    '--payload',
    '4KiB',
    '--users',
    '6',
    '--speed',
    '20',
    '--duration',
    '16s',
    ...extra,
  ];
  const run = plimsoll(
    ['run', '--audit', '--report', 'r.json', '--', 'node', '--conditions=plimsoll-source', server, ...load],
    dir,
  );
  expect((await run.ended).code).toBe(0);
  return JSON.parse(readFileSync(join(dir, 'r.json'), 'utf8')) as Report;
}

const attached = (report: Report): Report['findings'] =>
  report.findings.filter(({ kind }) => kind === 'listener' || kind === 'timer' || kind === 'handle');

test('the abort listener of every run is found with its line', { timeout: 240_000 }, async () => {
  const report = await audited('--leak', 'abort-listener');
  expect(report.verdict).toBe('leak');
  const lines = readFileSync(join(root, 'examples/agent-server/src/run/run.ts'), 'utf8').split('\n');
  const line = lines.findIndex((text) => text.includes("shutdown.addEventListener('abort'")) + 1;
  const [finding, ...others] = attached(report);
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ severity: 'medium', subject: '"abort" on AbortSignal' });
  expect(finding?.site).toMatch(new RegExp(`^Run .*run/run\\.ts:${line}:`));
  expect(finding?.fix).toContain('scope.signal');
});
