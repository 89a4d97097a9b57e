import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { batchOf, folder, run } from '../folder.fixture.ts';
import { settle } from '../options.ts';
import { LedgerReader } from '../read/ledger-reader.ts';
import type { WorkerReply } from './protocol.ts';
import { serve } from './serve.ts';

function channel(dir: string): {
  port: MessagePort;
  replies: WorkerReply[];
  heard: (type: string) => Promise<void>;
} {
  const { port1, port2 } = new MessageChannel();
  const replies: WorkerReply[] = [];
  port1.on('message', (reply: WorkerReply) => replies.push(reply));
  onTestFinished(() => port1.close());
  const confirmed = new Int32Array(new SharedArrayBuffer(8));
  serve(port2, { settings: settle({ dir, upkeepMs: 10 }), run, openRuns: [], confirmed });
  const heard = async (type: string): Promise<void> => {
    while (!replies.some((reply) => reply.type === type)) await once(port1, 'message');
  };
  return { port: port1, replies, heard };
}

test('requests are answered in order, upkeep runs by itself, and close ends it', async () => {
  const dir = folder();
  const { port, replies, heard } = channel(dir);
  port.postMessage({ type: 'samples', batch: batchOf(1, [{ at: 1, scope: 'process', bytes: 1 }]) });
  await heard('samples');
  using reader = new LedgerReader(dir);
  while (reader.range({ scope: 'process', since: 0, until: 86_400_000, points: 1 }).resolution === 'raw') {
    await new Promise((done) => setTimeout(done, 5));
  }
  // Samples of 1970 are past every retention: upkeep has removed them when they are gone.
  while (reader.runs().length > 0 && [...reader.samples()].length > 0)
    await new Promise((done) => setTimeout(done, 5));
  port.postMessage({ type: 'close' });
  await heard('closed');
  expect(replies.map((reply) => reply.type)).toEqual(['ready', 'samples', 'closed']);
});

test('files that cannot be opened are one reply and the end', async () => {
  const dir = folder();
  writeFileSync(join(dir, 'file'), '');
  const { replies, heard } = channel(join(dir, 'file'));
  await heard('failed');
  expect(replies).toMatchObject([{ type: 'failed', what: 'open', refusal: 'unwritable' }]);
});

test('upkeep that fails is reported and tried again', async () => {
  const dir = folder();
  const { port, replies, heard } = channel(dir);
  await heard('ready');
  const { Database } = await import('../sqlite/database.ts');
  const db = new Database(join(dir, 'samples.db'));
  db.exec('DROP TABLE minute');
  db.close();
  port.postMessage({ type: 'samples', batch: batchOf(1, [{ at: 1, scope: 'process', bytes: 1 }]) });
  await heard('failed');
  expect(replies.find((reply) => reply.type === 'failed')).toMatchObject({
    what: 'upkeep',
    message: 'no such table: minute',
  });
  port.postMessage({ type: 'close' });
  await heard('closed');
  rmSync(dir, { recursive: true, force: true });
});
