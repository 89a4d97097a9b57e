// A server on the framework that is asked to end by SIGTERM. The framework ends the process only where it is the only one who listens.
import { Agent, Runner, Usage } from '@openai/agents';

const output = [
  {
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'done' }],
  },
];
const model = { getResponse: async () => ({ usage: new Usage(), output, responseId: 'r' }) };
await new Runner({ tracingDisabled: true }).run(new Agent({ name: 'a', model }), 'hello');
setTimeout(() => process.exit(9), 60_000);
setTimeout(() => process.kill(process.pid, 'SIGTERM'), 1000);
