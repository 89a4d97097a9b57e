/** Every process of a program is judged: workers that end after their primary, a program that starts itself again, orphans. */
import { EventEmitter } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { Site, workFolder } from './plimsoll.ts';
import { launchOf } from '../../packages/plimsoll/src/run/launch.ts';
import { supervise } from '../../packages/plimsoll/src/run/supervise.ts';
import { untilRead, untilTold } from '../../packages/plimsoll/src/run/program.fixture.ts';

interface Written {
  readonly verdict: string;
  readonly why: string;
  readonly findings: readonly { readonly trace?: readonly { readonly name: string }[] }[];
  readonly processes: readonly { readonly pid: number; readonly target: string; readonly verdict: string }[];
}

const reportOf = (dir: string): Written => JSON.parse(readFileSync(join(dir, 'out.json'), 'utf8')) as Written;

const work = (step: string): string => `
${untilRead(2)}
const { setImmediate: turn, setTimeout: sleep } = await import('node:timers/promises');
class Turn { constructor(i) { this.text = ["turn", i, String(i)]; } }
const turns = (globalThis.turns = new Map());
let n = 0;
for (let round = 0; round < 80; round++) {
  for (let i = 0; i < 500; i++) { ${step} }
  await sleep(50); gc(); await turn();
}
`;
const leaking = work('turns.set(n, new Turn(n++));');
const bounded = work('turns.set(n, new Turn(n++)); if (turns.size > 500) turns.delete(n - 501);');

/** The worker is told by its primary's end that it should end, and then takes its last look. */
const cluster = (body: string): string => `
import cluster from 'node:cluster';
if (cluster.isPrimary) {
  cluster.fork().on('message', () => process.exit(0));
} else {
  ${body}
  process.send('done');
}
`;

test.concurrent(
  'a worker that leaks decides, although its primary ends first',
  { timeout: 300_000 },
  async () => {
    await using site = new Site({ 'cluster.mjs': cluster(leaking) });
    const end = await site.plimsoll([
      'run',
      '--report',
      'out.json',
      // A busy machine would refuse the snapshot that names the holder.
      '--max-pause',
      '10m',
      '--',
      'node',
      '--expose-gc',
      'cluster.mjs',
    ]).ended;
    const report = reportOf(site.dir);
    expect(report.verdict, report.why).toBe('leak');
    expect(report.processes).toMatchObject([
      { target: 'node cluster.mjs', verdict: report.verdict },
      { target: 'node cluster.mjs' },
    ]);
    expect(report.why).toContain(`pid ${report.processes[0]?.pid} (node cluster.mjs): `);
    expect(report.why).toContain('grew by');
    expect(end.stderr).toMatch(/processes pid \d+ node cluster\.mjs: leak, /);
    expect(readdirSync(join(site.dir, '.plimsoll')).filter((name) => !name.startsWith('ledger'))).toEqual([]);
  },
);

test.concurrent(
  'a program that starts itself again is judged by the process that did the work',
  { timeout: 300_000 },
  async () => {
    await using site = new Site({
      'again.mjs': `
import { spawnSync } from 'node:child_process';
if (process.env.AGAIN === undefined) {
  const { status } = spawnSync(process.execPath, [...process.execArgv, 'again.mjs'], { env: { ...process.env, AGAIN: '1' }, stdio: 'inherit' });
  process.exit(status);
}
${bounded}`,
    });
    await site.plimsoll(['run', '--report', 'out.json', '--', 'node', '--expose-gc', 'again.mjs']).ended;
    const report = reportOf(site.dir);
    expect(report.processes).toHaveLength(2);
    const worker = Math.max(...report.processes.map(({ pid }) => pid));
    expect(report.why).toContain(`pid ${worker} (node again.mjs): `);
    expect(report.verdict).toBe(report.processes.find(({ pid }) => pid === worker)?.verdict);
    expect(report.verdict).not.toBe('leak');
  },
);

