/**
 * LangGraph 1.x: a graph is an agent in the session of its `thread_id`, nodes and model calls are stages, tools are tools. A callback
 * handler of ours is added to every run; the code of nodes and tools runs inside their scopes by way of LangChain's own async context.
 *
 * `graph.stream()` adds a listener to the signal it is given and never takes it away (0.9 to 1.95 KB per call on a signal that lives as
 * long as the process), so each call gets a signal of its own.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { callSignal, SpanScopes } from '@plimsoll/core/adapter';
import { connectOnce, frameworks } from '../framework-slot.ts';
import { holdsNow } from '../held-object.ts';
import { MethodPatches, prototypeOf } from '../method-patches.ts';
import { KeptThreads } from './bounded-checkpointer.ts';
import type { CheckpointBounds, CheckpointConfig, MemorySaver } from './bounded-checkpointer.ts';

export interface LangGraphOptions {
  /** What every `MemorySaver` of the program may keep; asked at each checkpoint. Default: no bound, the bytes are only charged. */
  readonly checkpoints?: () => CheckpointBounds | undefined;
}

/** Connects the adapter where the preload could hook LangGraph. Calling it again does nothing; the function that it returns disconnects. */
export function plimsoll(options: LangGraphOptions = {}): () => void {
  return connectOnce('langgraph', () => {
    const adapter = new LangGraphAdapter(options);
    const ends = [
      frameworks().patch('langgraph.CallbackManager', (value) => adapter.callbacks(value)),
      frameworks().patch('langgraph.AsyncLocalStorageProviderSingleton', (value) => adapter.context(value)),
      frameworks().patch('langgraph.Pregel', (value) => adapter.graphs(value)),
      frameworks().patch('langgraph.MemorySaver', (value) => adapter.savers(value)),
    ];
    return () => {
      for (const end of ends) end();
      adapter.disconnect();
    };
  });
}

interface Manager {
  readonly handlers: readonly { readonly name?: string }[];
  addHandler(handler: unknown, inherit: boolean): void;
}
type Configure = (this: new () => Manager, ...args: unknown[]) => Manager | undefined;
interface RunConfig {
  readonly callbacks?: { getParentRunId?: () => string | undefined };
}
type RunWithConfig = (
  this: unknown,
  config: RunConfig | undefined,
  work: () => unknown,
  ...rest: unknown[]
) => unknown;
interface GraphStream {
  return?: (value?: unknown) => Promise<unknown>;
  cancel?: (reason?: unknown) => Promise<void>;
}
interface GraphOptions {
  readonly signal?: unknown;
  readonly configurable?: { readonly thread_id?: unknown };
}
type Stream = (this: unknown, input: unknown, options?: GraphOptions) => Promise<GraphStream>;

/** One call of `graph.stream()`. The first run that starts in it is the run of the graph. */
interface Call {
  runId: string | undefined;
  readonly thread: unknown;
}

class LangGraphAdapter {
  readonly #patches = new MethodPatches('langgraph');
  readonly #calls = new AsyncLocalStorage<Call>();
  readonly #runs = new Runs((id) => {
    const call = this.#calls.getStore();
    if (call === undefined || call.runId !== undefined) return undefined;
    call.runId = id;
    return call;
  });
  /** A stream that nobody reads any more tells nobody. */
  readonly #left = new FinalizationRegistry<Call>((call) => this.#leave(call));

  readonly #checkpoints: () => CheckpointBounds | undefined;
  readonly #kept = new WeakMap<MemorySaver, KeptThreads>();

  constructor({ checkpoints = () => undefined }: LangGraphOptions) {
    this.#checkpoints = checkpoints;
  }

  disconnect(): void {
    this.#patches.restore();
  }

  /** Charges the checkpoints of every `MemorySaver` to their sessions, and bounds them where the policy says so. */
  savers(saver: unknown): void {
    const proto = prototypeOf(saver);
    const keptOf = (memory: MemorySaver): KeptThreads => {
      let kept = this.#kept.get(memory);
      if (kept === undefined) this.#kept.set(memory, (kept = new KeptThreads(memory)));
      return kept;
    };
    const bounds = (): CheckpointBounds | undefined => this.#checkpoints();
    this.#patches.replace<(this: MemorySaver, config: CheckpointConfig, ...rest: unknown[]) => unknown>(
      proto,
      'put',
      (original) =>
        async function (config, ...rest) {
          const made = await original.call(this, config, ...rest);
          await keptOf(this).written(config, made as CheckpointConfig | undefined, bounds());
          return made;
        },
    );
    this.#patches.replace<(this: MemorySaver, thread: string) => unknown>(
      proto,
      'deleteThread',
      (original) =>
        async function (thread) {
          keptOf(this).deleted(thread);
          return original.call(this, thread);
        },
    );
  }

  callbacks(manager: unknown): void {
    const handler = this.#runs;
    this.#patches.replace<Configure>(
      manager,
      '_configureSync',
      (original) =>
        function (...args) {
          const made = original.apply(this, args) ?? new this();
          if (!made.handlers.some(({ name }) => name === handler.name)) made.addHandler(handler, true);
          return made;
        },
    );
  }

  context(provider: unknown): void {
    const runs = this.#runs;
    this.#patches.replace<RunWithConfig>(
      provider,
      'runWithConfig',
      (original) =>
        function (config, work, ...rest) {
          const scope = runs.scopeOf(config?.callbacks?.getParentRunId?.());
          return original.call(this, config, scope === undefined ? work : () => scope.run(work), ...rest);
        },
    );
  }

  graphs(graph: unknown): void {
    const calls = this.#calls;
    const follow = (call: Call, stream: GraphStream): GraphStream => this.#follow(call, stream);
    this.#patches.replace<Stream>(
      prototypeOf(graph),
      'stream',
      (original) =>
        async function (input, options) {
          const call: Call = { runId: undefined, thread: options?.configurable?.thread_id };
          const given = options?.signal;
          const own =
            given instanceof AbortSignal ? { ...options, signal: callSignal(given).signal } : options;
          return follow(call, await calls.run(call, async () => original.call(this, input, own)));
        },
    );
  }

  /** Closes the run of a stream whose reader leaves, because the graph then stands still and never tells its end. */
  #follow(call: Call, stream: GraphStream): GraphStream {
    for (const name of ['return', 'cancel'] as const) {
      const original = stream[name];
      if (typeof original !== 'function') continue;
      stream[name] = async (value?: unknown): Promise<never> => {
        this.#leave(call);
        return (await original.call(stream, value)) as never;
      };
    }
    this.#left.register(stream, call);
    return stream;
  }

  #leave({ runId }: Call): void {
    if (runId !== undefined) this.#runs.end(runId, 'reader left');
  }
}

