import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { open } from '@plimsoll/core';
import { roster } from '@plimsoll/core/internal/scope/index';
import { Ladder } from '@plimsoll/govern/internal/ladder/ladder';
import { Governor } from '@plimsoll/govern/internal/level/governor';
import { admission } from '@plimsoll/govern/internal/admission/admission-control';
import { keepers } from '@plimsoll/core/keeper';
import { parsePolicy } from '@plimsoll/govern/internal/policy/parse';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { ConversationWindow, OutputBag, Pool, ReplayBuffer, SessionCache, FileLot } from '@plimsoll/keep';
import { LedgerReader } from '@plimsoll/ledger';
import type { GrowthRecord } from '@plimsoll/leak/internal/proof/growth-record';
import { EvidenceKeeper } from './evidence-keeper.ts';
import { Governance } from './governance.ts';
import { leversOf } from './levers.ts';
import { Host } from '../../host.ts';
import { leverScopes } from './lever-scope.ts';
import { ScopeBytes } from '../scopes/scope-bytes.ts';

const MiB = 1024 ** 2;
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-governance-'));
});

/** A governor with the levers of a host, whose memory is what the keepers and scopes of this test hold. */
function govern(text: string, limit: number) {
  const clock = new FakeClock();
  const bytes = new ScopeBytes(roster, { bytesOf: () => undefined });
  const governance = new Governance();
  const levers = leversOf({
    dir,
    bytes,
    hurry: () => undefined,
    frame: () => undefined,
    recorder: undefined,
    parts: governance.parts,
  });
  const policy = parsePolicy(
    `apiVersion: plimsoll/v1\nmode: enforce\nsignal: { grace: 0s }\n${text}`,
    'plimsoll.yaml',
  );
  const ladder = new Ladder({ policy, clock, levers });
  const governor = new Governor({
    policy,
    clock,
    ladder,
    scopes: () => roster.open,
    bytesOf: (scope) => bytes.of(scope),
  });
  let majors = 0;
  const run = async (seconds: number, used: () => number): Promise<void> => {
    for (let i = 0; i < seconds; i++) {
      majors++;
      bytes.refresh();
      bytes.reconcile({ floor: used(), external: 0, majors });
      governor.tick({
        at: clock.now(),
        heapUsed: used(),
        floor: used(),
        floorAgeMs: 0,
        external: 0,
        majors,
        rss: used(),
        pressures: [{ source: 'heap', used: used(), limit }],
        lateMs: 0,
      });
      for (let j = 0; j < 20; j++) await turn();
      // Parking writes files.
      await new Promise((resolve) => setTimeout(resolve, 5));
      clock.advance(1000);
    }
  };
  const story = (): string[] =>
    ladder.rows.map(({ action, outcome, releasedBytes }) => `${action} ${outcome} ${releasedBytes > 0}`);
  return { governor, governance, ladder, bytes, run, story };
}

const held = (): number => keepers().reduce((sum, keeper) => sum + keeper.bytes, 0);

