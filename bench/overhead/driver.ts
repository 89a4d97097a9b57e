/** The load's process: each message is one block of fixed work against one server, answered with what it took. */
import { Agent, request } from 'node:http';
import { createHistogram } from 'node:perf_hooks';
import { Load } from '../../examples/agent-server/src/load/load.ts';
import type { LoadSummary } from '../../examples/agent-server/src/load/load.ts';

export interface Block {
  readonly base: string;
  readonly group: 'flat' | 'paced' | 'sdk';
  readonly seed: number;
  readonly users: number;
  readonly sessions: number;
}

process.on('message', (block: Block) => {
  const done = block.group === 'sdk' ? chat(block) : load(block);
  void done.then((summary) => process.send?.(summary));
});
process.on('disconnect', () => process.exit());

async function load({ base, seed, users, sessions }: Block): Promise<LoadSummary> {
  return new Load(base, { seed, users, sessions, thinkMs: 0, ratePerSecond: 0, abandonRatio: 0.1 }).run();
}

const agent = new Agent({ keepAlive: true });
const history = Array.from({ length: 20 }, (_, i) => ({
  role: i % 2 === 0 ? 'user' : 'assistant',
  content: `Message ${i}. ${'The ship takes its load by the line on its hull. '.repeat(8)}`,
}));

/** So many turns with 20 messages each, by users who ask one after the other. */
async function chat({ base, seed, users, sessions }: Block): Promise<LoadSummary> {
  const latency = createHistogram();
  const began = performance.now();
  let asked = 0;
  const user = async (): Promise<void> => {
    while (asked < sessions) {
      asked += 1;
      const body = JSON.stringify({ sessionId: `${seed}-${asked % 50}`, messages: history });
      const at = performance.now();
      await ask(new URL('/chat', base), body);
      latency.record(Math.max(1, Math.round((performance.now() - at) * 1e6)));
    }
  };
  await Promise.all(Array.from({ length: users }, user));
  const ms = (percentile: number): number => latency.percentile(percentile) / 1e6;
  const seconds = (performance.now() - began) / 1000;
  return {
    seconds,
    sessions,
    turns: sessions,
    errors: 0,
    turnMs: { p50: ms(50), p99: ms(99), max: ms(100) },
  };
}

async function ask(url: URL, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await new Promise<void>((done, fail) => {
    const asking = request(url, { agent, method: 'POST', headers }, (response) => {
      if (response.statusCode !== 200) fail(new Error(`the chat server answers ${response.statusCode}`));
      response.resume().once('end', done).once('error', fail);
    });
    asking.once('error', fail).end(body);
  });
}
