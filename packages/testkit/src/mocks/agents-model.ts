import { Script, type MockAnswer, type MockOptions } from './script.ts';

/** The model interface of OpenAI Agents. */
export interface AgentsModel {
  getResponse(request: AgentsRequest): Promise<{ usage: object; output: object[]; responseId: string }>;
  getStreamedResponse(request: AgentsRequest): AsyncIterable<{ type: string }>;
}

interface AgentsRequest {
  readonly signal?: AbortSignal | undefined;
}

/** A model for OpenAI Agents that records nothing. `Usage` is the class of that name of @openai/agents. */
export function agentsModel(Usage: new () => object, options: MockOptions = {}): AgentsModel {
  const script = new Script(options);
  return {
    async getResponse({ signal }) {
      const answer = await script.next(signal);
      return { usage: new Usage(), output: [itemOf(answer)], responseId: `response-${answer.call}` };
    },
    async *getStreamedResponse({ signal }) {
      const answer = await script.next(signal);
      if (answer.tool === undefined)
        for (const delta of answer.pieces) yield { type: 'output_text_delta', delta };
      const tokens = answer.pieces.length;
      yield {
        type: 'response_done',
        response: {
          id: `response-${answer.call}`,
          usage: { inputTokens: 8, outputTokens: tokens, totalTokens: 8 + tokens },
          output: [itemOf(answer)],
        },
      };
    },
  };
}

function itemOf({ text, tool }: MockAnswer): object {
  return tool === undefined
    ? { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }
    : {
        type: 'function_call',
        callId: tool.id,
        name: tool.name,
        status: 'completed',
        arguments: tool.input,
      };
}
