// Workflows and threads in a store of Mastra in memory, and a store elsewhere whose retention somebody has to apply.
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { z } from 'zod';
import { waitFor } from './scopes.mjs';

await waitFor('mastra');
const object = z.object({});
const page = z.object({ page: z.string() });
const work = createStep({
  id: 'work',
  inputSchema: object,
  outputSchema: page,
  execute: async () => ({ page: 'x'.repeat(10_000) }),
});
const ask = createStep({
  id: 'ask',
  inputSchema: object,
  outputSchema: page,
  execute: ({ suspend }) => suspend({}),
});
const flowOf = (id, step) =>
  createWorkflow({ id, inputSchema: object, outputSchema: page }).then(step).commit();

class Elsewhere extends InMemoryStore {
  name = 'Elsewhere';
  pruned = 0;
  async prune() {
    this.pruned += 1;
    return [];
  }
}
const instanceOf = (storage) =>
  new Mastra({
    logger: false,
    storage,
    workflows: { flow: flowOf('flow', work), asks: flowOf('asks', ask) },
  });
const storage = new InMemoryStore();
const mastra = instanceOf(storage);
const run = async (from, name) => (await from.getWorkflow(name).createRun()).start({ inputData: {} });
const memory = await storage.getStore('memory');
for (let i = 0; i < 20; i += 1) {
  const updatedAt = new Date(1_700_000_000_000 + i);
  const thread = { id: `t${i}`, resourceId: 'r', createdAt: updatedAt, updatedAt };
  await memory.saveThread({ thread });
}
await run(mastra, 'asks');
for (let i = 0; i < 20; i += 1) await run(mastra, 'flow');
const elsewhere = new Elsewhere();
const other = instanceOf(elsewhere);
for (let i = 0; i < 3; i += 1) await run(other, 'flow');

const workflows = await storage.getStore('workflows');
const statuses = async () =>
  (await workflows.listWorkflowRuns({})).runs.map(({ snapshot }) => snapshot.status);
const most = Number(process.env.MOST ?? Infinity);
for (let i = 0; i < 500 && (await statuses()).length > most + 1; i += 1)
  await new Promise((done) => setTimeout(done, 20));
const { threads } = await memory.listThreads({ perPage: false });
const counts = Object.groupBy(await statuses(), (status) => status);
console.log(
  JSON.stringify({
    runs: Object.fromEntries(Object.entries(counts).map(([status, list]) => [status, list.length])),
    threads: threads.map(({ id }) => id).toSorted(),
    pruned: elsewhere.pruned,
  }),
);
process.exit(0);
