import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openLedger } from '@plimsoll/ledger';
import { listeningPorts } from '../attach/process-facts.ts';
import type { AttachedVitals } from '../attach/vitals.ts';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { socketPath, writeDescriptor } from '@plimsoll/host/protocol';
import { FeedServer } from '@plimsoll/host/internal/feed/feed-server';
import { frameOf } from '../../../host/src/protocol/frame.fixture.ts';
import { TestIo } from '../io.fixture.ts';
import { growthRecordOf } from '../../../leak/src/proof/growth-record.fixture.ts';
import { adviceFor } from './advice.ts';
import { diagnoseFrame, diagnoseVitals, hashedPath, type Diagnosis } from './diagnosis.ts';
import { diagnosisText } from './diagnosis-text.ts';
import { examineMachine, machineText } from './machine.ts';
import { nextFrame } from './next-frame.ts';

const MiB = 1024 ** 2;
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-doctor-'));
});

const leak: Frame['findings'][number] = {
  id: 'growth:abc',
  kind: 'growth',
  severity: 'high',
  scope: 'process/session:alice',
  fingerprint: 'abc',
  firstSeen: 1,
  lastSeen: 2,
  count: 3,
  bytes: 12 * MiB,
  rate: MiB,
  trace: [{ type: 'object', name: 'SecretHolder', via: 'x', leaking: 'yes', why: '' }],
  knownLeak: { name: 'ai stream kept', cure: 'update to 7.1.', link: 'https://example.org' },
  fix: 'update to 7.1.',
};

test('a governed process is diagnosed without a name of the user in it', () => {
  const text = diagnosisText(
    diagnoseFrame(frameOf({ findings: [leak], growth: growthRecordOf() }), '0.1.0', false),
  );
  expect(text).not.toMatch(/alice|planner|SecretHolder|server\.js/);
  expect(text.replaceAll(`${process.platform}-${process.arch}`, 'PLATFORM')).toMatchInlineSnapshot(`
    "plimsoll 0.1.0 doctor: node v24.21.0 PLATFORM, up 2 m 5 s, seen through its feed

    memory    160.0 MiB resident
              where                               bytes  share
              heap objects                     87.0 MiB   54 %
              compiled code                     3.0 MiB    2 %
              V8 slack (committed, unused)     20.0 MiB   13 %
              ArrayBuffers                      2.0 MiB    1 %
              other external                    2.0 MiB    1 %
              native (V8 knows nothing of it)  46.0 MiB   29 %
    floor     70.0 MiB live after the last major GC, 4 s ago
    limits    v8-old-space 70.0 MiB of 200.0 MiB (35 %), binds first
    level     normal
    growth    heap flat, external flat, native flat over 17 floors
    scopes    3 open: session 2 open of 1204, 40.0 MiB
              process/agent:#244b84/session:#73475c  30.0 MiB (peak 31.0 MiB) normal
              process/agent:#244b84/session:#790269  10.0 MiB (peak 40.0 MiB) normal
              unattributed 30.0 MiB of live heap and external memory
    findings  high growth in process/session:#2bd806: 12.0 MiB, 3 times, fingerprint abc (ai stream kept)
    itself    1.5 MiB, 0.20 % of a core

    next      ai stream kept: update to 7.1.
    "
  `);
});