describe('with real keepers', () => {
  test('each gives what it can without harm: caches, buffers, turns, then idle sessions to the target', async () => {
    const pool = new Pool({ max: 10, create: () => Buffer.alloc(1024), bytesEach: '1MiB' });
    const taken = Array.from({ length: 8 }, () => pool.take());
    for (const handle of taken.slice(1)) handle?.release();
    const stream = new ReplayBuffer<string>({ maxBytes: '64MiB', coalesce: false });
    for (let i = 0; i < 40; i++) stream.push(String(i).repeat(100_000));
    const window = new ConversationWindow<{ role: string; content: string }>({ maxBytes: '64MiB' });
    for (let i = 0; i < 30; i++) window.append({ role: 'user', content: `${i}`.repeat(50_000) });
    const bag = new OutputBag({ maxBytes: '64MiB' });
    const cache = new SessionCache<{ id: string; text: string }>({
      maxBytes: '256MiB',
      meter: () => ({ bytes: 4 * MiB }),
      park: new FileLot({ dir: join(dir, 'parked'), maxBytes: '1GiB' }),
      open: (id) => ({ id, text: 'new' }),
    });
    for (let i = 0; i < 20; i++) cache.set(`s${i}`, { id: `s${i}`, text: `text ${i}` });
    const lease = await cache.acquire('s0');
    const before = held();
    const { run, ladder, governor } = govern(
      `ladder:
  critical:
    - cache.drop
    - replay.trim: { to: 10% }
    - conversation.compact: { keep-last: 10 }
    - session.park: { until: 50% }
`,
      before / 0.9,
    );
    await run(40, held);
    const rows = ladder.rows.filter(({ outcome }) => outcome === 'done');
    expect([...new Set(rows.map(({ action }) => action))]).toEqual([
      'cache.drop',
      'replay.trim',
      'conversation.compact',
      'session.park',
    ]);
    for (const { freedBytes, releasedBytes } of rows) expect(freedBytes).toBe(releasedBytes);
    const gave = new Set(rows.filter(({ freedBytes }) => (freedBytes ?? 0) > 0).map(({ action }) => action));
    expect(gave.size).toBe(4);
    // The one that is taken stays, and so do unread chunks, the newest turns and the leased session.
    expect(pool.stats()).toMatchObject({ taken: 1, idle: 0 });
    expect(window.stats().turns).toBe(10);
    expect(cache.has('s0')).toBe(true);
    expect(lease.value.text).toBe('text 0');
    expect(held() / (before / 0.9)).toBeLessThan(0.75);
    // What was parked is there again, as it was.
    const parked = Array.from({ length: 20 }, (_, i) => `s${i}`).find((id) => !cache.has(id)) as string;
    using restored = await cache.acquire(parked);
    expect(restored.value.text).toBe(`text ${parked.slice(1)}`);
    lease.release();
    governor.stop();
    await cache.drain(10);
    stream[Symbol.dispose]?.();
    window[Symbol.dispose]();
    bag[Symbol.dispose]?.();
    taken[0]?.release();
  });

  test('idle timeouts of a cache are shorter while memory is short, and the shed points follow', async () => {
    const cache = new SessionCache<object>({ maxEntries: 10, idle: '1h' });
    const { run, ladder, governor } = govern(
      'ladder: { critical: [ keepers.shrink, timeouts.scale, admit.throttle, delegation.clamp: { depth: 1 } ] }',
      100,
    );
    await run(16, () => 90);
    expect(ladder.holding).toEqual(['timeouts.scale', 'admit.throttle', 'delegation.clamp']);
    expect(admission().clamped).toMatchObject({ depth: 1 });
    expect(admission().row().state).toBe('throttling');
    await run(125, () => 10);
    expect(ladder.holding).toEqual([]);
    expect(admission().clamped).toBeUndefined();
    expect(admission().row().state).toBe('open');
    governor.stop();
    await cache.drain(1);
  });
});

