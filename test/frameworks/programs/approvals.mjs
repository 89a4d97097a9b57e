// A delegation that is too deep waits for a human in each framework's own way. The human is a gate in this process: it says yes to the
// researcher and no to the writer.
import { generateText, isStepCount, tool } from 'ai';
import { Annotation, Command, END, interrupt, MemorySaver, START, StateGraph } from '@langchain/langgraph';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { Agent, Runner, setTraceProcessors, tool as agentTool, Usage } from '@openai/agents';
import { z } from 'zod';
import { installHeldGate } from '@plimsoll/core/internal/gate/approval';
import { ApprovalRefusal } from '@plimsoll/core/internal/gate/approval-refusal';
import { toolApproval } from '@plimsoll/adapters/ai';
import { answerInterrupts, delegationInterrupt } from '@plimsoll/adapters/langgraph';
import { onDelegationStart } from '@plimsoll/adapters/mastra';
import { answerInterruptions, needsApproval } from '@plimsoll/adapters/openai-agents';
import { agentsModel, aiModel, mastraModel } from '@plimsoll/testkit/mocks';

const asked = [];
installHeldGate({
  needs: () => true,
  async hold(_point, { name, depth }) {
    asked.push([name, depth]);
    await new Promise((done) => setTimeout(done, 5));
    if (name === 'researcher') return { state: 'approved', id: 'ap-1', by: 'user:jane' };
    const details = { id: 'ap-2', by: 'user:jane', name, action: name, why: 'no' };
    throw new ApprovalRefusal({ reason: 'DENIED', id: 'ap-2', retryAfterMs: 0, details });
  },
});

const told = {};
const inputSchema = z.object({});
const names = ['researcher', 'writer'];
const script = { text: 'done', chunks: 1, tools: names.map((name) => ({ name, input: {} })) };

const ran = { ai: [], mastra: [], agents: [] };
const tools = Object.fromEntries(
  names.map((name) => [
    name,
    tool({ description: 'd', inputSchema, execute: async () => (ran.ai.push(name), 'x') }),
  ]),
);
const { text } = await generateText({
  model: aiModel(script),
  prompt: 'p',
  tools,
  stopWhen: isStepCount(5),
  toolApproval: toolApproval(names),
});
told.ai = [text, ran.ai];

const sub = (name) =>
  new MastraAgent({
    id: name,
    name,
    description: name,
    instructions: 'i',
    model: mastraModel({ text: (call) => (ran.mastra.push(name), `${name} ${call}`), chunks: 1 }),
  });
const lead = new MastraAgent({
  id: 'lead',
  name: 'lead',
  instructions: 'i',
  model: mastraModel({
    ...script,
    tools: names.map((name) => ({ name: `agent-${name}`, input: { prompt: 'go' } })),
  }),
  agents: { researcher: sub('researcher'), writer: sub('writer') },
});
const lent = await lead.generate('p', { maxSteps: 5, delegation: { onDelegationStart } });
told.mastra = [lent.text, [...new Set(ran.mastra)]];

const graph = new StateGraph(
  Annotation.Root({ text: Annotation({ reducer: (a, b) => `${a}${b}`, default: () => '' }) }),
)
  .addNode('hand', () => {
    const answers = names.map((name) => {
      const wait = delegationInterrupt(name);
      return wait === undefined || interrupt(wait) === true;
    });
    return { text: answers.join(' ') };
  })
  .addEdge(START, 'hand')
  .addEdge('hand', END)
  .compile({ checkpointer: new MemorySaver() });
const config = { configurable: { thread_id: '1' } };
let state = await graph.invoke({ text: '' }, config);
let resumed = 0;
for (let resume = await answerInterrupts(state); resume; resume = await answerInterrupts(state)) {
  resumed += 1;
  state = await graph.invoke(new Command({ resume }), config);
}
told.langgraph = [state.text, resumed];

setTraceProcessors([]);
const agent = new Agent({
  name: 'lead',
  model: agentsModel(Usage, script),
  tools: names.map((name) =>
    agentTool({
      name,
      description: 'd',
      parameters: inputSchema,
      needsApproval,
      execute: async () => (ran.agents.push(name), 'x'),
    }),
  ),
});
const runner = new Runner();
let outcome = await runner.run(agent, 'p');
let stops = 0;
for (let next = await answerInterruptions(outcome, { depth: 5 }); next;) {
  stops += 1;
  outcome = await runner.run(agent, next);
  next = await answerInterruptions(outcome, { depth: 5 });
}
told.agents = [outcome.finalOutput, ran.agents, stops];
console.log(JSON.stringify({ ...told, asked: asked.length }));
process.exit(0);