interface Serialized {
  readonly id?: readonly string[];
  readonly name?: string;
}

/** Runs that are parts of LangGraph and not of the program. */
const inner = /^(?:__|ChannelWrite|ChannelRead|Branch|RunnableSequence|RunnableLambda|RunnableCallable)/;

function isInner(name: string, tags: readonly string[] | undefined, metadata: Metadata | undefined): boolean {
  return (
    inner.test(name) || tags?.includes('langsmith:hidden') === true || metadata?.langgraph_node === undefined
  );
}

/** The callback handler: a scope from the start of each run to its end. Its methods are called by LangChain with these names. */
class Runs {
  readonly name = 'plimsoll';
  readonly awaitHandlers = true;
  readonly raiseError = false;
  readonly ignoreLLM = false;
  readonly ignoreChain = false;
  readonly ignoreAgent = false;
  readonly ignoreRetriever = true;
  readonly ignoreCustomEvent = true;
  readonly #spans = new SpanScopes();
  /** Runs without a scope of their own, with the run around each. */
  readonly #hidden = new Map<string, string | undefined>();
  readonly #graphOf: (id: string) => Call | undefined;

  /** `graphOf` gives the call of a run when the run is that of a whole graph. */
  constructor(graphOf: (id: string) => Call | undefined) {
    this.#graphOf = graphOf;
  }

  copy(): this {
    return this;
  }

  scopeOf(id: string | undefined): ReturnType<SpanScopes['get']> {
    return this.#spans.get(this.#shown(id));
  }

  end(id: string, reason?: string): void {
    this.#hidden.delete(id);
    this.#spans.close(id, reason);
  }

  handleChainStart(
    chain: Serialized | undefined,
    inputs: unknown,
    id: string,
    parentId?: string,
    tags?: readonly string[],
    metadata?: Metadata,
    _type?: string,
    runName?: string,
  ): void {
    const name = runName ?? chain?.id?.at(-1) ?? 'chain';
    const graph = this.#graphOf(id);
    if (graph !== undefined || parentId === undefined)
      this.#start('agent', name, id, parentId, graph?.thread ?? metadata?.thread_id);
    else if (isInner(name, tags, metadata)) this.#hide(id, parentId);
    else this.#start('stage', name, id, parentId, metadata?.thread_id);
    // The state of the graph as this node finds it. Inner runs have no scope of their own.
    const scope = this.#spans.get(id);
    if (scope !== undefined) holdsNow(scope, inputs);
  }

  handleToolStart(
    tool: Serialized | undefined,
    _input: string,
    id: string,
    parentId?: string,
    _tags?: readonly string[],
    metadata?: Metadata,
    runName?: string,
  ): void {
    this.#start('tool', runName ?? tool?.name ?? 'tool', id, parentId, metadata?.thread_id);
  }

  handleChatModelStart(
    _model: unknown,
    _messages: unknown,
    id: string,
    parentId?: string,
    _extra?: unknown,
    _tags?: unknown,
    metadata?: Metadata,
  ): void {
    this.#start('stage', 'model', id, parentId, metadata?.thread_id);
  }

  /** A model that takes text instead of messages. */
  handleLLMStart(...call: Parameters<Runs['handleChatModelStart']>): void {
    this.handleChatModelStart(...call);
  }

  handleChainEnd(_outputs: unknown, id: string): void {
    this.end(id);
  }

  handleChainError(_error: unknown, id: string): void {
    this.end(id, 'error');
  }

  handleToolEnd(_output: unknown, id: string): void {
    this.end(id);
  }

  handleToolError(_error: unknown, id: string): void {
    this.end(id, 'error');
  }

  handleLLMEnd(_output: unknown, id: string): void {
    this.end(id);
  }

  handleLLMError(_error: unknown, id: string): void {
    this.end(id, 'error');
  }

  #start(kind: string, name: string, id: string, parentId: string | undefined, thread: unknown): void {
    const session = typeof thread === 'string' || typeof thread === 'number' ? String(thread) : undefined;
    this.#spans.open(id, kind, name, { parentId: this.#shown(parentId), session });
  }

  #hide(id: string, parentId: string): void {
    // Streams that are left early leave some behind.
    if (this.#hidden.size >= 10_000) this.#hidden.clear();
    this.#hidden.set(id, parentId);
  }

  /** The nearest run with a scope of its own. */
  #shown(id: string | undefined): string | undefined {
    let at = id;
    for (let step = 0; at !== undefined && step < 100 && this.#hidden.has(at); step += 1)
      at = this.#hidden.get(at);
    return at;
  }
}

interface Metadata {
  readonly thread_id?: unknown;
  readonly langgraph_node?: unknown;
}
