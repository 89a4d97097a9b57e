/**
 * What the adapters cost: CPU time per call of each framework, alone and under the preload in turns, and the live heap before and after the
 * last half of the calls. Uses the frameworks of `test/frameworks`. A machine with other work makes the spread wide; CPU time is the measure.
 */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { installFrameworks } from '../../test/frameworks/frameworks.ts';
import { row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';

const exec = promisify(execFile);
const here = import.meta.dirname;
const root = resolve(here, '../..');
const frameworks = ['http', 'ai', 'langgraph', 'openai-agents', 'mastra', 'mcp'] as const;

interface Figures {
  readonly cpuMsPerCall: number;
  readonly bytesPerCall: number;
}

const benchmark: Benchmark = async ({ quick, args, log }) => {
  await installFrameworks();
  const rows: Row[] = [];
  const repeats = quick ? 1 : 5;
  for (const name of frameworks) {
    if (args.length > 0 && !args.includes(name)) continue;
    const alone: Figures[] = [];
    const governed: Figures[] = [];
    for (let i = 0; i < repeats; i += 1) {
      alone.push(await drive(name, false, quick));
      governed.push(await drive(name, true, quick));
      log(`${name} ${i + 1} of ${repeats}`);
    }
    rows.push(
      row({
        metric: `${name}: calls per second of CPU time`,
        unit: '1/s',
        samples: governed.map(({ cpuMsPerCall }) => 1000 / cpuMsPerCall),
        peer: { name: 'alone', samples: alone.map(({ cpuMsPerCall }) => 1000 / cpuMsPerCall) },
        goal: { atLeast: 0.98 },
      }),
      row({
        metric: `${name}: growth per call`,
        unit: 'B',
        samples: governed.map(({ bytesPerCall }) => bytesPerCall),
        goal: { of: 'ours', atMost: 100 },
      }),
    );
  }
  return rows;
};

async function drive(name: string, isGoverned: boolean, quick: boolean): Promise<Figures> {
  const preload = [
    '--conditions=plimsoll-source',
    '--import',
    resolve(root, 'packages/host/src/register.ts'),
  ];
  const { stdout } = await exec(
    process.execPath,
    [
      '--expose-gc',
      ...(isGoverned ? preload : []),
      resolve(root, 'test/frameworks/programs/calls.mjs'),
      name,
    ],
    {
      cwd: resolve(root, 'test/frameworks'),
      env: { ...process.env, NODE_OPTIONS: '', NODE_ENV: 'production', CALLS: quick ? '500' : '10000' },
    },
  );
  return JSON.parse(stdout.trim().split('\n').at(-1) as string) as Figures;
}

export default benchmark;
