// What a model is sent, and what an agent keeps, with the bounds of the adapters; and one answer that is read by many.
import { generateText, isStepCount, streamText, tool } from 'ai';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { Agent, Runner, setTraceProcessors, tool as agentTool, Usage } from '@openai/agents';
import { z } from 'zod';
import { messageWindow } from '@plimsoll/adapters/ai';
import { messageProcessor } from '@plimsoll/adapters/mastra';
import { inputWindow } from '@plimsoll/adapters/openai-agents';
import { replay } from '@plimsoll/keep';
import { agentsModel, aiModel } from '@plimsoll/testkit/mocks';

const told = {};
const inputSchema = z.object({});
const script = { text: 'done', chunks: 1, tools: [{ name: 'look', input: {} }] };
/** Notes how much each call of a model is sent. */
const watched = (model, methods) => {
  const sent = [];
  for (const method of methods) {
    const original = model[method].bind(model);
    model[method] = (request) => {
      sent.push(JSON.stringify(request.prompt ?? request.input).length);
      return original(request);
    };
  }
  return { model, sent };
};
const history = Array.from({ length: 20 }, (_, i) => ({
  role: i % 2 === 0 ? 'user' : 'assistant',
  content: `${i} ${'x'.repeat(1000)}`,
}));
history.push({ role: 'user', content: 'now' });

const ai = watched(aiModel(script), ['doGenerate']);
await generateText({
  model: ai.model,
  messages: history,
  tools: { look: tool({ description: 'd', inputSchema, execute: async () => 'seen' }) },
  stopWhen: isStepCount(3),
  prepareStep: messageWindow({ maxBytes: '6KiB' }),
});
told.ai = ai.sent;

setTraceProcessors([]);
const agents = watched(agentsModel(Usage, script), ['getResponse']);
const look = agentTool({
  name: 'look',
  description: 'd',
  parameters: inputSchema,
  execute: async () => 'seen',
});
const runner = new Runner({ callModelInputFilter: inputWindow({ maxBytes: '6KiB' }) });
const said = (content) => [{ type: 'output_text', text: content }];
const items = history.map(({ role, content }) =>
  role === 'user'
    ? { role, content }
    : { type: 'message', role, status: 'completed', content: said(content) },
);
const run = await runner.run(new Agent({ name: 'a', model: agents.model, tools: [look] }), items);
told.agents = [run.finalOutput, ...agents.sent];

const mastra = watched(aiModel({ ...script, version: 'v2' }), ['doGenerate', 'doStream']);
const processor = messageProcessor({ maxBytes: '6KiB', maxResultBytes: 2000 });
const agent = new MastraAgent({
  id: 'a',
  name: 'a',
  instructions: 'i',
  model: mastra.model,
  tools: {
    look: createTool({
      id: 'look',
      description: 'd',
      inputSchema,
      execute: async () => ({ page: 'y'.repeat(50_000) }),
    }),
  },
  inputProcessors: [processor],
  outputProcessors: [processor],
});
const answer = await agent.generate(history, { maxSteps: 3 });
const kept = answer.messages.flatMap(({ content }) => content.parts ?? []);
told.mastra = [answer.text, ...mastra.sent];
told.result = JSON.stringify(kept).match(/y\\n\(cut from [^)]*\)/)?.[0] ?? JSON.stringify(kept).slice(0, 300);

// One upstream for many readers: an early one, one that leaves, and one that comes when it is over.
let calls = 0;
const words = aiModel({ text: 'one two three four', chunks: 4 });
const doStream = words.doStream.bind(words);
words.doStream = (request) => ((calls += 1), doStream(request));
const fan = replay(streamText({ model: words, prompt: 'p' }).fullStream, { maxBytes: '64KiB' });
const read = async () => {
  let text = '';
  for await (const part of fan.subscribe()) if (part.type === 'text-delta') text += part.text;
  return text;
};
const early = [read(), read()];
for await (const _ of fan.subscribe()) break;
told.readers = [...(await Promise.all(early)), await read(), calls];
fan[Symbol.dispose]();
console.log(JSON.stringify(told));
process.exit(0);
