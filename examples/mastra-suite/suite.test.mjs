/**
 * Fourteen behaviours that users of Mastra asked to be tested (mastra-ai/mastra#6322, PR#9086), as tests of @plimsoll/testkit.
 * A behaviour that today's Mastra does not have is marked `todo`: node:test shows it failing, with its path, and goes on. The test after it
 * shows the same work with the cure. Under the preload of Plimsoll (`CURED=1`) those that its adapter cures have to pass.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import '@plimsoll/testkit/node';
import { leakGuard } from '@plimsoll/testkit';
import { mastraModel } from '@plimsoll/testkit/mocks';
import { underLimit } from '@plimsoll/testkit/node';
import { Agent, MessageList } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { z } from 'zod';

/** Why a behaviour may fail without the adapter; with it nothing may. */
const todo = (why) => (process.env.CURED === '1' ? {} : { todo: why });

/** The adapter comes shortly after the first line of the program. */
async function adapterIsThere() {
  const slots = () => globalThis[Symbol.for('plimsoll.slots.v1')];
  while (process.env.CURED === '1' && !slots()?.frameworks?.connected.has('mastra'))
    await new Promise((done) => setTimeout(done, 10));
}

const words = (count) => 'word '.repeat(count);

function agentWith(model, options = {}) {
  return new Agent({
    id: 'suite',
    name: 'suite',
    instructions: 'answer',
    model: mastraModel(model),
    ...options,
  });
}

/** The work may refuse what it is given, but not by stumbling over it. */
function isNoInError(work) {
  try {
    work();
  } catch (error) {
    assert.doesNotMatch(error.message, /'in' operator/);
  }
}

async function drain(output) {
  let chunks = 0;
  for await (const _ of output.fullStream) chunks++;
  return chunks;
}

const speaker = agentWith({ text: words(56), chunks: 56 });
let warnings = 0;
const count = (warning) => {
  if (warning.name === 'MaxListenersExceededWarning') warnings++;
};

before(() => process.on('warning', count));
before(adapterIsThere);
after(() => process.off('warning', count));

test('1 a finished stream that is dropped is collected', async (t) => {
  await t.assert.isCollected(async () => {
    const output = await speaker.stream('hello');
    await drain(output);
    return output;
  });
});

test(
  '1 a finished stream that is kept holds no buffers',
  { todo: 'Mastra replays from its buffers' },
  async (t) => {
    await t.assert.releases(async () => {
      const output = await speaker.stream('hello');
      await drain(output);
      return output;
    });
  },
);

test('1 cure: the kept result holds its text and no buffers', async (t) => {
  await t.assert.releases(async () => {
    const output = await speaker.stream('hello');
    return { text: await output.text, usage: await output.usage };
  });
});

test('2 the parts that a processor sees of 500 chunks are not kept', async (t) => {
  const seen = agentWith(
    { text: words(500), chunks: 500 },
    { outputProcessors: [{ id: 'look', processOutputStream: async ({ part }) => part }] },
  );
  await t.assert.doesNotLeak(async () => drain(await seen.stream('hello')), { per: 'run' });
});

test('3 ten steps of 100 chunks keep nothing', async (t) => {
  const search = createTool({
    id: 'search',
    description: 'finds',
    inputSchema: z.object({}),
    execute: async () => ({ found: 1 }),
  });
  const tools = Array.from({ length: 9 }, () => ({ name: 'search' }));
  const stepper = agentWith({ text: words(100), chunks: 100, tools }, { tools: { search } });
  // One kept step is 100 chunks, more than 10 KB. The tolerance lets bytes decide within seconds; a run takes a tenth of one.
  await t.assert.doesNotLeak(async () => drain(await stepper.stream('go', { maxSteps: 12 })), {
    per: 'run',
    tolerance: '4 KiB',
  });
});

test('4 the custom state of a processor ends with its run', async (t) => {
  const stateful = agentWith(
    { text: words(20), chunks: 20 },
    {
      outputProcessors: [
        {
          id: 'hoard',
          processOutputStream: async ({ part, state }) => {
            state.kept ??= Array.from({ length: 1000 }, (_, i) => ({ i, text: `object ${i}` }));
            return part;
          },
        },
      ],
    },
  );
  // The state of one run is 1,000 objects, more than 60 KB.
  await t.assert.doesNotLeak(async () => drain(await stateful.stream('hello')), {
    per: 'run',
    tolerance: '4 KiB',
  });
});

test(
  '5 malformed data is left out, or refused with a message of Mastra',
  todo("MessageList.add(4822) throws V8's 'in' error"),
  () => isNoInError(() => new MessageList().add(4822, 'memory')),
);

