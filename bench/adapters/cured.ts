/** The live leaks of the frameworks, alone and under the preload: bytes that each call leaves behind. */
import { result } from '../../test/frameworks/frameworks.ts';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';

interface Leak {
  readonly name: string;
  readonly program: string;
  readonly args?: readonly string[];
  /** Calls without a cure; each keeps what the issue says. */
  readonly alone: number;
  readonly governed: number;
}

const leaks: readonly Leak[] = [
  {
    name: 'AI SDK, the reader leaves, shared signal',
    program: 'ai-left.mjs',
    args: ['shared'],
    alone: 200,
    governed: 5000,
  },
  {
    name: 'AI SDK, the reader leaves, AbortSignal.any',
    program: 'ai-left.mjs',
    args: ['any'],
    alone: 200,
    governed: 5000,
  },
  { name: 'LangGraph, long-lived signal', program: 'langgraph-left.mjs', alone: 1000, governed: 3000 },
  { name: 'Mastra, createRun never started', program: 'mastra-runs.mjs', alone: 1000, governed: 3000 },
];

export async function cured({ quick, log }: BenchOptions): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { name, program, args = [], alone, governed } of leaks) {
    const bytes = async (isGoverned: boolean, calls: number): Promise<number> => {
      const env = { CALLS: String(quick ? calls / 10 : calls), NODE_ENV: 'production' };
      return (await result<{ bytesPerCall: number }>(program, { isGoverned, args, env })).bytesPerCall;
    };
    const kept = await bytes(false, alone);
    const left: number[] = [];
    for (let i = 0; i < (quick ? 1 : 3); i += 1) left.push(await bytes(true, governed));
    log(name);
    rows.push(
      row({
        metric: `${name}: bytes left per call`,
        unit: 'B',
        samples: left,
        peer: { name: 'without Plimsoll', samples: [kept] },
        goal: { of: 'ours', atMost: 100 },
      }),
    );
  }
  return rows;
}
