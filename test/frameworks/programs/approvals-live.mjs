// A delegation at depth 5 in each framework, under the host: it waits for an answer from outside. Prints who ran, and what the model was told.
import { existsSync } from 'node:fs';
import { generateText, isStepCount, tool } from 'ai';
import { Annotation, Command, END, interrupt, MemorySaver, START, StateGraph } from '@langchain/langgraph';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { Agent, Runner, setTraceProcessors, tool as agentTool, Usage } from '@openai/agents';
import { z } from 'zod';
import { open } from '@plimsoll/core';
import { toolApproval } from '@plimsoll/adapters/ai';
import { answerInterrupts, delegationInterrupt } from '@plimsoll/adapters/langgraph';
import { answerInterruptions, needsApproval } from '@plimsoll/adapters/openai-agents';
import { agentsModel, aiModel, mastraModel } from '@plimsoll/testkit/mocks';
import { waitFor } from './scopes.mjs';

/** Runs the work inside so many agents. */
async function inside(agents, work) {
  if (agents === 0) return work();
  using agent = open('agent', `level-${agents}`);
  return await agent.run(() => inside(agents - 1, work));
}

const inputSchema = z.object({});
const script = (name) => ({ text: 'done', chunks: 1, tools: [{ name, input: {} }] });

const delegations = {
  async ai(ran) {
    const researcher = tool({ description: 'd', inputSchema, execute: async () => (ran.push('ai'), 'x') });
    await inside(3, () =>
      generateText({
        model: aiModel(script('ai')),
        messages: [{ role: 'user', content: 'The question. '.repeat(2000) }],
        tools: { ai: researcher },
        stopWhen: isStepCount(3),
        toolApproval: toolApproval(['ai']),
      }),
    );
  },
  async mastra(ran) {
    const researcher = new MastraAgent({
      id: 'mastra',
      name: 'mastra',
      description: 'd',
      instructions: 'i',
      model: mastraModel({ text: () => (ran.push('mastra'), 'x'), chunks: 1 }),
    });
    // Nothing is said of approvals here. The hook that a program gives to a call would not reach the second agent.
    const delegating = (id, agent) =>
      new MastraAgent({
        id,
        name: id,
        description: 'd',
        instructions: 'i',
        model: mastraModel({
          text: 'done',
          chunks: 1,
          tools: [{ name: `agent-${agent.id}`, input: { prompt: `The question. ${agent.id}`.repeat(2000) } }],
        }),
        agents: { [agent.id]: agent },
      });
    const lead = delegating('lead', delegating('second', researcher));
    await inside(2, () => lead.generate('The question. '.repeat(2000), { maxSteps: 3 }));
  },
  async langgraph(ran) {
    const graph = new StateGraph(Annotation.Root({ text: Annotation() }))
      .addNode('hand', () => {
        const wait = delegationInterrupt('langgraph');
        if (wait === undefined || interrupt(wait) === true) ran.push('langgraph');
        return { text: 'done' };
      })
      .addEdge(START, 'hand')
      .addEdge('hand', END)
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: '1' } };
    await inside(3, async () => {
      let state = await graph.invoke({ text: 'The question. '.repeat(2000) }, config);
      for (let resume = await answerInterrupts(state); resume; resume = await answerInterrupts(state))
        state = await graph.invoke(new Command({ resume }), config);
    });
  },
  async agents(ran) {
    setTraceProcessors([]);
    const agent = new Agent({
      name: 'lead',
      model: agentsModel(Usage, script('agents')),
      tools: [
        agentTool({
          name: 'agents',
          description: 'd',
          parameters: inputSchema,
          needsApproval,
          execute: async () => (ran.push('agents'), 'x'),
        }),
      ],
    });
    const runner = new Runner();
    await inside(4, async () => {
      let outcome = await runner.run(agent, 'The question. '.repeat(2000));
      for (let next = await answerInterruptions(outcome, { depth: 5 }); next;) {
        outcome = await runner.run(agent, next);
        next = await answerInterruptions(outcome, { depth: 5 });
      }
    });
  },
};

const names = Object.keys(delegations);
for (const name of ['ai', 'mastra', 'langgraph', 'openai-agents']) await waitFor(name);
const ran = [];
for (const name of names) await delegations[name](ran);
console.log(JSON.stringify(ran));
// Whoever gave the last answer still waits for ours.
while (process.env.UNTIL && !existsSync(process.env.UNTIL)) await new Promise((done) => setTimeout(done, 20));
process.exit(0);