describe('with real scopes', () => {
  test('the worst one is stopped by its signal; the leased one, the exempt one and what is inside stay', async () => {
    const agent = open('agent', 'planner');
    const worst = open('session', 'worst', { parent: agent, budget: 8 * MiB });
    const leased = open('session', 'leased', { parent: agent });
    const exempt = open('session', 'vip');
    const inside = open('run', '1', { parent: exempt });
    const sizes = [
      [worst, 40],
      [leased, 50],
      [inside, 60],
    ] as const;
    for (const [scope, mib] of sizes) scope.charge(mib * MiB);
    const lease = leased.lease();
    const aborted = vi.fn();
    worst.signal.addEventListener('abort', aborted);
    const { run, ladder, governor, bytes } = govern(
      `exempt: { scopes: [ "session:vip" ] }
guards: { destructive: { share-of-work: 100% } }
ladder: { critical: [ keepers.shrink, scope.stop ] }`,
      200 * MiB,
    );
    const used = (): number => 30 * MiB + sizes.reduce((sum, [scope]) => sum + scope.account.held, 0);
    await run(30, used);
    expect(aborted).toHaveBeenCalledOnce();
    expect([worst, leased, exempt, inside, agent].map(({ state }) => state)).toEqual([
      'closed',
      'open',
      'open',
      'open',
      'open',
    ]);
    const lever = [...leverScopes(bytes)].find(({ id }) => id === agent.id);
    expect(lever?.leases).toBe(1);
    const done = ladder.rows.find(({ action, outcome }) => action === 'scope.stop' && outcome === 'done');
    expect(done).toMatchObject({ freedBytes: 40 * MiB, releasedBytes: 40 * MiB });
    expect(done?.text).toMatch(
      /^stopped process\/agent:planner\/session:worst \(40.0 MiB, 5.0x its budget, 30 s of work, normal\); live bytes fell by 40.0 MiB/,
    );
    lease.release();
    governor.stop();
    await Promise.all([agent.close(), exempt.close()]);
  });
});

describe('reconciliation', () => {
  test('charges that exceed what is alive are re-based at a major GC; what nobody holds is told', async () => {
    const agent = open('agent', 'a');
    const walked = open('session', 'walked', { parent: agent });
    const charged = open('session', 'charged', { parent: agent });
    charged.charge(300);
    const bytes = new ScopeBytes(roster, {
      bytesOf: (scope) => (scope.id === walked.id ? ({ bytes: 100 } as never) : undefined),
    });
    bytes.refresh();
    expect([bytes.of(charged), bytes.unattributedBytes, bytes.chargeFactor]).toEqual([300, undefined, 1]);
    bytes.reconcile({ external: 0, majors: 0 });
    bytes.reconcile({ floor: 200, external: 50, majors: 1 });
    bytes.refresh();
    expect([bytes.of(charged), bytes.of(walked), bytes.of(agent)]).toEqual([150, 100, 250]);
    expect(bytes.unattributedBytes).toBe(0);
    bytes.reconcile({ floor: 1000, external: 0, majors: 1 });
    expect(bytes.chargeFactor).toBe(0.5);
    bytes.reconcile({ floor: 1000, external: 0, majors: 2 });
    bytes.refresh();
    expect([bytes.of(charged), bytes.unattributedBytes]).toEqual([300, 600]);
    await agent.close();
  });
});

