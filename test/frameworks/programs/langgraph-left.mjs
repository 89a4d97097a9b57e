// One call after the other on a signal that lives as long as the process.
import { getEventListeners } from 'node:events';
import { queryObjects } from 'node:v8';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { growth } from './scopes.mjs';

const slots = globalThis[Symbol.for('plimsoll.slots.v1')];
while (slots && !slots.frameworks?.connected.has('langgraph'))
  await new Promise((done) => setTimeout(done, 10));
const State = Annotation.Root({ text: Annotation() });
const graph = new StateGraph(State)
  .addNode('say', async () => ({ text: 'x' }))
  .addEdge(START, 'say')
  .addEdge('say', END)
  .compile();
const shutdown = new AbortController();
const calls = Number(process.env.CALLS ?? 1000);
let had = 0;
const bytesPerCall = await growth(
  3 * calls,
  () => graph.invoke({ text: 'go' }, { signal: shutdown.signal }),
  () => {
    had = queryObjects(AbortSignal);
  },
);
const objectsPerCall = (queryObjects(AbortSignal) - had) / calls;
const listeners = getEventListeners(shutdown.signal, 'abort').length;
console.log(JSON.stringify({ listeners, objectsPerCall, bytesPerCall }));
