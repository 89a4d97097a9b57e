/** Four pools behind one shape: two workers, a limit of 256 MiB where the pool has one. */
import { isolate } from '@plimsoll/isolate';

export interface TaskInput {
  readonly deed?: 'answer' | 'heap' | 'buffers' | 'loop' | 'hang' | 'exit';
  readonly n?: number;
  readonly bytes?: number;
}

export interface Pool {
  run(input: TaskInput): Promise<unknown>;
  close(): Promise<void>;
}

const task = new URL('./task.mjs', import.meta.url);
const limitMib = 256;
export const workers = 2;

export const pools = {
  isolate: async (): Promise<Pool> => {
    const run = isolate<TaskInput>(task, {
      limit: `${limitMib} MiB`,
      timeout: '60s',
      size: workers,
      warm: workers,
      queue: 10_000,
      recycle: { tasks: 1e6 },
      output: 'ignore',
    });
    return { run: (input) => run(input), close: () => run.close() };
  },
  /** Worker threads. */
  piscina: async (): Promise<Pool> => {
    const { Piscina } = await import('piscina');
    const pool = new Piscina({
      filename: task.href,
      minThreads: workers,
      maxThreads: workers,
      maxQueue: 10_000,
      resourceLimits: { maxOldGenerationSizeMb: limitMib },
    });
    return { run: (input) => pool.run(input), close: () => pool.destroy() };
  },
  /** Child processes; it has no limit for them. */
  tinypool: async (): Promise<Pool> => {
    const { Tinypool } = await import('tinypool');
    const pool = new Tinypool({
      filename: task.href,
      runtime: 'child_process',
      minThreads: workers,
      maxThreads: workers,
    });
    return { run: (input) => pool.run(input), close: () => pool.destroy() };
  },
  /** Child processes, with V8's limit by flag. */
  workerpool: async (): Promise<Pool> => {
    const { default: workerpool } = await import('workerpool');
    const pool = workerpool.pool(new URL('./workerpool-task.mjs', import.meta.url).pathname, {
      workerType: 'process',
      minWorkers: workers,
      maxWorkers: workers,
      forkOpts: {
        execArgv: [`--max-old-space-size=${limitMib}`],
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      },
    });
    return {
      run: async (input) => pool.exec('task', [input]),
      close: async () => {
        await pool.terminate(true);
      },
    };
  },
} as const;

export type PoolName = keyof typeof pools;
