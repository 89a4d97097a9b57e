/**
 * What the adapters cost: CPU time per call of each framework, alone, under the preload with all adapters off (the host), and with them on,
 * in turns; and the live heap before and after the last half of the calls. Uses the frameworks of `test/frameworks`:
 *
 *   npm run bench -- adapters [http|ai|langgraph|openai-agents|mastra|mcp]... [--quick]
 *
 * A machine with other work makes the spread wide; CPU time is the measure.
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

const variants = ['alone', 'host', 'adapters'] as const;
type Variant = (typeof variants)[number];

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
    const ran: Record<Variant, Figures[]> = { alone: [], host: [], adapters: [] };
    for (let i = 0; i < repeats; i += 1) {
      for (const variant of variants) ran[variant].push(await drive(name, variant, quick));
      log(`${name} ${i + 1} of ${repeats}`);
    }
    const perSecond = (variant: Variant): readonly number[] =>
      ran[variant].map(({ cpuMsPerCall }) => 1000 / cpuMsPerCall);
    rows.push(
      row({
        metric: `${name}: calls per second of CPU time, adapters on`,
        unit: '1/s',
        samples: perSecond('adapters'),
        peer: { name: 'adapters off', samples: perSecond('host') },
        goal: { atLeast: 0.98 },
      }),
      row({
        metric: `${name}: the host without adapters`,
        unit: '1/s',
        samples: perSecond('host'),
        peer: { name: 'alone', samples: perSecond('alone') },
      }),
      row({
        metric: `${name}: growth per call`,
        unit: 'B',
        samples: ran.adapters.map(({ bytesPerCall }) => bytesPerCall),
        goal: { of: 'ours', atMost: 100 },
      }),
    );
  }
  return rows;
};

async function drive(name: string, variant: Variant, quick: boolean): Promise<Figures> {
  const preload = [
    '--conditions=plimsoll-source',
    '--import',
    resolve(root, 'packages/host/src/register.ts'),
  ];
  const { stdout } = await exec(
    process.execPath,
    [
      '--expose-gc',
      ...(variant === 'alone' ? [] : preload),
      resolve(root, 'test/frameworks/programs/calls.mjs'),
      name,
    ],
    {
      cwd: resolve(root, 'test/frameworks'),
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        NODE_ENV: 'production',
        CALLS: quick ? '1000' : '10000',
        ...(variant === 'host' && { PLIMSOLL_ADAPTERS: 'off', NO_WAIT: '1' }),
      },
    },
  );
  return JSON.parse(stdout.trim().split('\n').at(-1) as string) as Figures;
}

export default benchmark;