test('names are shown when they are asked for, and hashes are stable', () => {
  const named = diagnoseFrame(frameOf(), '0.1.0', true);
  expect(named.scopes?.top[0]?.path).toBe('process/agent:planner/session:42');
  expect(hashedPath('process/session:42')).toBe(hashedPath('process/session:42'));
  expect(hashedPath('process/session:42')).toMatch(/^process\/session:#[0-9a-f]{6}$/);
});

const vitals: AttachedVitals = {
  at: 0,
  node: 'v24.0.0',
  uptimeMs: 60_000,
  rss: 900 * MiB,
  heapUsed: 100 * MiB,
  heapTotal: 130 * MiB,
  external: 30 * MiB,
  arrayBuffers: 20 * MiB,
  heapLimit: 4096 * MiB,
  mallocedBytes: 1,
  constrained: 1024 * MiB,
  availableBytes: 1,
  spaces: [
    { name: 'old_space', used: 90 * MiB, committed: 120 * MiB, physical: 120 * MiB },
    { name: 'code_space', used: 10 * MiB, committed: 10 * MiB, physical: 10 * MiB },
  ],
  contexts: { native: 1, detached: 2 },
  cpuMs: 1,
  resources: { Timeout: 9000 },
};

test('the parts of the resident memory add up, and what stands out is named', () => {
  const { memory, advice } = diagnoseVitals(vitals, '0.1.0');
  const { rss, ...parts } = memory;
  expect(Object.values(parts).reduce((sum, bytes) => sum + bytes, 0)).toBe(rss);
  expect(advice).toMatchInlineSnapshot(`
    [
      "V8 may take 4.0 GiB but the container ends the process at 1.0 GiB: set --max-old-space-size to about 768.",
      "740.0 MiB lie outside of V8: a native addon, or malloc that keeps freed pages (try jemalloc, or MALLOC_MMAP_THRESHOLD_=16384); no GC helps.",
      "2 detached vm contexts are alive: something holds an object of a closed sandbox.",
      "9,000 open handles of kind Timeout: they are not closed or cleared when work ends.",
    ]
  `);
});

test('a policy that is refused or given up is said with its age, and quoted only with names', () => {
  const frame = frameOf({
    at: 200_000,
    policy: {
      file: 'plimsoll.yaml',
      mode: 'shadow',
      revision: 2,
      fault: 'PLM_POLICY_UNKNOWN_KEY: "secret" is not a key.',
      faultSince: 80_000,
      givenUp: 'plimsoll.yaml was given up: session:ann was refused.',
    },
  });
  const text = diagnosisText(diagnoseFrame(frame, '0.1.0', false));
  expect(text).toContain(
    'policy    mode shadow\n          the file is not in force for 2 m: PLM_POLICY_UNKNOWN_KEY\n          the policy of the file was given up\n',
  );
  expect(text).toContain('plimsoll rollback --undo');
  expect(text).toContain('plimsoll check');
  expect(text).not.toContain('secret');
  expect(text).not.toContain('ann');
  const named = diagnosisText(diagnoseFrame(frame, '0.1.0', true));
  expect(named).toContain('"secret" is not a key.');
  expect(named).toContain('session:ann was refused');
});

test('every rule of the advice has a case', () => {
  const calm: Diagnosis = diagnoseFrame(frameOf(), '0.1.0', false);
  const said = (changes: Partial<Diagnosis>): string => adviceFor({ ...calm, ...changes }).join(' ');
  expect(said({})).toBe('nothing to do.');
  expect(said({ by: 'inspector' })).toContain('growth shows over time only');
  expect(said({ findings: [{ ...leak, knownLeak: undefined as never }] })).toContain('1 confirmed leak');
  expect(said({ level: 'critical' })).toContain('shed work');
  const memory = { ...calm.memory, rss: 2000 * MiB };
  expect(said({ memory: { ...memory, slack: 200 * MiB } })).toContain('release-rss');
  expect(said({ memory: { ...memory, native: 1500 * MiB } })).toContain('outside of V8');
  expect(said({ memory: { ...memory, arrayBuffers: 500 * MiB } })).toContain('kept Buffers');
  expect(said({ memory: { ...memory, code: 90 * MiB } })).toContain('compiled code');
  expect(said({ node: 'v20.1.0' })).toContain('out of support');
  const growing = { shape: 'growing' as const, bytes: MiB, floors: 9 };
  expect(
    said({
      growth: {
        heap: growing,
        external: { ...growing, shape: 'flat' },
        native: { ...growing, shape: 'flat' },
      },
    }),
  ).toContain('heap grew by 1.0 MiB');
  expect(
    said({
      floor: { bytes: 100 * MiB, ageMs: 1 },
      scopes: { ...(calm.scopes as NonNullable<Diagnosis['scopes']>), unattributedBytes: 90 * MiB },
    }),
  ).toContain('belong to no scope');
  const bare = diagnosisText({
    ...calm,
    growth: { heap: growing, external: growing, native: growing },
    floor: null,
  });
  expect(bare).toContain('heap growing by 1.0 MiB');
  expect(bare).toContain('no major GC seen');
});

test('a governed process is asked over its feed, any other is not touched unless its inspector may be opened', async () => {
  const feed = new FeedServer(socketPath(dir, process.pid));
  feed.listen(() => undefined);
  writeDescriptor(dir, {
    pid: process.pid,
    target: 'node x',
    startedAt: 1,
    socket: socketPath(dir, process.pid),
  });
  const beat = setInterval(() => feed.push(() => JSON.stringify(frameOf())), 20);
  const io = new TestIo(dir);
  expect(await io.plimsoll('doctor', String(process.pid), '--dir', '.', '--json')).toBe(0);
  expect((JSON.parse(io.out) as Diagnosis).by).toBe('feed');
  clearInterval(beat);
  expect(await nextFrame(dir, process.pid, 50)).toBeUndefined();
  feed.close();
  expect(await nextFrame(dir, 1)).toBeUndefined();

  writeFileSync(join(dir, 'app.mjs'), `setInterval(() => {}, 1000); console.log('up');`);
  const child = spawn(process.execPath, ['--inspect-port=0', join(dir, 'app.mjs')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: '' },
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const heard = (): string => said;
  await new Promise<void>((up) => void child.stdout.once('data', () => up()));
  const pid = child.pid as number;
  const still = new TestIo(dir);
  expect(await still.plimsoll('doctor', String(pid))).toBe(0);
  expect(still.out).toMatch(/seen through \/proc; it is not governed/);
  expect(still.out).toMatch(/memory {4}[\d.]+ MiB resident, peak [\d.]+ MiB; [\d.]+ MiB of it is heap/);
  expect(still.out).toMatch(/next .*\n.*--inspect asks V8 instead.*every user of this machine can run code/);
  // The inspector says on the standard error of the process that it was opened.
  expect(heard()).toBe('');
  const json = new TestIo(dir);
  expect(await json.plimsoll('doctor', String(pid), '--json')).toBe(0);
  expect(JSON.parse(json.out)).toMatchObject({ by: 'proc', pid, threads: expect.any(Number) });
  const other = new TestIo(dir);
  expect(await other.plimsoll('doctor', String(pid), '--inspect')).toBe(0);
  expect(other.out).toContain('seen through its inspector');
  expect(other.err).toContain('open to every user of this machine');
  expect(listeningPorts(pid).size).toBe(0);
  child.kill('SIGKILL');
});

test('without a process the machine and the folder are examined', async () => {
  const empty = examineMachine(dir, join(dir, 'ledger'), '0.1.0', 0);
  expect(empty.lastRun).toBeNull();
  expect(machineText(empty)).toContain('no ledger here');
  const ledger = openLedger({ dir: join(dir, 'ledger') });
  await ledger.audit({ kind: 'start', body: { pid: 4_194_305 } });
  await ledger.audit({ kind: 'finding', body: { fingerprint: 'x' } });
  await ledger.close();
  writeDescriptor(dir, { pid: process.pid, target: 't', startedAt: 0, socket: 's' });
  const io = new TestIo(dir);
  expect(await io.plimsoll('doctor', '--dir', '.')).toBe(0);
  expect(io.out).toMatch(/last run {2}died, peak unknown, 0 level changes, 1 findings/);
  expect(io.out).toContain(`plimsoll doctor ${process.pid}`);
  const json = new TestIo(dir);
  expect(await json.plimsoll('doctor', '--dir', '.', '--json')).toBe(0);
  expect(JSON.parse(json.out)).toMatchObject({ lastRun: { state: 'died', findings: 1 } });
  const bad = new TestIo(dir);
  expect(await bad.plimsoll('doctor', 'here')).toBe(1);
  expect(bad.err).toContain('a process id');
});
