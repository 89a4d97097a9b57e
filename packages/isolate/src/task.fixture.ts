/** Tasks of the tests. The name of each says what it does with its process. */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

const kept: unknown[] = [];

export default function double(input: { readonly n: number }): number {
  return 2 * input.n;
}

export type Deed =
  | 'answer'
  | 'throw'
  | 'heap'
  | 'buffers'
  | 'hang'
  | 'loop'
  | 'exit'
  | 'uncaught'
  | 'kill'
  | 'pid'
  | 'keep';

export async function act(input: { readonly deed: Deed; readonly n?: number }): Promise<unknown> {
  switch (input.deed) {
    case 'answer':
      return (input.n ?? 0) + 1;
    case 'throw':
      throw Object.assign(new RangeError(`no ${input.n}`), { code: 'E_NO' });
    case 'heap':
      for (;;) kept.push(Array.from({ length: 1000 }, (_, i) => ({ i })));
    case 'buffers':
      for (;;) {
        kept.push(Buffer.alloc(8 * 1024 ** 2, 1));
        await sleep(1);
      }
    case 'hang':
      return new Promise(() => setInterval(() => undefined, 1000));
    case 'loop':
      for (;;);
    case 'exit':
      return process.exit(3);
    case 'uncaught':
      setImmediate(() => {
        throw new TypeError('nobody catches this');
      });
      return sleep(60_000);
    case 'kill':
      process.kill(process.pid, 'SIGSEGV');
      return sleep(60_000);
    case 'pid':
      return process.pid;
    default:
      kept.push(Array.from({ length: 400_000 }, (_, i) => i + 0.5));
      return process.pid;
  }
}

/** Answers with a stream: each chunk of the input, doubled. */
export async function* doubled(input: { readonly numbers: AsyncIterable<number> }): AsyncGenerator<number> {
  for await (const n of input.numbers) yield 2 * n;
}

export async function sum(numbers: AsyncIterable<number>): Promise<number> {
  let total = 0;
  for await (const n of numbers) total += n;
  return total;
}

export function fails(): Readable {
  let n = 0;
  return new Readable({
    objectMode: true,
    read() {
      if (++n < 3) this.push(n);
      else this.destroy(new Error('the third fails'));
    },
  });
}

export function notCloneable(): unknown {
  return { call: () => 1 };
}
