// A LangGraph server with one thread per conversation. It does not know Plimsoll.
import { createServer } from 'node:http';
import { Annotation, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ turns: Annotation({ reducer: (a, b) => [...a, ...b], default: () => [] }) });
const graph = new StateGraph(State)
  .addNode('think', async () => new Promise((done) => setTimeout(() => done({ turns: ['thought'] }), 200)))
  .addNode('answer', () => ({ turns: ['answered'] }))
  .addEdge(START, 'think')
  .addEdge('think', 'answer')
  .addEdge('answer', END)
  .compile({ name: 'assistant', checkpointer: new MemorySaver() });

async function handle(request, response) {
  const thread_id = new URL(request.url, 'http://localhost').searchParams.get('thread') ?? 'default';
  const { turns } = await graph.invoke({ turns: ['asked'] }, { configurable: { thread_id } });
  response.end(`${turns.length} turns\n`);
}

const server = createServer((request, response) => void handle(request, response));
server.listen(Number(process.env.PORT ?? 3000), () =>
  console.log(`http://127.0.0.1:${server.address().port}/?thread=1`),
);
