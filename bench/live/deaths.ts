/**
 * Death within the hour: leaks of different pace under small heaps, started by the built command without flags, until V8 aborts them. The
 * forecast of each frame is held against the time that was really left.
 *
 *   npm run bench -- live deaths     PARALLEL=3 COUNT=10 in the environment; 12 minutes
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive } from '../../packages/core/src/is-alive.ts';
import { liveDescriptors, watchFeed } from '../../packages/host/src/protocol/index.ts';
import type { Report } from '../../packages/plimsoll/src/run/report.ts';
import { row, type BenchOptions, type Row } from '../row.ts';

/** One leak: the size of its heap, the seconds that it takes to fill it, and how. */
interface Leak {
  readonly heapMb: number;
  readonly seconds: number;
  readonly kind: keyof typeof kinds;
}

/** How `add(bytes)` leaks about so many bytes. */
const kinds = {
  map: `const sessions = new Map(); const add = (bytes) => { for (let n = 0; n < bytes; n += 1200) sessions.set(id(), { user: id(), turns: [text(400), text(400)] }); };`,
  list: `const audit = []; const add = (bytes) => { for (let n = 0; n < bytes; n += 700) audit.push({ at: Date.now(), line: text(500) }); };`,
  objects: `const graph = { nodes: {} }; const add = (bytes) => { for (let n = 0; n < bytes; n += 500) graph.nodes[id()] = { links: [n, n + 1], weight: n / 3, tags: { a: id() } }; };`,
  closures: `const waiters = new Set(); const add = (bytes) => { for (let n = 0; n < bytes; n += 900) { const body = text(700); waiters.add(() => body.length); } };`,
  'speeds-up': `const jobs = new Map(); let many = 0; const add = (bytes) => { many += 1; for (let n = 0; n < bytes * Math.min(2, 0.4 + many / beats); n += 1200) jobs.set(id(), { input: text(900) }); };`,
} as const;

const leaks: readonly Leak[] = [
  { heapMb: 256, seconds: 60, kind: 'map' },
  { heapMb: 256, seconds: 120, kind: 'list' },
  { heapMb: 256, seconds: 150, kind: 'objects' },
  { heapMb: 256, seconds: 200, kind: 'closures' },
  { heapMb: 256, seconds: 240, kind: 'speeds-up' },
  { heapMb: 256, seconds: 300, kind: 'map' },
  { heapMb: 1024, seconds: 180, kind: 'list' },
  { heapMb: 1024, seconds: 240, kind: 'map' },
  { heapMb: 1024, seconds: 300, kind: 'objects' },
  { heapMb: 1024, seconds: 330, kind: 'closures' },
];

const beatMs = 250;
/** A leak that lives this many times longer than planned is ended: the machine is too busy for it. */
const patience = 4;
const root = resolve(import.meta.dirname, '../..');

function sourceOf({ heapMb, seconds, kind }: Leak): string {
  const beats = Math.round((seconds * 1000) / beatMs);
  return `
import http from 'node:http';
import { randomBytes } from 'node:crypto';
const beats = ${beats};
const id = () => randomBytes(16).toString('hex');
const text = (length) => randomBytes(length / 2).toString('hex');
${kinds[kind]}
const server = http.createServer((request, response) => response.end('ok')).listen(0, '127.0.0.1');
setInterval(() => http.get({ port: server.address().port, host: '127.0.0.1' }, (answer) => answer.resume()), 1000);
setInterval(() => { text(20_000); add(${Math.round((heapMb * 1024 ** 2) / beats)}); }, ${beatMs});
`;
}

interface Told {
  /** Ms since the program was started. */
  readonly at: number;
  readonly ms: number | null;
  readonly floor: number | undefined;
  readonly majors: number;
}

interface Death {
  readonly leak: Leak;
  /** Ms until it died; undefined when it was ended. */
  readonly diedMs: number | undefined;
  readonly told: readonly Told[];
  readonly verdict: string;
  readonly holder: string;
}

export async function deaths({ quick, log }: BenchOptions): Promise<readonly Row[]> {
  const count = Number(process.env['COUNT'] ?? leaks.length);
  const waiting = leaks.slice(0, quick ? 1 : count);
  const found: Death[] = [];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const death = await live(next);
      found.push(death);
      log(textOf(death));
    }
  };
  await Promise.all(Array.from({ length: Number(process.env['PARALLEL'] ?? 3) }, lane));
  const ratios = found.map((death) => ratioAt(death, 0.5));
  const share = (is: (death: Death, i: number) => boolean): number => found.filter(is).length / found.length;
  return [
    row({
      metric: `deaths: forecast within 2x at half of the life, of ${found.length}`,
      unit: 'share',
      samples: [share((_, i) => isWithin(ratios[i]))],
      goal: { atLeast: 0.9 },
    }),
    row({
      metric: 'deaths: first forecast, part of the life',
      unit: 'share',
      samples: found.map(
        ({ told, diedMs = 1 }) => (told.find(({ ms }) => ms !== null)?.at ?? diedMs) / diedMs,
      ),
    }),
    row({
      metric: 'deaths: verdict leak with its holder or line',
      unit: 'share',
      samples: [share(({ verdict, holder }) => verdict === 'leak' && holder !== '')],
      goal: { atLeast: 1 },
    }),
  ];
}

