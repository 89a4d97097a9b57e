import { Script, type MockAnswer, type MockOptions } from './script.ts';

export interface AiModelOptions extends MockOptions {
  /** Version of the model specification: `v4` for AI SDK 7 (default), `v2` for AI SDK 5 and Mastra. */
  readonly version?: 'v2' | 'v3' | 'v4';
}

/** The language model interface of AI SDK and Mastra. */
export interface AiModel {
  readonly specificationVersion: 'v2' | 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]>;
  doGenerate(options: AiCall): Promise<AiResult>;
  doStream(options: AiCall): Promise<{ stream: ReadableStream<AiPart> }>;
}

interface AiCall {
  readonly abortSignal?: AbortSignal | undefined;
}

type AiPart = { type: string } & Record<string, unknown>;
type AiResult = { content: AiPart[]; finishReason: unknown; usage: unknown; warnings: never[] };

/** A model for AI SDK 5 to 7 that records nothing. */
export function aiModel(options: AiModelOptions = {}): AiModel {
  const { version = 'v4', ...rest } = options;
  const script = new Script(rest);
  const finish = (answer: MockAnswer): { finishReason: unknown; usage: unknown } => {
    const reason = answer.tool === undefined ? 'stop' : 'tool-calls';
    const [input, output] = [8, answer.pieces.length];
    return version === 'v2'
      ? {
          finishReason: reason,
          usage: { inputTokens: input, outputTokens: output, totalTokens: input + output },
        }
      : {
          finishReason: { unified: reason, raw: reason },
          usage: { inputTokens: { total: input }, outputTokens: { total: output } },
        };
  };
  return {
    specificationVersion: version,
    provider: 'plimsoll',
    modelId: 'mock',
    supportedUrls: {},
    async doGenerate({ abortSignal }) {
      const answer = await script.next(abortSignal);
      return { content: [contentOf(answer)], ...finish(answer), warnings: [] };
    },
    async doStream({ abortSignal }) {
      const answer = await script.next(abortSignal);
      return { stream: streamOf(partsOf(answer, finish(answer)), abortSignal) };
    },
  };
}

/** A model for Mastra that records nothing: AI SDK's second specification. */
export function mastraModel(options: MockOptions = {}): AiModel {
  return aiModel({ ...options, version: 'v2' });
}

function contentOf({ text, tool }: MockAnswer): AiPart {
  return tool === undefined
    ? { type: 'text', text }
    : { type: 'tool-call', toolCallId: tool.id, toolName: tool.name, input: tool.input };
}

function* partsOf(answer: MockAnswer, finish: object): Generator<AiPart> {
  yield { type: 'stream-start', warnings: [] };
  if (answer.tool !== undefined) yield contentOf(answer);
  else {
    yield { type: 'text-start', id: '1' };
    for (const delta of answer.pieces) yield { type: 'text-delta', id: '1', delta };
    yield { type: 'text-end', id: '1' };
  }
  yield { type: 'finish', ...finish };
}

/** A part is made when it is read, so nothing is left when a reader stops early. */
function streamOf(parts: Generator<AiPart>, signal: AbortSignal | undefined): ReadableStream<AiPart> {
  return new ReadableStream({
    pull(controller) {
      if (signal?.aborted === true) return controller.error(signal.reason);
      const { value, done } = parts.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel() {
      parts.return(undefined);
    },
  });
}
