/** A real process that fills its heap with sessions: without governing it dies, with a ladder it parks them and goes on. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LedgerReader } from '@plimsoll/ledger';
import { root, workFolder } from './plimsoll.ts';
import { startGroup } from '../process-group.ts';

/** Sessions of 1 MB each, one after the other; some of them come back. Ends by itself after so many turns. */
const program = `
import { FileLot, SessionCache } from '@plimsoll/keep/session-cache';

const cache = new SessionCache({
  maxBytes: '4GiB',
  meter: (session) => ({ get bytes() { return session.rows.length * 8016; } }),
  park: new FileLot({ dir: 'parked' }),
  open: (id) => ({ id, rows: [] }),
});
const held = await cache.acquire('held');
held.value.rows.push(Array.from({ length: 1000 }, (_, j) => j + 0.5));
let opened = 0;
let wrong = 0;
for (let turn = 0; turn < 300; turn++) {
  const id = turn % 4 === 3 ? String(Math.floor(Math.random() * opened)) : String(opened++);
  const lease = await cache.acquire(id);
  if (lease.value.id !== id) wrong++;
  for (let i = 0; i < 40; i++) lease.value.rows.push(Array.from({ length: 1000 }, (_, j) => i + j + 0.5));
  lease.release();
  await new Promise((resolve) => setTimeout(resolve, 25));
}
const { parked, restored } = cache.stats();
console.log(JSON.stringify({ wrong, parked, restored, held: cache.has('held') }));
process.exit(0);
`;

const policy = `apiVersion: plimsoll/v1
mode: enforce
signal: { grace: 100ms, sample: 200ms, fast: 100ms }
levels:
  warning: { for: 200ms, keep: 2s }
  critical: { for: 100ms, keep: 2s }
  emergency: { for: 0s, keep: 2s }
settle: { again: 1s, at-most: 3s }
ladder:
  warning: [ notify ]
  critical: [ session.park: { until: 50%, batch: 200 }, gc.request: { every: 2s } ]
`;

function run(
  dir: string,
  env: Record<string, string>,
): Promise<{ code: number | null; signal: string | null; out: string }> {
  const register = join(root, 'packages/host/src/register.ts');
  const child = startGroup(
    process.execPath,
    ['--conditions=plimsoll-source', '--max-old-space-size=80', '--import', register, 'program.mjs'],
    {
      cwd: dir,
      env: { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: '', PLIMSOLL_DIR: dir, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, out })));
}

function folder(): string {
  const dir = workFolder({ 'program.mjs': program, 'plimsoll.yaml': policy });
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  return dir;
}

test('ungoverned it dies of its heap; governed it parks idle sessions, keeps the one in use and writes down what it freed', async () => {
  const dir = folder();
  const [ungoverned, governed] = await Promise.all([
    run(folder(), { PLIMSOLL: 'off' }),
    run(dir, { PLIMSOLL_POLICY: 'plimsoll.yaml' }),
  ]);
  expect(ungoverned.out).toContain('heap out of memory');
  expect(ungoverned.code).not.toBe(0);
  expect(governed.out, governed.out).toContain('"wrong":0');
  const end = JSON.parse(/\{.*\}/.exec(governed.out)?.[0] ?? '{}') as Record<string, number | boolean>;
  expect(end).toMatchObject({ wrong: 0, held: true });
  expect(end['parked']).toBeGreaterThan(30);
  expect(end['restored']).toBeGreaterThan(0);
  expect(governed.code).toBe(0);
  const reader = new LedgerReader(join(dir, 'ledger'));
  const parks = reader
    .audit({ kinds: ['action'] })
    .map(({ body }) => body as Record<string, unknown>)
    .filter(({ action, outcome }) => action === 'session.park' && outcome === 'done');
  reader.close();
  expect(parks.length).toBeGreaterThan(0);
  const released = parks.reduce((sum, { releasedBytes }) => sum + Number(releasedBytes), 0);
  expect(released).toBeGreaterThan(10 * 1024 ** 2);
  expect(parks.some(({ freedBytes }) => typeof freedBytes === 'number')).toBe(true);
}, 120_000);
