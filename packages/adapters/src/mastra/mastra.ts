/**
 * Mastra 1.71+: an agent run is an agent in the session of its thread, workflow runs are runs, steps are stages, tools are tools. Mastra
 * tells of all of them by spans. Where the program has no observability, the adapter hands out spans of its own that record nothing; where
 * it has `@mastra/observability`, the adapter follows the program's spans. Spans per chunk, inference and mapping have no scope.
 */
import { currentScope } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { openIn, placeOf, sessionAround } from '@plimsoll/core/adapter';
import { StoppableCalls } from '../call-stop.ts';
import { connectOnce, frameworks } from '../framework-slot.ts';
import type { CheckpointBounds } from '../langgraph/bounded-checkpointer.ts';
import { agentAround, holdsNow } from '../held-object.ts';
import { MethodPatches, prototypeOf } from '../method-patches.ts';
import { guardDelegations } from './delegation.ts';
import { guardMessages } from './message-guard.ts';
import { ParkedRuns } from './parked-runs.ts';
import { ScopeSpan } from './scope-span.ts';
import type { MastraSpanOptions, SpanScopeBook } from './scope-span.ts';
import { StorageBounds } from './storage-bounds.ts';
import { UnstartedRuns } from './unstarted-runs.ts';
import type { RunningWorkflow } from './unstarted-runs.ts';

export interface MastraOptions {
  /** What `InMemoryStore` may keep: threads, and as many runs that are over; asked at every look. Default: no bound. */
  readonly checkpoints?: () => CheckpointBounds | undefined;
  /** How long a suspended run may wait for its answer before it is let go; asked at every look. Default: Mastra's own 30 minutes. */
  readonly parkedMs?: () => number | undefined;
}

/** Connects the adapter where the preload could hook Mastra. Calling it again does nothing; the function that it returns disconnects. */
export function plimsoll(options: MastraOptions = {}): () => void {
  return connectOnce('mastra', () => {
    const adapter = new MastraAdapter(options);
    const ends = [
      frameworks().patch('mastra.getOrCreateSpan', (value) => adapter.spans(value as GetOrCreate)),
      frameworks().patch('mastra.Workflow', (value) => adapter.workflows(value)),
      frameworks().patch('mastra.Mastra', (value) => adapter.instances(value)),
      frameworks().patch('mastra.MessageList', (value) => guardMessages(adapter.patches, value)),
      frameworks().patch('mastra.Agent', (value) => adapter.agents(value)),
      frameworks().patch('mastra.BaseSpan', (value) => adapter.following(value)),
      frameworks().patch('mastra.DefaultSpan', (value) => adapter.ending(value)),
      frameworks().patch('mastra.BaseObservabilityInstance', (value) => adapter.starting(value)),
    ];
    return () => {
      for (const end of ends) end();
      adapter.disconnect();
    };
  });
}

type GetOrCreate = (options: MastraSpanOptions) => unknown;
type SpanMaker = (this: unknown, options: MastraSpanOptions) => object | undefined;
type InContext = (this: object, work: () => unknown) => unknown;
type CallAgent = (this: unknown, input: unknown, options?: Readonly<Record<string, unknown>>) => unknown;
type CreateRun = (this: RunningWorkflow, options?: unknown) => Promise<unknown>;
type Register = (this: object, workflow: { readonly id: string }, runId?: string) => unknown;
type Unregister = (this: object, id: string, runId: string) => unknown;

/** Kinds of the spans that have a scope. */
const kinds: Readonly<Record<string, string>> = {
  agent_run: 'agent',
  workflow_run: 'run',
  workflow_step: 'stage',
  tool_call: 'tool',
  mcp_tool_call: 'tool',
  client_tool_call: 'tool',
};

/**
 * What a run of an agent keeps beside its conversation: workflows of its own, chunks, suspended functions and promises, which no walk from an
 * object finds without finding the whole program. Each call of a tool adds a step with lists of all messages. Measured with Mastra 1.71.0.
 */
const runningBytes = { run: 165_000, toolCall: 22_000 };

class MastraAdapter implements SpanScopeBook {
  readonly patches = new MethodPatches('mastra');
  readonly #scopes = new WeakMap<object, Scope>();
  /** What the session of a running agent is charged for the run. */
  readonly #running = new WeakMap<Scope, ReturnType<Scope['line']>>();
  readonly #parked: ParkedRuns;
  readonly #storage: StorageBounds;
  readonly #unstarted = new UnstartedRuns();
  readonly #calls = new StoppableCalls();

  constructor({ parkedMs = () => undefined, checkpoints = () => undefined }: MastraOptions) {
    this.#parked = new ParkedRuns(parkedMs);
    this.#storage = new StorageBounds({ bounds: checkpoints, prunes: () => parkedMs() !== undefined });
  }

  disconnect(): void {
    this.patches.restore();
    this.#parked.stop();
    this.#unstarted.stop();
    this.#storage.stop();
  }

  /** Spans of ours where Mastra makes none. */
  spans(original: GetOrCreate): GetOrCreate {
    return (options) => original(options) ?? new ScopeSpan(options, undefined, this);
  }

