// The same conversation with MemorySaver as it is and bounded, and 30 threads of which 5 may stay.
import { Annotation, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';
import { charged, waitFor } from './scopes.mjs';

const State = Annotation.Root({ turns: Annotation({ reducer: (a, b) => [...a, ...b], default: () => [] }) });
const graphOf = (checkpointer) =>
  new StateGraph(State)
    .addNode('say', () => ({ turns: ['x'.repeat(2000)] }))
    .addEdge(START, 'say')
    .addEdge('say', END)
    .compile({ checkpointer });
const bytesOf = (saver) =>
  Object.values(saver.storage)
    .flatMap((spaces) => Object.values(spaces))
    .flatMap((points) => Object.values(points))
    .flat()
    .reduce((sum, part) => sum + (part?.byteLength ?? 0), 0);
async function talk(saver) {
  const graph = graphOf(saver);
  let turns;
  let half;
  for (let i = 0; i < 40; i += 1) {
    if (i === 20) half = bytesOf(saver);
    ({ turns } = await graph.invoke({ turns: ['go'] }, { configurable: { thread_id: 'one' } }));
  }
  return { turns: turns.length, half, bytes: bytesOf(saver) };
}
await waitFor('langgraph');
const alone = await talk(new MemorySaver());
if (process.env.ALONE) {
  console.log(JSON.stringify({ alone, charged: charged() }));
  process.exit(0);
}
// Not loaded in a program without Plimsoll.
const { boundedCheckpointer } = await import('../../../packages/adapters/src/langgraph/index.ts');
const bounded = await talk(boundedCheckpointer(new MemorySaver(), { mostThreads: 5 }));
const many = boundedCheckpointer(new MemorySaver(), { mostThreads: 5 });
const graph = graphOf(many);
for (let i = 0; i < 30; i += 1)
  await graph.invoke({ turns: ['go'] }, { configurable: { thread_id: `t${i}` } });
console.log(JSON.stringify({ alone, bounded, threads: Object.keys(many.storage) }));
