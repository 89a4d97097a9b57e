/**
 * LangGraph 1.x: a graph is an agent in the session of its `thread_id`, nodes and model calls are stages, tools are tools. The functions of
 * LangGraph and LangChain that run them are wrapped. There is no callback handler: with one, LangChain describes each of its inner runs to
 * it, which took half a millisecond per call of a graph with one node.
 *
 * `graph.stream()` adds a listener to the signal it is given and never takes it away (0.9 to 1.95 KB per call on a signal that lives as
 * long as the process), so each call gets a signal of its own. Closing the scope of a graph aborts it.
 */
import { currentScope } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { callSignal, openIn, placeOf } from '@plimsoll/core/adapter';
import { stopOnClose } from '../call-stop.ts';
import { connectOnce, frameworks } from '../framework-slot.ts';
import { holdsNow } from '../held-object.ts';
import { MethodPatches, prototypeOf } from '../method-patches.ts';
import { openSafely } from '../open-safely.ts';
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
      frameworks().patch('langgraph.Pregel', (value) => adapter.graphs(value)),
      frameworks().patch('langgraph._runWithRetry', (value) => adapter.nodes(value as RunNode)),
      frameworks().patch('langgraph.StructuredTool', (value) => adapter.tools(value)),
      frameworks().patch('langgraph.BaseChatModel', (value) => adapter.models(value)),
      frameworks().patch('langgraph.BaseLLM', (value) => adapter.models(value)),
      frameworks().patch('langgraph.MemorySaver', (value) => adapter.savers(value)),
    ];
    return () => {
      for (const end of ends) end();
      adapter.disconnect();
    };
  });
}

interface GraphOptions {
  readonly signal?: unknown;
  readonly runName?: unknown;
  readonly configurable?: { readonly thread_id?: unknown };
}
interface Graph {
  readonly config?: GraphOptions;
  getName(): string;
}
type Abort = (reason: unknown) => void;
type Stream = (this: Graph, input: unknown, options?: GraphOptions) => unknown;
type Invoke = (this: Graph, input: unknown, options?: unknown) => unknown;
type Steps = AsyncGenerator<unknown, unknown, unknown>;
type Iterate = (this: Graph, input: unknown, options?: GraphOptions) => Steps;
/** One run of a node, as LangGraph describes it. */
interface Task {
  readonly name: unknown;
  readonly input: unknown;
  readonly config?: { readonly tags?: readonly string[] };
}
type RunNode = (this: unknown, task: Task, ...rest: unknown[]) => Promise<unknown>;
interface Model {
  readonly _streamResponseChunks?: unknown;
  readonly disableStreaming?: unknown;
}
type Work = (this: { readonly name?: unknown }, ...args: unknown[]) => Promise<unknown>;

/**
 * What a graph keeps beside its state while nodes of it run: suspended functions and promises, which no walk from an object finds. Measured
 * with LangGraph 1.4.18.
 */
const runningBytes = { firstNode: 34_000, parallelNode: 12_000 };

class LangGraphAdapter {
  readonly #patches = new MethodPatches('langgraph');
  /** A stream that nobody reads any more tells nobody. */
  readonly #left = new FinalizationRegistry<Scope>((scope) => void scope.close('reader left'));

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