  began(span: object, options: MastraSpanOptions, around: object | undefined): void {
    const kind = kinds[options.type];
    // A child span is told of twice: by its parent, and by the instance that makes it.
    if (kind === undefined || this.#scopes.has(span)) return;
    if ((span as { isInternal?: boolean }).isInternal === true) return;
    try {
      const { metadata } = options;
      const session = metadata?.['threadId'] ?? metadata?.['sessionId'];
      const parent =
        this.#around(around) ?? placeOf(typeof session === 'string' && session !== '' ? session : undefined);
      const name = options.entityName ?? options.entityId ?? options.name ?? kind;
      const scope = openIn(parent, kind, name);
      this.#scopes.set(span, scope);
      if (kind !== 'agent') return;
      this.#calls.opened(scope);
      this.#parked.began(metadata?.['runId'], scope);
      const line = sessionAround(scope)?.line('running agent');
      if (line !== undefined) this.#running.set(scope, line);
      line?.set(runningBytes.run);
      holdsNow(scope, options.input);
    } catch {
      // The run goes on without a scope.
    }
  }

  ended(span: object): void {
    const scope = this.#scopes.get(span);
    if (scope === undefined) return;
    this.#scopes.delete(span);
    if (scope.kind === 'tool') {
      const line = this.#running.get(agentAround(scope) ?? scope);
      line?.set(line.bytes + runningBytes.toolCall);
    }
    if (scope.kind === 'agent') {
      this.#calls.ends(scope);
      this.#running.get(scope)?.close();
      this.#parked.ended(scope);
    }
    // Nobody asks for the report of the close.
    scope[Symbol.dispose]();
  }

  run<T>(span: object, work: () => T): T {
    const scope = this.#around(span);
    // Most spans have no scope of their own, and run in that of the span around them.
    if (scope === undefined || scope === currentScope() || scope.state !== 'open') return work();
    return scope.run(work);
  }

  /** The scope of a span or of the nearest span around it that has one. */
  #around(span: object | undefined): Scope | undefined {
    let at = span as { readonly parent?: object } | undefined;
    for (let steps = 0; at !== undefined && at !== null && steps < 100; steps += 1) {
      const scope = this.#scopes.get(at);
      if (scope !== undefined) return scope;
      at = at.parent as typeof at;
    }
    return undefined;
  }

  /** Spans of `@mastra/observability` that begin a trace. */
  starting(given: unknown): void {
    this.patches.replace<SpanMaker>(prototypeOf(given), 'startSpan', (original) => this.#making(original));
  }

  following(given: unknown): void {
    const proto = prototypeOf(given);
    this.patches.replace<SpanMaker>(proto, 'createChildSpan', (original) => this.#making(original));
    const run = (span: object, work: () => unknown): unknown => this.run(span, work);
    for (const method of ['executeInContext', 'executeInContextSync'])
      this.patches.replace<InContext>(
        proto,
        method,
        (original) =>
          function (work) {
            return original.call(this, () => run(this, work));
          },
      );
  }

  ending(given: unknown): void {
    const ended = (span: object): void => this.ended(span);
    this.patches.replace<(this: object, options?: unknown) => void>(
      prototypeOf(given),
      'end',
      (original) =>
        function (options) {
          original.call(this, options);
          ended(this);
        },
    );
  }

  #making(original: SpanMaker): SpanMaker {
    const began = (span: object, options: MastraSpanOptions): void =>
      this.began(span, options, (span as { parent?: object }).parent);
    return function (options) {
      const span = original.call(this, options);
      if (span !== undefined) began(span, options);
      return span;
    };
  }

  /** Delegations of every agent are asked for, and closing the scope of an agent stops its call. */
  agents(given: unknown): void {
    guardDelegations(this.patches, given);
    const calls = this.#calls;
    for (const method of ['generate', 'stream'])
      this.patches.replace<CallAgent>(
        prototypeOf(given),
        method,
        (original) =>
          function (input, options) {
            return calls.run(options, 'abortSignal', (own) => original.call(this, input, own));
          },
      );
  }

  workflows(given: unknown): void {
    const unstarted = this.#unstarted;
    const storage = this.#storage;
    this.patches.replace<CreateRun>(
      prototypeOf(given),
      'createRun',
      (original) =>
        async function (options) {
          const run = await original.call(this, options);
          unstarted.created(this, run);
          storage.used(this.mastra);
          return run;
        },
    );
  }

  /** Runs that wait for an answer, by Mastra's own list of them. */
  instances(given: unknown): void {
    const parked = this.#parked;
    const storage = this.#storage;
    const proto = prototypeOf(given);
    parked.readTtl(() => (given as { INTERNAL_WORKFLOW_TTL_MS?: number }).INTERNAL_WORKFLOW_TTL_MS);
    this.patches.replace<Register>(
      proto,
      '__registerInternalWorkflow',
      (original) =>
        function (workflow, runId) {
          const result = original.call(this, workflow, runId);
          if (runId !== undefined) parked.registered(this, workflow, runId);
          return result;
        },
    );
    this.patches.replace<Unregister>(
      proto,
      '__unregisterInternalWorkflow',
      (original) =>
        function (id, runId) {
          parked.unregistered(this, id, runId);
          storage.used(this);
          return original.call(this, id, runId);
        },
    );
  }
}