test.concurrent.each(['SIGTERM', 'SIGINT'] as const)(
  'a server without handlers has a verdict when %s ends it',
  { timeout: 300_000 },
  async (signal) => {
    await using site = new Site({
      'server.mjs': `${leaking}
process.stdout.write('pid ' + process.pid + '.');
setInterval(() => undefined, 1000);`,
    });
    const run = site.plimsoll([
      'run',
      '--report',
      'out.json',
      '--max-pause',
      '10m',
      '--',
      'node',
      '--expose-gc',
      'server.mjs',
    ]);
    const pid = Number((await run.seen(/pid (\d+)\./))[1]);
    // A terminal sends SIGINT to the whole group; SIGTERM is handed on by us.
    process.kill(run.child.pid as number, signal);
    if (signal === 'SIGINT') process.kill(pid, signal);
    const end = await run.ended;
    expect(end.code).toBe(signal === 'SIGTERM' ? 143 : 130);
    const report = reportOf(site.dir);
    // Without the last look there would be no record, and the run would say that nothing was seen.
    expect(report.verdict, report.why).toBe('leak');
    expect(report.why).toContain('grew by');
  },
);

test.concurrent.each([
  ['is killed when nobody handles the signal', '', 'SIGKILL'],
  ['is left alone when it handles the signal', "process.on('SIGTERM', () => undefined);", null],
] as const)('a program whose loop is stuck %s', { timeout: 300_000 }, async (_, own, expected) => {
  const dir = workFolder({
    'stuck.mjs': `${own}${untilTold}
import { writeFileSync } from 'node:fs';
writeFileSync('stuck', '');
while (!isThere('free'));
process.exit(3);`,
  });
  const signals = new EventEmitter();
  const killed: number[] = [];
  const running = supervise({
    launch: launchOf([process.execPath, 'stuck.mjs'], process.env, {
      dir: join(dir, '.plimsoll'),
      maxPauseMs: 0,
    }),
    cwd: dir,
    dir: join(dir, '.plimsoll'),
    keepSnapshots: false,
    mostPerHour: 0,
    stuckMs: 100,
    signals,
    onFrame: () => writeFileSync(join(dir, 'end'), ''),
    onAnalysis: () => undefined,
    onNext: () => undefined,
    onStuck: (pid) => void killed.push(pid),
  });
  await vi.waitFor(() => expect(existsSync(join(dir, 'stuck'))).toBe(true), { timeout: 100_000 });
  signals.emit('SIGTERM', 'SIGTERM');
  if (expected === null) setTimeout(() => writeFileSync(join(dir, 'free'), ''), 1000);
  const [life] = await running;
  await life?.conclusion;
  expect(life?.exit.signal).toBe(expected);
  expect(killed).toHaveLength(expected === null ? 0 : 1);
});

test.concurrent(
  'an orphan proves nothing any more, and the next run removes what is left',
  { timeout: 300_000 },
  async () => {
    await using site = new Site({
      'server.mjs': `${leaking}
process.stdout.write('pid ' + process.pid + '.');
const { existsSync } = await import('node:fs');
while (!existsSync('end')) await sleep(20);`,
      'short.mjs': '',
    });
    const run = site.plimsoll(['run', '--report', 'out.json', '--', 'node', '--expose-gc', 'server.mjs']);
    const pid = Number((await run.seen(/pid (\d+)\./))[1]);
    const dir = join(site.dir, '.plimsoll');
    const supervisor = run.child.pid as number;
    process.kill(supervisor, 'SIGKILL');
    await vi.waitFor(() => expect(isAlive(supervisor)).toBe(false), { timeout: 100_000 });
    await vi.waitFor(
      () => expect(readdirSync(dir).filter((name) => name.endsWith('.heapsnapshot'))).toEqual([]),
      {
        timeout: 100_000,
      },
    );
    writeFileSync(join(site.dir, 'end'), '');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 100_000 });
    expect(existsSync(join(dir, `${pid}.proof.json`))).toBe(false);
    writeFileSync(join(dir, `${pid}.first.heapsnapshot`), 'users data');
    await site.plimsoll(['run', '--', 'node', 'short.mjs']).ended;
    expect(readdirSync(dir).filter((name) => !name.startsWith('ledger'))).toEqual([]);
  },
);