describe('evidence', () => {
  const request = { scope: 'process', timeoutMs: 50, snapshot: 'if-it-fits' as const };
  const signal = new AbortController().signal;
  const record = (refused: GrowthRecord['refused']): GrowthRecord => ({ refused }) as GrowthRecord;

  test('counters and allocation sites are kept in a file of our own, the newest four', async () => {
    const evidence = new EvidenceKeeper({ dir, frame: () => undefined, recorder: undefined });
    const answer = await evidence.keep({ ...request, signal });
    expect(answer.text).toMatch(
      /^kept counters and \d+ allocation sites in .*evidence-1.json without a snapshot.$/,
    );
    const kept = JSON.parse(readFileSync(answer.files[0] as string, 'utf8')) as {
      scope: string;
      sites: object;
    };
    expect(kept).toMatchObject({ v: 1, scope: 'process', frame: null });
    for (let i = 0; i < 5; i++) await evidence.keep({ ...request, timeoutMs: 10, signal });
    expect(readdirSync(dir).filter((name) => name.includes('evidence'))).toHaveLength(4);
  });

  test('a snapshot that does not fit is not taken, and the text says why', async () => {
    const why = async (
      refused: GrowthRecord['refused'],
      more: { readonly aborted?: boolean } = {},
    ): Promise<string> => {
      const recorder = { snapshotSince: () => undefined, record: record(refused) };
      const used = more.aborted === true ? AbortSignal.abort() : signal;
      const evidence = new EvidenceKeeper({ dir, frame: () => undefined, recorder });
      const { text } = await evidence.keep({ ...request, timeoutMs: 10, signal: used });
      return text.slice(text.indexOf('without'));
    };
    const cost = { objects: 1, neededBytes: 700 * MiB, stopMs: 900, freeBytes: 200 * MiB, maxStopMs: 500 };
    expect([
      await why({ ...cost, for: 'memory' }),
      await why({ ...cost, for: 'pause' }),
      await why(null),
      await why(null, { aborted: true }),
    ]).toMatchInlineSnapshot(`
      [
        "without a snapshot: it needs 700.0 MiB and 200.0 MiB are free.",
        "without a snapshot: it would stop the process for 900 ms and 500 ms are allowed.",
        "without a snapshot: this process may not be stopped for one.",
        "without a snapshot: there was no time.",
      ]
    `);
  });

  test('a snapshot that was taken is named', async () => {
    const capture = { file: join(dir, 'x.heapsnapshot'), at: 0, stopMs: 1, heapBytes: 1 };
    const recorder = { snapshotSince: () => capture, record: record(null) };
    const evidence = new EvidenceKeeper({ dir, frame: () => undefined, recorder });
    const answer = await evidence.keep({ ...request, timeoutMs: 10, signal });
    expect(answer.files).toHaveLength(2);
    expect(answer.text).toContain('with the snapshot');
  });
});

describe('in a host', () => {
  let host: Host | undefined;

  afterEach(async () => {
    await host?.stop();
    host = undefined;
  });

  test('a session over its budget is stopped, the frame shows it and the ledger says what it freed', async () => {
    const file = join(dir, 'plimsoll.yaml');
    writeFileSync(
      file,
      `apiVersion: plimsoll/v1
mode: enforce
levels:
  warning: { for: 10ms, keep: 100ms }
  critical: { for: 10ms, keep: 100ms }
  emergency: { for: 10ms, keep: 100ms }
signal: { sample: 100ms, fast: 100ms, grace: 10ms }
settle: { at-most: 1s, again: 1s }
budgets: { sessions: { "*": { max: 1MiB } } }
ladder:
  warning: [ notify, keepers.shrink ]
  critical: [ scope.stop ]
`,
    );
    host = await Host.load({
      dir,
      ledgerDir: join(dir, 'ledger'),
      policyFile: file,
      target: 'node test',
      maxPauseMs: 0,
      isSupervised: false,
    });
    const session = open('session', 'heavy');
    const { signal } = session;
    session.charge(2 * MiB);
    globalThis.gc?.();
    host.start();
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
    const actions = () => host?.frame?.governance.actions ?? [];
    await vi.waitFor(() =>
      expect(actions().map(({ action, outcome }) => `${action} ${outcome}`)).toContain('scope.stop done'),
    );
    const frame = host.frame;
    expect(frame?.governance.counts).toMatchObject({ wouldHave: 0, freedBytes: 2 * MiB });
    expect(frame?.governance.admission).not.toBeNull();
    expect(frame?.scopes.find(({ kind }) => kind === 'unattributed')).toMatchObject({
      path: 'process/unattributed',
      budgetBytes: null,
    });
    expect(frame?.unattributedBytes).toBeGreaterThan(0);
    await host.stop();
    const reader = new LedgerReader(join(dir, 'ledger'));
    const stops = reader
      .audit({ kinds: ['action'] })
      .map(({ body }) => (typeof body === 'string' ? (JSON.parse(body) as Record<string, unknown>) : body))
      .filter((body) => (body as Record<string, unknown>)['action'] === 'scope.stop');
    expect(stops.at(-1)).toMatchObject({ outcome: 'done', freedBytes: 2 * MiB, releasedBytes: 2 * MiB });
    reader.close();
  });
});
