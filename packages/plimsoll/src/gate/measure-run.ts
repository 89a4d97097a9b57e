import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { moduleBeside } from '@plimsoll/core/internal/own-module';
import { launchOf } from '../run/launch.ts';
import { startTarget } from '../run/target.ts';
import { StressChild } from '../stress/child.ts';
import type { StressSubject } from '../stress/child.ts';
import { discover, entryOf } from '../stress/discover.ts';
import { moduleDriver, serverDriver } from '../stress/driver.ts';
import { growthLine } from '../stress/growth-line.ts';
import type { LivePoint } from '../stress/growth-line.ts';
import { HttpClient } from '../stress/http-client.ts';
import { Random } from '../stress/random.ts';
import type { Recipe } from '../stress/recipe.ts';
import { countFileVariable } from './inside/count-file.ts';
import type { CountRecord } from './inside/count-file.ts';
import type { RunFigures } from './compare.ts';

interface GateRunOptions {
  readonly cwd: string;
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limitBytes: number | null;
  readonly calls: number;
  readonly seed: number;
  readonly signal: AbortSignal;
}

const slices = 8;
const sliceMs = 60_000;
/** Share of the calls before the first measurement, for compiling code and filling pools. */
const warmShare = 0.4;

/** One run of a server under a recipe, or of a module: the same number of calls each time, with eight measurements. */
export async function measureSubject(
  subject: StressSubject,
  recipe: Recipe | undefined,
  options: GateRunOptions,
): Promise<RunFigures> {
  const child = await StressChild.start({ ...options, subject, isProved: false });
  let peak = 0;
  let calls = 0;
  const points: LivePoint[] = [];
  try {
    using client = subject.kind === 'server' ? new HttpClient(child.base, 64) : undefined;
    const random = new Random(options.seed);
    const known =
      client === undefined
        ? undefined
        : (recipe ?? (await discover(client, entryOfServer(subject, options))));
    const driver =
      client === undefined || known === undefined
        ? moduleDriver(child, random, { followed: 0, survivors: 0 })
        : serverDriver(client, known.sessions, random, options.signal);
    const load = async (share: number): Promise<void> => {
      const tally = await driver.load({
        forMs: sliceMs,
        parallel: 8,
        mostSessions: Math.max(8, Math.round(share * options.calls)),
      });
      calls += tally.calls;
      const measured = await child.measure();
      if (measured === null) throw failure('PLM_GATE_NO_FIGURES', { command: nameOf(subject) });
      peak = Math.max(peak, measured.rss);
      points.push({ work: calls, bytes: measured.heapUsed + measured.external });
    };
    await load(warmShare);
    for (let i = 0; i < slices && !options.signal.aborted; i++) await load(1 / slices);
  } finally {
    const { series } = await child.end();
    peak = Math.max(peak, ...(series?.rss ?? []));
  }
  return figuresOf(points, calls, peak);
}

function entryOfServer(subject: StressSubject, { cwd }: GateRunOptions): string | undefined {
  return subject.kind === 'server' ? entryOf(subject.command, cwd) : undefined;
}

function nameOf(subject: StressSubject): string {
  return subject.kind === 'server' ? subject.command.join(' ') : subject.file;
}

/** One run of a command that ends by itself, such as `npm run load`. HTTP requests that its processes serve are its calls. */
export async function measureCommand(
  command: readonly [string, ...string[]],
  options: GateRunOptions,
): Promise<RunFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-gate-'));
  const register = moduleBeside('inside/count-register', import.meta.url);
  const { limitBytes } = options;
  const heap =
    limitBytes === null ? [] : [`--max-old-space-size=${Math.max(16, Math.round(limitBytes / 1024 ** 2))}`];
  try {
    const launch = launchOf(
      command,
      { ...options.env, [countFileVariable]: join(folder, 'count') },
      {
        dir: options.dir,
        maxPauseMs: 'off',
        stdio: 'pipe',
        nodeFlags: [...heap, `--import=${register.href}`],
      },
    );
    const target = await startTarget(launch, options.cwd);
    // Its output is not shown, but it has to be read, because a full pipe would block the program.
    for (const stream of target.output) stream.resume();
    const stop = (): void => target.signal('SIGTERM');
    options.signal.addEventListener('abort', stop, { once: true });
    const exit = await target.ended;
    options.signal.removeEventListener('abort', stop);
    if (exit.code !== 0 && !options.signal.aborted)
      throw failure('PLM_GATE_RUN_FAILED', {
        command: command.join(' '),
        end: exit.signal ?? `exit code ${exit.code}`,
      });
    const record = heaviest(folder);
    if (record === undefined) throw failure('PLM_GATE_NO_FIGURES', { command: command.join(' ') });
    const points = record.points.map(([work, bytes]) => ({ work, bytes }));
    return figuresOf(points, record.calls, record.peakBytes);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The process that did the work: the one with the most calls, else the one with the most memory. */
function heaviest(folder: string): CountRecord | undefined {
  const records = readdirSync(folder).flatMap((name) => {
    try {
      return [JSON.parse(readFileSync(join(folder, name), 'utf8')) as CountRecord];
    } catch {
      return [];
    }
  });
  return records.toSorted((a, b) => b.calls - a.calls || b.peakBytes - a.peakBytes)[0];
}

/** The line through the later points; the first ones are warm-up. */
export function figuresOf(points: readonly LivePoint[], calls: number, peakBytes: number): RunFigures {
  const total = points.at(-1)?.work ?? 0;
  const warm = points.filter(({ work }) => work >= (warmShare / (1 + warmShare)) * total);
  const line = calls === 0 ? null : growthLine(warm.length >= 3 ? warm : points);
  return { calls, bytesPerCall: line?.slope ?? null, liveBytes: points.at(-1)?.bytes ?? 0, peakBytes };
}
