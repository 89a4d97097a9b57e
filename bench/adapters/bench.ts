/**
 * What the adapters cost, per framework: CPU time per call with the adapter and without it, and the growth of the live heap. Uses the
 * frameworks of `test/frameworks`:
 *
 *   npm run bench -- adapters [http|ai|langgraph|openai-agents|mastra|mcp]... [--quick]   (6 minutes)
 *   npm run bench -- adapters cured    the live leaks of the frameworks under the preload
 *   npm run bench -- adapters bytes    bytes per session against the dominators of a heap snapshot
 *   npm run bench -- adapters found    the same leaks under `plimsoll run --report` with the adapters off (long)
 *
 * With and without take turns in one process, in blocks of 60 ms, both under the host. Without is measured twice: that ratio is the noise.
 * `call` is the least that a framework can do, with a model that answers at once; it shows what the adapter adds. `turn` is what a server
 * does: 20 messages are sent to a provider in another process and its stream of 80 events is read.
 */
import { installFrameworks, result } from '../../test/frameworks/frameworks.ts';
import { row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';
import { bytes } from './bytes.ts';
import { cured } from './cured.ts';
import { found } from './found.ts';

const frameworks = ['http', 'ai', 'langgraph', 'openai-agents', 'mastra', 'mcp'] as const;

const benchmark: Benchmark = async (options) => {
  const { quick, args, log } = options;
  await installFrameworks();
  if (args.includes('found')) return found(options);
  if (args.includes('cured')) return cured(options);
  if (args.includes('bytes')) return bytes(options);
  const rows: Row[] = [];
  for (const name of frameworks) {
    if (args.length > 0 && !args.includes(name)) continue;
    for (const load of ['call', 'turn'] as const) {
      rows.push(...(await pace(name, load, quick ? 2 : 9)));
      log(`${name} ${load}`);
    }
    rows.push(await growth(name, quick ? 1000 : 10_000));
    log(`${name} growth`);
  }
  return rows;
};

interface Pace {
  /** CPU ms per call of each block. */
  readonly figures: Readonly<Record<'off' | 'on' | 'again', readonly number[]>>;
}

async function pace(name: string, load: 'call' | 'turn', seconds: number): Promise<readonly Row[]> {
  const { figures } = await result<Pace>('call-pace.mjs', {
    args: [name, load],
    env: { FOR_SECONDS: String(seconds), NODE_ENV: 'production' },
  });
  const { off, on, again } = figures;
  const without = off.map((ms, i) => (ms + (again[i] ?? ms)) / 2);
  return [
    row({
      metric: `${name} ${load}: calls per second with the adapter, of those without`,
      unit: 'x',
      samples: without.map((ms, i) => ms / (on[i] ?? ms)),
      goal: { atLeast: 0.98 },
    }),
    row({
      metric: `${name} ${load}: without, of without (noise)`,
      unit: 'x',
      samples: off.map((ms, i) => ms / (again[i] ?? ms)),
    }),
    row({
      metric: `${name} ${load}: CPU time`,
      unit: 'µs',
      samples: on.map((ms) => 1000 * ms),
      peer: { name: 'without', samples: without.map((ms) => 1000 * ms) },
    }),
  ];
}

/** Bytes per call from two fifths of the calls on: before that V8 compiles, and frameworks load what they need. */
async function growth(name: string, calls: number): Promise<Row> {
  const { floors } = await result<{ floors: readonly number[] }>('call-growth.mjs', {
    args: [name],
    env: { CALLS: String(calls), NODE_ENV: 'production' },
  });
  const later = floors.slice(1);
  const samples = later.slice(1).map((bytes, i) => ((bytes - (later[i] ?? bytes)) * 5) / calls);
  return row({
    metric: `${name}: growth per call after ${(calls * 2) / 5} of ${calls} calls`,
    unit: 'B',
    samples,
    goal: { atMost: 100 },
  });
}

export default benchmark;
