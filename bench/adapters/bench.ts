/**
 * What the adapters cost, per framework: CPU time per call with the adapter and without it, and the growth of the live heap. Uses the
 * frameworks of `test/frameworks`:
 *
 *   npm run bench -- adapters [http|ai|langgraph|openai-agents|mastra|mcp]... [--quick]   (11 minutes)
 *   npm run bench -- adapters cured    the live leaks of the frameworks under the preload
 *   npm run bench -- adapters bytes    bytes per session against what heap snapshots say that its end sets free
 *   npm run bench -- adapters found    the same leaks under `plimsoll run --report` with the adapters off (long)
 *
 * With and without take turns in blocks of 8 ms, each in a process of its own under the host, in several groups of fresh processes. Without
 * is measured twice: that ratio is the noise.
 * `call` is the least that a framework can do, with a model that answers at once; it shows what the adapter adds. `turn` is what a server
 * does: 20 messages are sent to a provider in another process and its stream of 80 events is read.
 */
import { installFrameworks, result } from '../../test/frameworks/frameworks.ts';
import { row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';
import { bytes } from './bytes.ts';
import { cured } from './cured.ts';
import { found } from './found.ts';
import { paceOf } from './pace.ts';

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
      rows.push(...(await pace(name, load, quick)));
      log(`${name} ${load}`);
    }
    rows.push(await growth(name, quick ? 1000 : 10_000));
    log(`${name} growth`);
  }
  return rows;
};

async function pace(name: string, load: 'call' | 'turn', isQuick: boolean): Promise<readonly Row[]> {
  // A turn has to be decided within 2 %, and two processes of one program differ by more.
  const groups = isQuick ? 1 : load === 'call' ? 2 : 6;
  const paces = await paceOf(name, load, groups, isQuick ? 1 : load === 'call' ? 2 : 4);
  const on = paces.map((each) => each.on);
  return [
    row({
      metric: `${name} ${load}: CPU time without the adapter, of that with it (calls per second)`,
      unit: 'µs',
      samples: paces.map(({ on: micros, ratio }) => micros * ratio),
      peer: { name: 'with', samples: on, isPaired: true },
      goal: { atLeast: 0.98 },
    }),
    row({
      metric: `${name} ${load}: without, of without (noise)`,
      unit: 'x',
      samples: paces.map(({ noise }) => noise),
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
