// One call after the other on a signal that lives as long as the process.
import { getEventListeners } from 'node:events';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { keptPerCall, waitFor } from './scopes.mjs';

await waitFor('langgraph');
const State = Annotation.Root({ text: Annotation() });
const graph = new StateGraph(State)
  .addNode('say', async () => ({ text: 'x' }))
  .addEdge(START, 'say')
  .addEdge('say', END)
  .compile();
const shutdown = new AbortController();
const bytesPerCall = await keptPerCall(Number(process.env.CALLS ?? 1000), () =>
  graph.invoke({ text: 'go' }, { signal: shutdown.signal }),
);
const listeners = getEventListeners(shutdown.signal, 'abort').length;
console.log(JSON.stringify({ listeners, bytesPerCall }));
