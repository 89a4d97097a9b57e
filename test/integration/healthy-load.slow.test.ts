/**
 * The example server without a planted leak, under accelerated load and audited: nothing is found. PLIMSOLL_HEALTHY_MINUTES sets how
 * long (default 60, at twenty times the speed of real users).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Report } from '../../packages/plimsoll/src/run/report.ts';
import { plimsoll, root, workFolder } from './plimsoll.ts';

const minutes = Number(process.env['PLIMSOLL_HEALTHY_MINUTES'] ?? 60);

test('an hour of accelerated load gives no finding', { timeout: (minutes + 10) * 60_000 }, async () => {
  const dir = workFolder();
  const server = join(root, 'examples/agent-server/src/main.ts');
  const load = ['--port', '0', '--load', '--speed', '20', '--users', '30', '--duration', `${minutes}m`];
  const run = plimsoll(
    ['run', '--audit', '--report', 'r.json', '--', 'node', '--conditions=plimsoll-source', server, ...load],
    dir,
  );
  const end = await run.ended;
  expect(end.code, end.stderr).toBe(0);
  const report = JSON.parse(readFileSync(join(dir, 'r.json'), 'utf8')) as Report;
  expect(report.findings, report.why).toEqual([]);
  expect(report.verdict, report.why).toBe('clean');
  const sessions = report.readings.kinds.find(({ kind }) => kind === 'session');
  expect(sessions?.opened).toBeGreaterThan(minutes * 100);
});
