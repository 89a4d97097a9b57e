// Three threads, a graph inside a tool, an early exit, an error and an abort.
import { tool } from '@langchain/core/tools';
import { Annotation, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';
import { z } from 'zod';
import { connected, current, open } from './scopes.mjs';

const opened = await connected('langgraph');
const inside = [];
const State = Annotation.Root({ text: Annotation() });
const thinking = new StateGraph(State)
  .addNode('think', async () => {
    await new Promise((done) => setTimeout(done, 1));
    inside.push(current());
    return { text: 'thought' };
  })
  .addEdge(START, 'think')
  .addEdge('think', END)
  .compile({ name: 'researcher' });
const search = tool(async () => (await thinking.invoke({ text: 'q' })).text, {
  name: 'search',
  schema: z.object({}),
});
const planner = new StateGraph(State)
  .addNode('plan', async () => {
    inside.push(current());
    return { text: await search.invoke({}) };
  })
  .addNode('answer', async ({ text }) => ({ text: `${text}!` }))
  .addEdge(START, 'plan')
  .addEdge('plan', 'answer')
  .addEdge('answer', END)
  .compile({ name: 'planner', checkpointer: new MemorySaver() });
const failing = new StateGraph(State)
  .addNode('fail', async () => {
    throw new Error('planned');
  })
  .addEdge(START, 'fail')
  .addEdge('fail', END)
  .compile({ name: 'failing' });
const thread = (thread_id) => ({ configurable: { thread_id } });

const { text } = await planner.invoke({ text: 'go' }, thread('one'));
const first = opened.splice(0);
for await (const _ of await planner.stream({ text: 'go' }, thread('two'))) break;
await failing.invoke({ text: 'go' }, thread('three')).catch(() => undefined);
const abort = new AbortController();
const aborted = planner
  .invoke({ text: 'go' }, { ...thread('three'), signal: abort.signal })
  .catch(() => undefined);
abort.abort();
await aborted;
console.log(JSON.stringify({ text, first, inside: inside.slice(0, 2), rest: opened, open: await open(3) }));