  graphs(graph: unknown): void {
    const proto = prototypeOf(graph);
    // `stream` begins the steps before it returns.
    let begun: Abort | undefined;
    this.#patches.replace<Stream>(
      proto,
      'stream',
      (original) =>
        function (input, options) {
          const given = options?.signal;
          if (given !== undefined && !(given instanceof AbortSignal))
            return original.call(this, input, options);
          const { signal, abort } = callSignal(given);
          begun = abort;
          try {
            return original.call(this, input, { ...options, signal });
          } finally {
            begun = undefined;
          }
        },
    );
    let isInvoked = false;
    this.#patches.replace<Invoke>(
      proto,
      'invoke',
      (original) =>
        function (input, options) {
          isInvoked = true;
          try {
            return original.call(this, input, options);
          } finally {
            isInvoked = false;
          }
        },
    );
    const follow = (scope: Scope, steps: Steps, mayLeave: boolean, stop?: () => void): Steps =>
      this.#follow(scope, steps, mayLeave, stop);
    this.#patches.replace<Iterate>(
      proto,
      '_streamIterator',
      (original) =>
        function (input, options) {
          // `invoke` begins its stream before it returns, and reads it to the end itself.
          const mayLeave = !isInvoked;
          isInvoked = false;
          const abort = begun;
          begun = undefined;
          const scope = openSafely(() => openGraph(this, options));
          const steps = original.call(this, input, options);
          if (scope === undefined) return steps;
          return follow(scope, steps, mayLeave, abort && stopOnClose(scope, abort));
        },
    );
  }

  /** The code of a node runs inside the scope of the node. */
  nodes(original: RunNode): RunNode {
    return (task, ...rest) => {
      const name = String(task.name);
      if (isInner(name, task.config?.tags)) return original(task, ...rest);
      const scope = openSafely(() => openNode(name));
      if (scope === undefined) return original(task, ...rest);
      // The state of the graph as this node finds it.
      holdsNow(scope, task.input);
      return closing(scope, () => original(task, ...rest));
    };
  }

  tools(given: unknown): void {
    this.#patches.replace<Work>(prototypeOf(given), 'call', (original) =>
      inScope(original, (tool) => openIn(undefined, 'tool', nameOf(tool.name) ?? 'tool')),
    );
  }

  models(given: unknown): void {
    const proto = prototypeOf(given);
    const openModel = (): Scope => openIn(undefined, 'stage', 'model');
    this.#patches.replace<Work>(proto, 'generate', (original) => inScope(original, openModel));
    // A model that does not implement this method streams by `generate`, which has its scope.
    const missing = (proto as Model | undefined)?._streamResponseChunks;
    const follow = (scope: Scope, steps: Steps): Steps => this.#follow(scope, steps, true);
    this.#patches.replace<(this: Model, ...args: unknown[]) => Steps>(
      proto,
      '_streamIterator',
      (original) =>
        function (...args) {
          const steps = original.apply(this, args);
          const isStreaming = this._streamResponseChunks !== missing && this.disableStreaming !== true;
          const scope = isStreaming ? openSafely(openModel) : undefined;
          return scope === undefined ? steps : follow(scope, steps);
        },
    );
  }

  /**
   * Runs what a generator does inside the scope, and closes the scope with it: at its end, at an error, or when its reader leaves. The
   * collector is asked to tell of a reader only where one can leave without a word: what it follows costs a call a tenth of its time.
   */
  #follow(scope: Scope, steps: Steps, mayLeave: boolean, stop?: () => void): Steps {
    const next = steps.next.bind(steps);
    const leave = steps.return.bind(steps);
    const end = (reason?: string): void => {
      if (mayLeave) this.#left.unregister(steps);
      if (stop !== undefined) scope.disown(stop);
      close(scope, reason);
    };
    steps.next = async (...args) => {
      try {
        const step = await scope.run(() => next(...args));
        if (step.done === true) end();
        return step;
      } catch (error) {
        end('error');
        throw error;
      }
    };
    steps.return = async (value) => {
      // The graph then stands still and never tells its end.
      end('reader left');
      return leave(value);
    };
    if (mayLeave) this.#left.register(steps, scope, steps);
    return steps;
  }
}

function openGraph(graph: Graph, options: GraphOptions | undefined): Scope {
  const thread = options?.configurable?.thread_id ?? graph.config?.configurable?.thread_id;
  return openIn(placeOf(nameOf(thread)), 'agent', nameOf(options?.runName) ?? graph.getName());
}

function openNode(name: string): Scope {
  const isFirst = currentScope().children().length === 0;
  const scope = openIn(undefined, 'stage', name);
  scope.charge(isFirst ? runningBytes.firstNode : runningBytes.parallelNode);
  return scope;
}

function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** Nodes that are parts of LangGraph and not of the program. */
function isInner(name: string, tags: readonly string[] | undefined): boolean {
  return name.startsWith('__') || tags?.includes('langsmith:hidden') === true;
}

function inScope(original: Work, open: (owner: { readonly name?: unknown }) => Scope): Work {
  return function (...args) {
    const scope = openSafely(() => open(this));
    const work = (): Promise<unknown> => original.apply(this, args);
    return scope === undefined ? work() : closing(scope, work);
  };
}

async function closing<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
  try {
    const result = await scope.run(work);
    close(scope);
    return result;
  } catch (error) {
    close(scope, 'error');
    throw error;
  }
}

function close(scope: Scope, reason?: string): void {
  // Without a reason nobody asks for the report of the close.
  if (reason === undefined) scope[Symbol.dispose]();
  else void scope.close(reason);
}
