// An agent of your own that records GenAI spans with OpenTelemetry, as any instrumented framework does. It does not know Plimsoll.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

// Add your exporter here. Without one the spans are not exported, but Plimsoll sees them.
new NodeTracerProvider().register();
const tracer = trace.getTracer('example');

function span(name, attributes, work) {
  return tracer.startActiveSpan(name, { attributes }, async (active) => {
    try {
      return await work();
    } finally {
      active.end();
    }
  });
}

function weather() {
  const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'weather' };
  return span('execute_tool weather', attributes, async () => {
    await sleep(20);
    return 'sunny';
  });
}

function answer(chat) {
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'assistant',
    'gen_ai.conversation.id': chat,
  };
  return span('invoke_agent assistant', attributes, weather);
}

const server = createServer((request, response) => {
  const chat = new URL(request.url, 'http://localhost').searchParams.get('chat') ?? '1';
  answer(chat).then(
    (text) => response.end(`${text}\n`),
    () => response.writeHead(500).end(),
  );
});
server.listen(Number(process.env.PORT ?? 3000), () =>
  console.log(`http://127.0.0.1:${server.address().port}`),
);
