import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';

const root = resolve(import.meta.dirname, '../..');
const cli = join(root, 'packages/plimsoll/dist/cli.js');
const preload = join(root, 'packages/host/src/register.ts');

/** What `plimsoll top` writes and holds on a terminal of 50 rows while ten thousand scopes change; the built one, as users run it. */
export async function topCost({ quick, log }: BenchOptions): Promise<Row[]> {
  if (!existsSync(cli)) throw new Error('Build first: npm run build.');
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-top-'));
  writeFileSync(join(dir, 'app.mjs'), program(quick ? 500 : 10_000));
  const app = spawn(
    process.execPath,
    ['--conditions=plimsoll-source', '--import', preload, join(dir, 'app.mjs')],
    { cwd: dir, stdio: 'ignore' },
  );
  const seconds = quick ? 5 : 20;
  const rates: number[] = [];
  const peaks: number[] = [];
  try {
    await wait(4000);
    for (let i = 0; i < (quick ? 1 : 3); i += 1) {
      log(`dashboard: top, ${seconds} s`);
      const { bytes, peakMiB } = await watch(dir, seconds);
      rates.push(bytes / seconds / 1e6);
      peaks.push(peakMiB);
    }
  } finally {
    const exit = once(app, 'exit');
    app.kill('SIGKILL');
    await exit;
    rmSync(dir, { recursive: true, force: true });
  }
  return [
    row({ metric: 'top: written to the terminal', unit: 'MB/s', samples: rates, goal: { atMost: 1 } }),
    row({ metric: 'top: resident memory at most', unit: 'MiB', samples: peaks, goal: { atMost: 60 } }),
  ];
}

function program(scopes: number): string {
  return `import { open } from ${JSON.stringify(join(root, 'packages/core/src/index.ts'))};
const all = Array.from({ length: ${scopes} }, (_, i) => open('session', 's' + i));
for (const [i, scope] of all.entries()) scope.charge(1000 + i);
setInterval(() => { for (let i = 0; i < 200; i++) all[Math.floor(Math.random() * all.length)].charge(10); }, 100);
`;
}

/** Runs top on a terminal made by script(1). */
async function watch(dir: string, seconds: number): Promise<{ bytes: number; peakMiB: number }> {
  const pidFile = join(dir, 'pid');
  const line = `stty rows 50 cols 140; echo $$ > ${pidFile}; exec ${process.execPath} ${cli} top`;
  const child = spawn('script', ['-qfec', line, '/dev/null'], {
    cwd: dir,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => (bytes += chunk.length));
  await wait(seconds * 1000);
  const status = readFileSync(`/proc/${readFileSync(pidFile, 'utf8').trim()}/status`, 'utf8');
  const exit = once(child, 'exit');
  child.stdin.write('q');
  child.stdin.end();
  await exit;
  return { bytes, peakMiB: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024 };
}
