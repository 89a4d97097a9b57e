/** The lot on real clients, and on a real server where the machine has one. */
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RedisLot } from '@plimsoll/keep/parking-lot';
import { ScriptedRedis } from '@plimsoll/keep/internal/parking-lot/redis.fixture';
import { sharedLotPromises } from '@plimsoll/keep/internal/parking-lot/shared-lot.fixture';
import { findRedis, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';

test('a client with sendCommand is asked for buffers', async () => {
  const redis = new ScriptedRedis();
  const options: unknown[] = [];
  const client = {
    sendCommand: ([name = '', ...args]: (string | Buffer)[], given?: object) => {
      options.push(given);
      return redis.callBuffer(String(name), ...args);
    },
  };
  await new RedisLot({ client }).put('a', Buffer.from('x'));
  expect(options).toEqual([{ returnBuffers: true, typeMapping: { 36: Buffer } }]);
});

const command = findRedis();

describe.each(command === undefined ? [] : (['redis', 'ioredis'] as const))(
  'a real server and the client %s',
  (name) => {
    let server: RedisServer;
    const make = { lot: (_prefix: string, _options?: object): RedisLot => expect.unreachable() };
    let end: (() => unknown) | undefined;
    let lots = 0;

    beforeAll(async () => {
      server = await startRedis(command as string);
      if (name === 'redis') {
        const client = createClient({ url: `redis://127.0.0.1:${server.port}` });
        await client.connect();
        make.lot = (prefix, options) => new RedisLot({ client, prefix, ...options });
        end = () => client.destroy();
      } else {
        const client = new Redis(server.port, '127.0.0.1');
        make.lot = (prefix, options) => new RedisLot({ client, prefix, ...options });
        end = () => client.disconnect();
      }
    });
    afterAll(() => {
      end?.();
      server.stop();
    });

    sharedLotPromises((options) => make.lot(`{lot${++lots}}:`, options));

    test('the longest parked goes first, and a holder is never pushed out', async () => {
      const lot = make.lot('{bound}:', { maxBytes: 700 });
      await lot.put('held', Buffer.alloc(300));
      await lot.claim('held', 'one');
      for (const id of ['a', 'b', 'c']) {
        await lot.put(id, Buffer.alloc(300));
        await new Promise((resolve) => setTimeout(resolve, 3));
      }
      const left = await Promise.all(
        ['held', 'a', 'b', 'c'].map(async (id) => (await lot.get(id))?.byteLength),
      );
      expect(left).toEqual([300, undefined, undefined, 300]);
      expect(lot.bytes).toBe(600);
      expect(lot.size).toBe(2);
    });
  },
);
