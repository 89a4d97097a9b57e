// Three conversations; an agent that is a tool of another one, an early exit, a failing model and an abort.
import { Agent, Runner, setTraceProcessors, tool, Usage } from '@openai/agents';
import { z } from 'zod';
import { connected, current, open } from './scopes.mjs';

setTraceProcessors([]);
const opened = await connected('openai-agents');
const inside = [];
const message = (text) => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
});
const call = (name) => ({
  type: 'function_call',
  callId: `c-${name}`,
  name,
  status: 'completed',
  arguments: '{"input":"x"}',
});

class Script {
  #turns;
  constructor(...turns) {
    this.#turns = turns;
  }
  async getResponse() {
    const output = this.#turns.shift();
    if (output === undefined) throw new Error('planned');
    return { usage: new Usage(), output: [output], responseId: 'r' };
  }
  async *getStreamedResponse() {
    const { output } = await this.getResponse();
    yield { type: 'output_text_delta', delta: 'x' };
    yield {
      type: 'response_done',
      response: { id: 'r', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, output },
    };
  }
}
const search = tool({
  name: 'search',
  description: 'd',
  parameters: z.object({ input: z.string() }),
  execute: async () => {
    inside.push(current());
    return 'found';
  },
});
const researcher = new Agent({
  name: 'researcher',
  model: new Script(call('search'), message('r')),
  tools: [search],
});
const planner = new Agent({
  name: 'planner',
  model: new Script(call('ask'), message('done')),
  tools: [researcher.asTool({ toolName: 'ask', toolDescription: 'd' })],
});
const runner = (groupId, workflowName = 'chat') => new Runner({ groupId, workflowName });
const { finalOutput } = await runner('one').run(planner, 'go');
const first = opened.splice(0);
const streamed = await runner('two', 'left').run(
  new Agent({ name: 'left', model: new Script(message('x')) }),
  'go',
  {
    stream: true,
  },
);
for await (const _ of streamed) break;
await runner('two', 'failing')
  .run(new Agent({ name: 'failing', model: new Script() }), 'go')
  .catch(() => undefined);
const abort = new AbortController();
const waiting = {
  getResponse: ({ signal }) =>
    new Promise((_, failed) => {
      signal.addEventListener('abort', () => failed(signal.reason), { once: true });
      abort.abort();
    }),
};
await runner('three', 'aborted')
  .run(new Agent({ name: 'aborted', model: waiting }), 'go', { signal: abort.signal })
  .catch(() => undefined);
console.log(JSON.stringify({ finalOutput, first, inside, rest: opened, open: await open(3) }));
process.exit(0);