test('6 twenty streams of 56 chunks at once keep nothing', async (t) => {
  await t.assert.doesNotLeak(
    async () => Promise.all(Array.from({ length: 20 }, async () => drain(await speaker.stream('hello')))),
    { per: 'load of 20 streams', tolerance: '4 KiB' },
  );
});

test('7 five payloads of 80 KB stay inside 24 MiB', async (t) => {
  const large = agentWith({ text: 'x'.repeat(80_000), chunks: 206 });
  await t.assert.staysUnder(async () => {
    for (let i = 0; i < 5; i++) await drain(await large.stream('hello'));
  }, '24 MiB');
});

test('8 a second execution with a context of 20,000 tokens fits into a heap of 128 MB', async () => {
  await underLimit('128 MiB', new URL('./large-context.mjs', import.meta.url), {
    execArgv: ['--conditions=plimsoll-source'],
  });
});

test('9 thirty streams one after the other stay inside 16 MiB', async (t) => {
  await t.assert.staysUnder(async () => {
    for (let i = 0; i < 30; i++) await drain(await speaker.stream(`hello ${i}`));
  }, '16 MiB');
});

test('10 results of deeply nested objects are not kept', async (t) => {
  const nest = (depth) =>
    depth === 0 ? { leaf: words(10) } : { inner: nest(depth - 1), list: [depth, `level ${depth}`] };
  const deep = createTool({
    id: 'deep',
    description: 'nests',
    inputSchema: z.object({}),
    execute: async () => nest(12),
  });
  const caller = agentWith({ text: 'done', chunks: 1, tools: [{ name: 'deep' }] }, { tools: { deep } });
  await t.assert.doesNotLeak(async () => drain(await caller.stream('go')), { per: 'run' });
});

test(
  '11 malformed rows of a memory query are left out, or refused with a message of Mastra',
  todo("a number as content throws V8's 'in' error"),
  () => {
    const row = { id: 'm1', role: 'user', content: 12, createdAt: 'yesterday' };
    isNoInError(() => new MessageList().add([row], 'memory'));
  },
);

test('5 and 11 cure: rows are checked before they reach the list', () => {
  const stored = z.object({
    id: z.string(),
    role: z.enum(['user', 'assistant']),
    content: z.union([z.string(), z.object({ format: z.number() }).loose()]),
  });
  const rows = [4822, { id: 'm1', role: 'user', content: 12 }, { id: 'm2', role: 'user', content: 'hello' }];
  const list = new MessageList();
  for (const row of rows) if (stored.safeParse(row).success) list.add([row], 'memory');
  assert.equal(list.get.all.db().length, 1);
});

const increment = createStep({
  id: 'increment',
  inputSchema: z.object({ i: z.number() }),
  outputSchema: z.object({ i: z.number() }),
  execute: async ({ inputData }) => ({ i: inputData.i + 1 }),
});

function workflow() {
  const schema = z.object({ i: z.number() });
  return createWorkflow({ id: 'count', inputSchema: schema, outputSchema: schema }).then(increment).commit();
}

test('12 the map of runs is empty after finished runs', async (t) => {
  const counting = workflow();
  await t.assert.doesNotLeak(
    async (i) => {
      const run = await counting.createRun();
      await run.start({ inputData: { i } });
    },
    { per: 'run' },
  );
  assert.equal(counting.runs.size, 0);
});

test('12 a run that is never started is not kept', todo('workflow.runs keeps it for ever'), async (t) => {
  const counting = workflow();
  await t.assert.doesNotLeak(() => counting.createRun(), { per: 'run' });
});

test('12 cure: a run that is not started is taken out of the map', async (t) => {
  const counting = workflow();
  await t.assert.doesNotLeak(
    async () => {
      const run = await counting.createRun();
      counting.runs.delete(run.runId);
    },
    { per: 'run' },
  );
});

test('13 streams leave no listener on a signal that lives on', async () => {
  const shutdown = new AbortController();
  const guard = leakGuard({ scopes: false, handles: false });
  for (let i = 0; i < 20; i++) await drain(await speaker.stream('hello', { abortSignal: shutdown.signal }));
  const left = await guard.left();
  assert.deepEqual(
    left.filter(({ subject }) => subject.includes('AbortSignal')),
    [],
  );
});

test('14 readers at the same time each get every chunk', async () => {
  const output = await speaker.stream('hello');
  const counts = await Promise.all(Array.from({ length: 30 }, () => drain(output)));
  assert.ok(counts[0] > 56);
  assert.equal(new Set(counts).size, 1);
  assert.equal(warnings, 0);
});