async function live(leak: Leak): Promise<Death> {
  const work = mkdtempSync(join(process.env['KEEP_REPORTS'] || tmpdir(), `death-${leak.kind}-`));
  const reportFile = join(work, 'report.json');
  writeFileSync(join(work, 'server.mjs'), sourceOf(leak));
  const dir = join(work, 'run');
  const node = [process.execPath, `--max-old-space-size=${leak.heapMb}`, join(work, 'server.mjs')];
  const cli = join(root, 'packages/plimsoll/dist/cli.js');
  const started = performance.now();
  const run = spawn(
    process.execPath,
    [cli, 'run', '--dir', dir, '--no-restart', '--report', reportFile, '--', ...node],
    { cwd: work, stdio: 'ignore', env: { ...process.env, NODE_OPTIONS: '' } },
  );
  const ended = once(run, 'exit');
  const told: Told[] = [];
  const gone = await follow(dir, told, started, leak.seconds * 1000 * patience);
  if (gone === undefined) run.kill('SIGTERM');
  await ended;
  const report = existsSync(reportFile)
    ? (JSON.parse(readFileSync(reportFile, 'utf8')) as Report)
    : undefined;
  if (process.env['KEEP_REPORTS'] === undefined) rmSync(work, { recursive: true, force: true });
  else writeFileSync(join(work, 'told.json'), JSON.stringify({ leak, diedMs: gone, told }));
  const first = report?.findings.find(({ kind }) => kind === 'growth');
  return {
    leak,
    diedMs: gone,
    told,
    verdict: report?.verdict ?? 'no report',
    holder: first?.holder ?? first?.site ?? '',
  };
}

/** Notes the forecast of every frame until the process is gone; ms until then, undefined when it outlives the time. */
async function follow(
  dir: string,
  told: Told[],
  started: number,
  mostMs: number,
): Promise<number | undefined> {
  let pid: number | undefined;
  while (performance.now() - started < mostMs) {
    const found = liveDescriptors(dir)[0];
    if (found !== undefined) {
      pid = found.pid;
      await watch(found.socket, told, started, mostMs);
    } else if (pid !== undefined && !isAlive(pid)) return performance.now() - started;
    await wait(200);
  }
  return undefined;
}

/** Until the feed is closed; the host closes it on a reader that is too slow, too. */
function watch(socket: string, told: Told[], started: number, mostMs: number): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(() => feed.close(), mostMs - (performance.now() - started));
    const feed = watchFeed(socket, {
      onFrame: ({ forecast, reading: { floor, majors } }) =>
        told.push({
          at: performance.now() - started,
          ms: forecast === null ? null : (forecast.endMs ?? forecast.ms),
          floor,
          majors,
        }),
      onClose: () => {
        clearTimeout(timer);
        done();
      },
    });
  });
}

/** The forecast over the time that was left, at a part of the life; undefined when there was none. */
function ratioAt({ told, diedMs }: Death, part: number): number | undefined {
  if (diedMs === undefined) return undefined;
  const last = told.findLast(({ at }) => at <= part * diedMs);
  return last === undefined || last.ms === null ? undefined : last.ms / (diedMs - last.at);
}

function isWithin(ratio: number | undefined): boolean {
  return ratio !== undefined && ratio >= 0.5 && ratio <= 2;
}

function textOf(death: Death): string {
  const { leak, diedMs, told, verdict, holder } = death;
  const at = (part: number): string => ratioAt(death, part)?.toFixed(2) ?? 'none';
  const first = told.find(({ ms }) => ms !== null)?.at;
  return `${isWithin(ratioAt(death, 0.5)) ? 'ok  ' : 'MISS'} ${leak.heapMb} MB ${leak.kind.padEnd(10)} died ${diedMs === undefined ? 'not' : `after ${(diedMs / 1000).toFixed(0)} s`}, first forecast ${first === undefined ? 'none' : `${(first / 1000).toFixed(0)} s`}, forecast / truth at 1/4, 1/2, 3/4 of its life: ${at(0.25)}, ${at(0.5)}, ${at(0.75)}; ${verdict} ${holder}`;
}
