import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { collect } from './measure.ts';
import { Random } from '../random.ts';
import type { InsideAsk, Iterated } from './protocol.ts';

/** Argument of a module's `iterate`. */
export interface Turn {
  readonly index: number;
  /** From 0 to 1, by the seed. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** The user's text: 80 KB in the round with large inputs, `add(4822)` and similar in the malformed one. */
  readonly input: unknown;
  readonly events: number;
}

type Iterate = (turn: Turn) => unknown;

const mostFollowed = 200;
const abortMs = 5;
const malformed: readonly unknown[] = [
  'add(4822)',
  null,
  undefined,
  Number.NaN,
  -1,
  '',
  '{"a":',
  { toString: null },
  [],
  '\\ud800',
  Symbol.iterator,
  1n,
];

/** Loads the module that `plimsoll stress module.ts` names and finds the function to call. */
export async function iterateOf(file: string): Promise<Iterate> {
  const module = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  const candidates = [module['iterate'], module['default'], module['pipeline'], module['run']];
  for (const found of candidates) {
    if (typeof found === 'function') return found as Iterate;
    const run = typeof found === 'object' && found !== null ? (found as { run?: unknown }).run : undefined;
    if (typeof run === 'function')
      return (turn) => Reflect.apply(run, found, [turn.input, { signal: turn.signal }]);
  }
  throw new Error(`${file} exports no function "iterate" and no object with a method "run"`);
}

/** Calls it in parallel until the turns or the time are used up. */
export async function iterate(run: Iterate, ask: Extract<InsideAsk, { op: 'iterate' }>): Promise<Iterated> {
  const random = new Random(ask.seed);
  const ms: number[] = [];
  const followed: WeakRef<object>[] = [];
  const until = performance.now() + ask.forMs;
  let index = 0;
  let errors = 0;
  let firstError: string | null = null;
  const worker = async (): Promise<void> => {
    while (index < ask.turns && performance.now() < until) {
      const own = index++;
      const abort = new AbortController();
      if (ask.mode === 'aborted') setTimeout(() => abort.abort(), abortMs);
      const input = inputOf(ask.mode, random, own);
      if (typeof input === 'object' && input !== null && followed.length < mostFollowed)
        followed.push(new WeakRef(input));
      const events = ask.mode === 'events' ? ask.turns : 0;
      const started = performance.now();
      try {
        await run({ index: own, random: () => random.next(), signal: abort.signal, input, events });
      } catch (error) {
        errors++;
        firstError ??= error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      }
      if (ms.length < 10_000) ms.push(performance.now() - started);
      // Yields now and then, because a function that never awaits would block the event loop.
      if (own % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all(Array.from({ length: ask.parallel }, worker));
  await collect(2);
  const survivors = followed.filter((each) => each.deref() !== undefined).length;
  return { turns: index, errors, firstError, ms, survivors, followed: followed.length };
}

function inputOf(
  mode: Extract<InsideAsk, { op: 'iterate' }>['mode'],
  random: Random,
  index: number,
): unknown {
  if (mode === 'malformed') return malformed[index % malformed.length];
  const text = random.text(mode === 'large' ? 80 * 1024 : 40);
  if (mode !== 'cyclic') return mode === 'plain' ? { text } : text;
  const node: { text: string; self?: unknown; other?: unknown } = { text };
  const other = { back: node };
  node.self = node;
  node.other = other;
  return node;
}
