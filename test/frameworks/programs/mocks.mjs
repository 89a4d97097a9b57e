// The mocks of the test kit on the real frameworks: a tool call, then an answer, whole and as a stream.
import { generateText, isStepCount, streamText, tool } from 'ai';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, HumanMessage } from '@langchain/core/messages';
import { ChatGenerationChunk } from '@langchain/core/outputs';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { Agent, Runner, setTraceProcessors, tool as agentTool, Usage } from '@openai/agents';
import { z } from 'zod';
import { agentsModel, aiModel, chatModel, mastraModel, mockTool } from '@plimsoll/testkit/mocks';

const script = { text: 'sunny today', chunks: 3, tools: [{ name: 'weather', input: {} }] };
const inputSchema = z.object({});
const told = {};

const tools = { weather: tool({ description: 'd', inputSchema, execute: mockTool({ bytes: 16 }) }) };
const stopWhen = isStepCount(4);
const whole = await generateText({ model: aiModel(script), prompt: 'p', tools, stopWhen });
let streamed = '';
for await (const delta of streamText({ model: aiModel(script), prompt: 'p', tools, stopWhen }).textStream)
  streamed += delta;
told.ai = [whole.text, whole.steps.length, streamed];

const weather = createTool({ id: 'weather', description: 'd', inputSchema, execute: mockTool() });
const mastra = (name) =>
  new MastraAgent({ id: name, name, instructions: 'i', model: mastraModel(script), tools: { weather } });
const output = await mastra('b').stream('p');
let parts = '';
for await (const delta of output.textStream) parts += delta;
told.mastra = [(await mastra('a').generate('p')).text, parts];

const chat = () =>
  chatModel(
    { BaseChatModel, AIMessage, AIMessageChunk, ChatGenerationChunk },
    { text: 'sunny today', chunks: 3 },
  );
const model = chat();
const graph = new StateGraph(Annotation.Root({ text: Annotation() }))
  .addNode('say', async () => ({ text: (await model.invoke([new HumanMessage('p')])).content }))
  .addEdge(START, 'say')
  .addEdge('say', END)
  .compile();
let chunks = 0;
for await (const _ of await chat().stream([new HumanMessage('p')])) chunks += 1;
told.langgraph = [(await graph.invoke({ text: '' })).text, chunks >= 3];

setTraceProcessors([]);
const agent = () =>
  new Agent({
    name: 'a',
    model: agentsModel(Usage, script),
    tools: [agentTool({ name: 'weather', description: 'd', parameters: inputSchema, execute: mockTool() })],
  });
const runner = new Runner();
const stream = await runner.run(agent(), 'p', { stream: true });
for await (const _ of stream);
await stream.completed;
told.agents = [(await runner.run(agent(), 'p')).finalOutput, stream.finalOutput];
console.log(JSON.stringify(told));
process.exit(0);
