import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';

const root = resolve(import.meta.dirname, '../..');
const command = join(root, 'packages/plimsoll/src/cli.ts');

/** The part of a report that says what Plimsoll took in the last minute. */
interface Report {
  readonly verdict: string;
  readonly self: {
    readonly cpuRatio: number;
    readonly parts: readonly { readonly part: string; readonly cpuRatio: number }[];
  };
}

const programs = {
  'the server of the README': {
    flags: ['--policy', join(root, 'examples/agent-server/plimsoll.yaml')],
    args: [join(root, 'examples/agent-server/src/main.ts'), '--load'],
  },
  '5,000 open scopes': { flags: [], args: [join(import.meta.dirname, 'many-scopes.ts'), '5000'] },
} as const;

/** What governing takes by its own account in the last minute of 90 s with `--report`, by part. */
export async function ownCost({ quick, log }: BenchOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, { flags, args }] of Object.entries(programs)) {
    const reports: Report[] = [];
    for (let i = 0; i < (quick ? 1 : 3); i++) {
      const report = await run(flags, args, 90);
      log(`overhead: ${name}: ${report.verdict}, ${textOf(report)}`);
      reports.push(report);
    }
    const samples = (of: (report: Report) => number): number[] => reports.map((each) => 100 * of(each));
    const shape = (part: string): number[] =>
      samples(({ self }) => self.parts.find((each) => each.part === part)?.cpuRatio ?? 0);
    rows.push(
      row({
        metric: `own cost of ${name}, 30 to 90 s`,
        unit: '% of a core',
        samples: samples(({ self }) => self.cpuRatio),
        goal: { atMost: 1 },
      }),
      ...(reports[0]?.self.parts ?? []).map(({ part }) =>
        row({ metric: `  ${part}`, unit: '% of a core', samples: shape(part) }),
      ),
    );
  }
  return rows;
}

function textOf({ self }: Report): string {
  const percent = (ratio: number): string => `${(100 * ratio).toFixed(2)} %`;
  return `${percent(self.cpuRatio)} (${self.parts.map(({ part, cpuRatio }) => `${part} ${percent(cpuRatio)}`).join(', ')})`;
}

async function run(flags: readonly string[], args: readonly string[], seconds: number): Promise<Report> {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-own-cost-'));
  const file = join(dir, 'report.json');
  const source = '--conditions=plimsoll-source';
  const given = ['run', '--status', '0', '--dir', join(dir, 'p'), '--report', file, ...flags];
  const child = spawn(
    process.execPath,
    [source, command, ...given, '--', process.execPath, source, ...args],
    { cwd: dir, stdio: 'ignore' },
  );
  const ended = once(child, 'exit');
  try {
    await Promise.race([sleep(1000 * seconds), ended]);
    child.kill('SIGTERM');
    await ended;
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
