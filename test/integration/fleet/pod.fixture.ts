/**
 * One pod that wants one parked session again and again. It prints a line for each moment at which it held the session (nanoseconds of the
 * machine's clock, fence, turns) and after each parking. Arguments: URL of PostgreSQL or of Redis (whose client is one of the benchmarks' packages), ms of
 * a claim.
 */
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { SessionCache } from '@plimsoll/keep';
import { PostgresLot, RedisLot, type RedisLotClient } from '@plimsoll/keep/parking-lot';

const [url = '', claim = '500'] = process.argv.slice(2);
const lot = url.startsWith('redis:')
  ? new RedisLot({ client: redisClient(url), claim: Number(claim) })
  : new PostgresLot({ client: postgres(url, { max: 2, onnotice: () => undefined }), claim: Number(claim) });
const sessions = new SessionCache<{ turns: number }>({
  maxEntries: 10,
  park: lot,
  disposeRetries: 0,
  open: () => ({ turns: 0 }),
});

const say = (...words: readonly unknown[]): void => void process.stdout.write(`${words.join(' ')}\n`);

for (;;) {
  try {
    using lease = await sessions.acquire('42');
    for (let i = 0; i < 5; i++) {
      // The moment is taken first: if the session is still ours afterwards, it was ours then.
      const at = process.hrtime.bigint();
      const { value } = lease;
      const fence = sessions.fence('42');
      if (fence === undefined) break;
      value.turns++;
      say('held', at, fence, value.turns);
      await sleep(2);
    }
  } catch {
    // Another pod holds it, or the claim was lost.
    await sleep(5);
    continue;
  }
  const { turns } = sessions.peek('42') ?? { turns: 0 };
  const before = sessions.stats().parked;
  await sessions.shed({ bytes: 1 });
  if (sessions.stats().parked > before) say('parked', process.hrtime.bigint(), 0, turns);
  await sleep(1);
}

function redisClient(at: string): RedisLotClient {
  const load = createRequire(new URL('../../../bench/package.json', import.meta.url));
  const { Redis } = load('ioredis') as { Redis: new (url: string) => RedisLotClient };
  return new Redis(at);
}
