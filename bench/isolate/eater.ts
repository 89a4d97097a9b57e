/** A server in small: one pool, one task that eats memory, and a neighbour's task beside it. Prints what each got. Arguments: pool, deed, bytes. */
import { readFileSync } from 'node:fs';
import { pools } from './rivals.ts';
import type { PoolName, TaskInput } from './rivals.ts';

const [, , name, deed, bytes] = process.argv;
const pool = await pools[name as PoolName]();
await pool.run({ n: 1 });
const eaten = pool.run({ deed: deed as NonNullable<TaskInput['deed']>, bytes: Number(bytes) }).then(
  () => 'answered',
  (error: { code?: string; message?: string }) => error.code ?? error.message ?? 'error',
);
const outcome = await Promise.race([eaten, new Promise((resolve) => setTimeout(resolve, 60_000, 'nothing'))]);
const neighbour = await pool.run({ n: 41 }).catch(() => 'lost');
const peak = Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) * 1024;
process.stdout.write(`${JSON.stringify({ outcome, neighbour, peak })}\n`);
process.exit(0);
