import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openLedger } from '@plimsoll/ledger';
import type { Ledger } from '@plimsoll/ledger';
import { TestIo } from '../io.fixture.ts';
import type { Replay } from './replay.ts';

const mib = 1024 ** 2;
const limit = 400 * mib;
const begin = Date.UTC(2026, 6, 1, 10);
const minute = 60_000;

/** A folder with a ledger that `write` fills. */
async function history(write: (ledger: Ledger) => Promise<void> | void): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'replay-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const ledger = openLedger({ dir: join(dir, '.plimsoll', 'ledger') });
  const body = { pid: 1, limit, limitSource: 'heap', mode: 'observe', policy: 'built-in' };
  await ledger.audit({ kind: 'start', at: begin, body });
  await write(ledger);
  await ledger.close();
  return dir;
}

/** One reading every ten seconds, as a quiet process writes them. */
function readings(
  ledger: Ledger,
  minutes: number,
  liveMib: (minute: number) => number,
  more: { from?: number; external?: number; used?: (live: number) => number; limit?: number } = {},
): void {
  const { from = 0, external = mib, used = (live) => live } = more;
  for (let ms = from * minute; ms < (from + minutes) * minute; ms += 10_000) {
    const live = Math.round(liveMib(ms / minute) * mib);
    ledger.sample({
      at: begin + ms,
      scope: 'process',
      usedBytes: used(live),
      limit: more.limit ?? limit,
      floor: live,
      heapUsed: live + mib,
      external,
      arrayBuffers: 0,
      rss: 500 * mib,
      loopDelayMs: 1,
      level: 'normal',
    });
  }
}

function policy(dir: string, name: string, lines: string): string {
  writeFileSync(join(dir, name), `apiVersion: plimsoll/v1\n${lines}`);
  return name;
}

async function replay(
  dir: string,
  ...args: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  const io = new TestIo(dir, args.includes('--terminal'));
  const code = await io.plimsoll(
    'replay',
    '--since',
    '2026-07-01T00:00:00Z',
    ...args.filter((arg) => arg !== '--terminal'),
  );
  return { code, out: io.out, err: io.err };
}

const json = async (dir: string, ...args: readonly string[]): Promise<Replay> =>
  JSON.parse((await replay(dir, ...args, '--json')).out) as Replay;

const eager = 'revision: 2\nmode: enforce\nladder: { warning: [ notify, keepers.shrink ] }';

test('a policy is compared with what was recorded, by class, and the page says what it cannot know', async () => {
  const dir = await history(async (ledger) => {
    readings(ledger, 30, (at) => (at < 10 ? 100 : at < 20 ? 300 : 100));
    const level = { usedBytes: 1, limit };
    await ledger.audit({
      kind: 'level',
      at: begin + 15 * minute,
      body: { from: 'normal', to: 'warning', ...level },
    });
    await ledger.audit({
      kind: 'action',
      at: begin + 15 * minute,
      body: { id: 'a', action: 'notify', outcome: 'done' },
    });
    await ledger.audit({
      kind: 'action',
      at: begin + 15 * minute,
      body: { id: 'a', action: 'notify', outcome: 'done' },
    });
    await ledger.audit({
      kind: 'level',
      at: begin + 16 * minute,
      body: { from: 'warning', to: 'normal', ...level },
    });
  });
  const { code, out, err } = await replay(dir, '--policy', policy(dir, 'new.yaml', eager));
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatchInlineSnapshot(`
    "new.yaml (revision 2, mode enforce) over 29 m 50 s of history from 2026-07-01 10:00:00Z: 180 rows, 1,791 readings, 1 run, 0 scopes
    compared with what the ledger recorded

    levels reached
    class    level    recorded  new  change
    process  warning         1    1       =

    actions begun
    class    action          recorded  new  change
    process  keepers.shrink         0    1      +1
    process  notify                 1    1       =

    time
      process    above normal for 1 m, now 10 m 30 s

    limits of a replay
      - what an action would have freed: history goes on as it did, so a level that an action would have ended stays, and later rungs count as tried; a scope that was stopped is left out from then on. The counts are an upper bound.
      - scopes that were not among the 50 heaviest when they were written, every 10 s, and anything shorter than that.
      - whether a scope was in use: idle is counted from when its bytes last changed.
      - what humans would have decided: approvals stay open.
      - the recorded side acted on the real process, the replayed one did not; use --against to compare like with like.
    "
  `);
});

