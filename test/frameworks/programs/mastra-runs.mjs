// Runs that Mastra keeps: those that were created and never started, or those that wait for an approval that never comes.
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { simulateReadableStream } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';
import { keptPerCall, kinds, objectBytes, waitFor } from './scopes.mjs';

await waitFor('mastra');
const slots = globalThis[Symbol.for('plimsoll.slots.v1')];
const object = z.object({});
const step = createStep({ id: 's', inputSchema: object, outputSchema: object, execute: async () => ({}) });
const flow = createWorkflow({ id: 'flow', inputSchema: object, outputSchema: object }).then(step).commit();
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const model = new MockLanguageModelV4({
  doStream: async () => ({
    stream: simulateReadableStream({
      initialDelayInMs: null,
      chunkDelayInMs: null,
      chunks: [
        { type: 'stream-start', warnings: [] },
        { type: 'tool-call', toolCallId: 'c', toolName: 'pay', input: '{}' },
        { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'tool-calls' }, usage },
      ],
    }),
  }),
});
const pay = createTool({
  id: 'pay',
  description: 'd',
  inputSchema: object,
  requireApproval: true,
  execute: async () => ({ paid: true }),
});
const agent = new Agent({ id: 'a', name: 'a', instructions: 'i', model, tools: { pay } });
const mastra = new Mastra({
  logger: false,
  ...(process.argv[2] === 'suspended' && { storage: new InMemoryStore() }),
  agents: { a: agent },
  workflows: { flow },
});

async function unstarted() {
  await mastra.getWorkflow('flow').createRun();
}

let count = 0;
const runIds = [];
async function suspended() {
  count += 1;
  const output = await mastra.getAgent('a').stream(`${count} ${'x'.repeat(10_000)}`);
  for await (const chunk of output.fullStream) if (chunk.type === 'tool-call-approval') break;
  runIds.push(output.runId);
  model.doStreamCalls.length = 0;
}

/** Runs that Mastra still has. On a slow machine one is kept before its scope is parked. */
const kept = () => runIds.filter((id) => mastra.__hasInternalWorkflow('agentic-loop', id)).length;

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

const call = process.argv[2] === 'suspended' ? suspended : unstarted;
const calls = Number(process.env.CALLS ?? 300);
if (process.argv[2] !== 'suspended') {
  const bytesPerCall = await keptPerCall(calls, call);
  // Runs are held weakly a second after they were created.
  for (let i = 0; i < 500 && slots && flow.runs.size > 0; i += 1) {
    globalThis.gc();
    await pause(20);
  }
  console.log(JSON.stringify({ bytesPerCall, runs: flow.runs.size }));
  process.exit(0);
}
/** A walk of the census that is under way holds what it has found until the next reading, which is late on a busy machine. */
const readingMs = 1500;

async function round() {
  for (let i = 0; i < calls; i += 1) await call();
  const during = kinds();
  if (process.env.UNTIL_LEFT) {
    for (let i = 0; i < 2000 && ((kinds().parked ?? 0) > 0 || kept() > 0); i += 1) await pause(20);
    await pause(readingMs);
  }
  return during;
}
await round();
const before = await objectBytes();
const during = await round();
const bytesPerCall = async () => Math.round(((await objectBytes()) - before) / calls);
let left = await bytesPerCall();
for (let i = 0; i < 10 && process.env.UNTIL_LEFT && left > 1000; i += 1) {
  await pause(readingMs);
  left = await bytesPerCall();
}
console.log(
  JSON.stringify({
    bytesPerCall: left,
    during,
    runs: flow.runs.size,
    kept: kept(),
    snapshots: (await (await mastra.getStorage().getStore('workflows')).listWorkflowRuns({})).runs.length,
    open: kinds(),
  }),
);
process.exit(0);
