import { Script, type MockAnswer, type MockOptions } from './script.ts';

/** The classes of @langchain/core that a chat model is made of. The kit does not depend on it. */
export interface LangChain<Model extends object> {
  /** From `@langchain/core/language_models/chat_models`. */
  readonly BaseChatModel: abstract new (fields: never) => Model;
  /** From `@langchain/core/messages`. */
  readonly AIMessage: new (fields: never) => object;
  readonly AIMessageChunk: new (fields: never) => object;
  /** From `@langchain/core/outputs`. */
  readonly ChatGenerationChunk: new (fields: never) => object;
}

/** A chat model for LangChain and LangGraph that records nothing. */
export function chatModel<Model extends object>(parts: LangChain<Model>, options: MockOptions = {}): Model {
  const { AIMessage, AIMessageChunk, ChatGenerationChunk } = parts;
  const script = new Script(options);
  // Only the caller knows the base class. The overridden methods are those that its documentation requires.
  const Base = parts.BaseChatModel as unknown as new (fields: object) => object;
  const chunk = (text: string, fields: object): object =>
    new ChatGenerationChunk({ text, message: new AIMessageChunk(fields as never) } as never);
  class MockChatModel extends Base {
    _llmType(): string {
      return 'plimsoll-mock';
    }

    /** The mock calls the tools of its script and ignores the bound ones. */
    bindTools(): this {
      return this;
    }

    async _generate(_messages: unknown, call: { signal?: AbortSignal } = {}): Promise<object> {
      const answer = await script.next(call.signal);
      const message = new AIMessage(fieldsOf(answer) as never);
      return { generations: [{ text: answer.text, message }] };
    }

    async *_streamResponseChunks(
      _messages: unknown,
      call: { signal?: AbortSignal } = {},
    ): AsyncGenerator<object> {
      const answer = await script.next(call.signal);
      if (answer.tool !== undefined) yield chunk('', fieldsOf(answer));
      else for (const text of answer.pieces) yield chunk(text, { content: text });
    }
  }
  return new MockChatModel({}) as Model;
}

function fieldsOf({ text, tool }: MockAnswer): object {
  if (tool === undefined) return { content: text };
  const args = JSON.parse(tool.input) as Record<string, unknown>;
  return { content: '', tool_calls: [{ id: tool.id, name: tool.name, args, type: 'tool_call' }] };
}