test('two policies are compared like with like', async () => {
  const dir = await history((ledger) => {
    readings(ledger, 30, (at) => (at < 10 ? 100 : at < 20 ? 300 : 100));
    for (let at = 0; at < 30; at++)
      ledger.sample([
        { at: begin + at * minute, scope: 'process/agent:a/session:1', bytes: 7 * mib },
        { at: begin + at * minute, scope: 'process/agent:a/session:2', bytes: mib },
      ]);
  });
  const strict = policy(dir, 'strict.yaml', `${eager}\nbudgets: { sessions: { "*": { max: 8MiB } } }`);
  const loose = policy(dir, 'loose.yaml', 'revision: 1\nmode: shadow\nlevels: relaxed');
  const found = await json(dir, '--policy', strict, '--against', loose);
  expect(found.before.classes).toEqual({});
  expect(found.after.classes['process']?.rises).toEqual({ warning: 1, critical: 0, emergency: 0 });
  expect(found.after.classes['process']?.actions).toEqual({ notify: 1, 'keepers.shrink': 1 });
  expect(found.after.classes['process']?.raisedMs).toBeGreaterThan(9 * minute);
  expect(found.scopes).toBe(3);
  const same = await replay(dir, '--policy', strict, '--against', strict);
  expect(same.out).toContain('no difference');
  const calm = await replay(dir, '--policy', loose, '--against', loose);
  expect(calm.out).toContain('no level would have changed and nothing would have been done');
});

test('a scope over its budget is stopped once, and is gone then', async () => {
  const dir = await history((ledger) => {
    readings(ledger, 30, (at) => 100 + at / 100);
    for (let ms = 0; ms < 30 * minute; ms += 10_000)
      ledger.sample([
        { at: begin + ms, scope: 'process/agent:a/session:1', bytes: 9 * mib },
        { at: begin + ms, scope: 'process/agent:a/session:1/run:1', bytes: mib + ms },
        { at: begin + ms, scope: 'process/agent:a/session:2', bytes: mib },
      ]);
  });
  const file = policy(
    dir,
    'new.yaml',
    'mode: enforce\nbudgets: { sessions: { "*": { max: 8MiB } } }\nladder: { warning: [ keepers.shrink ], emergency: [ scope.stop ] }',
  );
  const { after } = await json(dir, '--policy', file);
  expect(after.classes['session']?.rises.emergency).toBe(1);
  expect(after.classes['session']?.actions['scope.stop']).toBe(1);
});

test('a process at its limit is restarted as often as the policy allows, and begins anew', async () => {
  const dir = await history((ledger) => readings(ledger, 60, (at) => (at < 2 ? 100 : 399 + at / 1000)));
  const restart = (count: number): string =>
    `mode: enforce\nladder: { emergency: [ session.park, evidence, process.restart: { after: 60s, at-most: ${count}/h } ] }`;
  const once = await json(dir, '--policy', policy(dir, 'one.yaml', restart(1)));
  const often = await json(dir, '--policy', policy(dir, 'three.yaml', restart(3)));
  expect(once.after.classes['process']?.actions).toMatchObject({ 'session.park': 2, evidence: 2 });
  expect(once.after.classes['process']?.rises.emergency).toBe(2);
  expect(often.after.classes['process']?.rises.emergency).toBe(4);
});

