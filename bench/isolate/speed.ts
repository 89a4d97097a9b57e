/** Round trip, throughput and memory of one pool. Arguments: pool, calls. */
import { pools } from './rivals.ts';
import type { Pool, PoolName } from './rivals.ts';
import { treeBytes } from './tree.ts';

const [, , name, count] = process.argv;
const calls = Number(count);
const before = treeBytes(process.pid);
const pool = await pools[name as PoolName]();
for (let n = 0; n < 500; n++) await pool.run({ n });
const mib = (treeBytes(process.pid) - before) / 1024 ** 2;
const start = performance.now();
for (let n = 0; n < calls; n++) await pool.run({ n });
const trip = (1000 * (performance.now() - start)) / calls;
const rate = await throughput(pool, 4 * calls);
process.stdout.write(`${JSON.stringify({ trip, rate, mib })}\n`);
await pool.close();
process.exit(0);

async function throughput(pool: Pool, calls: number): Promise<number> {
  const start = performance.now();
  let left = calls;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await pool.run({ n: left });
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  return (1000 * calls) / (performance.now() - start);
}
