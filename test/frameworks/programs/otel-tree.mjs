// A program of a framework that nobody wrote an adapter for: it records spans by the GenAI conventions.
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { connected, current, open } from './scopes.mjs';

const opened = await connected('otel');
const inside = [];
const exporter = new InMemorySpanExporter();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
const tracer = trace.getTracer('somebody');

async function span(name, attributes, work) {
  return tracer.startActiveSpan(name, { attributes }, async (active) => {
    try {
      return await work();
    } catch {
      active.setStatus({ code: SpanStatusCode.ERROR });
      return undefined;
    } finally {
      active.end();
    }
  });
}
const operation = (name, rest = {}) => ({ 'gen_ai.operation.name': name, ...rest });
const agent = (name, work, rest) =>
  span(`invoke_agent ${name}`, operation('invoke_agent', { 'gen_ai.agent.name': name, ...rest }), work);
const tool = (name, work) =>
  span(`execute_tool ${name}`, operation('execute_tool', { 'gen_ai.tool.name': name }), work);
const chat = () => span('chat', operation('chat'), async () => new Promise((done) => setTimeout(done, 1)));
const session = (id) => ({ 'gen_ai.conversation.id': id });

await agent(
  'planner',
  async () => {
    await chat();
    await span('db', {}, () =>
      tool('ask', () =>
        agent('researcher', async () => {
          inside.push(current());
          await tool('search', async () => void inside.push(current()));
        }),
      ),
    );
  },
  session('one'),
);
await agent(
  'failing',
  async () => {
    throw new Error('planned');
  },
  session('two'),
);
await agent('again', chat, session('one'));
const left = tracer.startSpan('invoke_agent left', { attributes: operation('invoke_agent') });
await context.with(trace.setSpan(context.active(), left), async () => inside.push(current()));
left.end();
const attributes = exporter
  .getFinishedSpans()
  .map((each) => [each.name, each.attributes['plimsoll.scope.path'] ?? null]);
console.log(JSON.stringify({ opened, inside, attributes, open: await open(2) }));