test('which limit a row is about follows from what counted against it, and others are scaled or added', async () => {
  const dir = await history((ledger) => {
    // The container was nearest until minute 20, then the heap, with another share of it usable than today.
    readings(ledger, 20, () => 100, { used: () => 640 * mib, limit: 1000 * mib });
    readings(ledger, 20, () => 200, { from: 20, external: 300 * mib });
  });
  const half = policy(dir, 'half.yaml', 'mode: observe\nlimits: { heap: { usable: 50% } }');
  const whole = policy(dir, 'whole.yaml', 'mode: observe');
  const found = await json(dir, '--policy', half, '--against', whole);
  expect(found.before.classes['process']?.rises.warning).toBe(1);
  expect(found.after.classes['process']?.rises.critical).toBe(1);
  const native = policy(
    dir,
    'native.yaml',
    'mode: observe\nlimits: { native: { max: 310MiB } }\nbudgets: { global: { max: 510MiB } }',
  );
  expect((await json(dir, '--policy', native)).after.classes['process']?.rises.emergency).toBe(1);
});

test('a gap in the history is no reading, and a process without a heap limit says so', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'replay-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const ledger = openLedger({ dir: join(dir, '.plimsoll', 'ledger') });
  const nearest = { used: () => 640 * mib, limit: 1000 * mib };
  readings(ledger, 1, () => 100, nearest);
  readings(ledger, 1, () => 100, { from: 100, ...nearest });
  await ledger.close();
  const found = await json(
    dir,
    '--policy',
    policy(dir, 'new.yaml', 'mode: observe'),
    '--ledger',
    '.plimsoll',
  );
  expect(found.rows).toBe(12);
  expect(found.readings).toBeLessThan(150);
  expect(found.cannotKnow.join('\n')).toContain(
    'the heap limit of runs in which another limit was always nearer',
  );
});

test('what cannot be replayed is said', async () => {
  const dir = await history((ledger) => readings(ledger, 1, () => 100));
  const file = policy(dir, 'new.yaml', 'mode: observe');
  const none = await replay(dir, '--policy', file, '--until', '2026-06-01T00:00:00Z');
  expect(none.code).toBe(1);
  expect(none.err.replaceAll(dir, 'DIR')).toMatchInlineSnapshot(`
    "PLM_REPLAY_NO_HISTORY: the ledger has no readings since 2026-07-01T00:00:00.000Z.
      at:  DIR/.plimsoll/ledger
      fix: ask for a longer time with --since, or name the ledger with --ledger.
    "
  `);
  expect((await replay(dir, '--policy', 'missing.yaml')).err).toContain('PLM_POLICY_UNREADABLE');
  expect((await replay(dir)).err).toContain("required option '--policy <file>' not specified");
});

test('every lever can be pulled and moves nothing', async () => {
  const dir = await history((ledger) =>
    readings(ledger, 30, (at) => (at < 2 ? 100 : at < 25 ? 390 + at / 1000 : 100)),
  );
  const file = policy(
    dir,
    'new.yaml',
    `mode: enforce
approvals: { ops: { by: [ "group:sre" ], ttl: 2m, on-expiry: skip } }
ladder:
  warning: [ signal.fast, gc.request, keepers.shrink ]
  critical: [ admit.throttle, delegation.clamp: { depth: 2 }, session.park: { approval: ops } ]
  emergency: [ admit.refuse, evidence ]`,
  );
  const { after } = await json(dir, '--policy', file);
  expect(after.classes['process']?.actions).toMatchObject({
    'signal.fast': 1,
    'gc.request': 1,
    'keepers.shrink': 1,
    'admit.throttle': 1,
    'admit.refuse': 1,
    'delegation.clamp': 1,
    'session.park': 1,
    evidence: 1,
  });
});

test('on a terminal a long replay says how far it is', async () => {
  const dir = await history((ledger) => readings(ledger, 340, () => 100));
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 1600));
  const { err } = await replay(dir, '--policy', policy(dir, 'new.yaml', 'mode: observe'), '--terminal');
  vi.restoreAllMocks();
  expect(err).toMatch(/replayed \d+ %/);
});
