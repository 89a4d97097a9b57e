/** Two executions with a context of about 20,000 tokens, as in mastra-ai/mastra#6322. Run in a heap of 128 MB by the suite. */
import { mastraModel } from '@plimsoll/testkit/mocks';
import { Agent } from '@mastra/core/agent';

const agent = new Agent({
  id: 'large',
  name: 'large',
  instructions: 'answer',
  model: mastraModel({ text: 'word '.repeat(400), chunks: 200 }),
});
const context = 'token '.repeat(20_000);
for (let execution = 1; execution <= 2; execution++) {
  const output = await agent.stream(`${execution} ${context}`);
  for await (const _ of output.fullStream);
  console.log(`execution ${execution}: ${(await output.text).length} characters`);
}
