/**
 * OpenAI Agents (`@openai/agents` 0.20): a run is in the session of its trace's `groupId`, its spans are agents, turns and tools. A trace
 * has no scope of its own, because a trace whose run failed is never ended. The adapter hears what every trace processor hears, so it does
 * not matter which ones the program sets. With tracing disabled there are no spans, and so no scopes.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { SpanScopes } from '@plimsoll/core/adapter';
import { StoppableCalls } from '../call-stop.ts';
import { connectOnce, frameworks } from '../framework-slot.ts';
import { MethodPatches, prototypeOf } from '../method-patches.ts';
import { RunHoldings } from './run-holdings.ts';
import type { RunState } from './run-holdings.ts';

/** Connects the adapter where the preload could hook the framework. Calling it again does nothing; the function that it returns disconnects. */
export function plimsoll(): () => void {
  return connectOnce('openai-agents', () => {
    const adapter = new AgentsAdapter();
    const ends = [
      frameworks().patch('openai-agents.MultiTracingProcessor', (value) => adapter.processors(value)),
      frameworks().patch('openai-agents.RunState', (value) => adapter.states(value)),
      frameworks().patch('openai-agents.Runner', (value) => adapter.runners(value)),
      frameworks().patch('openai-agents.applyCallModelInputFilter', (value) =>
        adapter.inputs(value as Filter),
      ),
      frameworks().patch('openai-agents.createSessionPersistenceTracker', (value) =>
        adapter.trackers(value as MakeTracker),
      ),
    ];
    adapter.context();
    return () => {
      for (const end of ends) end();
      adapter.disconnect();
    };
  });
}

interface Trace {
  readonly traceId: string;
  readonly groupId?: string | null;
}

interface Span {
  readonly spanId: string;
  readonly traceId: string;
  readonly parentId?: string | null;
  readonly spanData: { readonly type: string; readonly name?: unknown };
}

interface TraceContext {
  readonly span?: { readonly spanId?: string };
}

type SetAgentSpan = (this: RunState, span: Span | undefined) => unknown;
/** `applyCallModelInputFilter` of the framework: makes the input of a model call. */
type Filter = (agent: unknown, filter: unknown, context: unknown, ...rest: unknown[]) => Promise<unknown>;
type RunAgent = (
  this: unknown,
  agent: unknown,
  input: unknown,
  options?: Readonly<Record<string, unknown>>,
) => unknown;
type MakeTracker = (options: { readonly runContext?: unknown }) => unknown;
type Listener = (this: unknown, subject: Trace & Span) => unknown;
type Run = (
  this: unknown,
  store: TraceContext | undefined,
  work: (...args: unknown[]) => unknown,
  ...args: unknown[]
) => unknown;

/** Where all copies of the framework keep their async context. */
const contextKey = Symbol.for('openai.agents.core.asyncLocalStorage');

const mostTraces = 10_000;

const kinds: Readonly<Record<string, string>> = { task: 'run', agent: 'agent', function: 'tool' };

/**
 * What a run keeps beside its conversation while a turn runs: suspended functions and promises, which no walk from an object finds. Measured
 * with version 0.20.0.
 */
const runningBytes = 55_000;

class AgentsAdapter {
  readonly #patches = new MethodPatches('openai-agents');
  readonly #spans = new SpanScopes();
  readonly #holdings = new RunHoldings();
  readonly #calls = new StoppableCalls();
  /** Sessions of the traces that have not ended. */
  readonly #groups = new Map<string, string>();

  disconnect(): void {
    this.#patches.restore();
  }

  processors(given: unknown): void {
    const proto = prototypeOf(given);
    this.#hear(proto, 'onTraceStart', ({ traceId, groupId }) => this.#begin(traceId, groupId));
    this.#hear(proto, 'onTraceEnd', ({ traceId }) => void this.#groups.delete(traceId));
    this.#hear(proto, 'onSpanStart', ({ spanId, traceId, parentId, spanData: { type, name } }) => {
      const called = typeof name === 'string' && name !== '' ? name : type;
      const scope = this.#spans.open(spanId, kinds[type] ?? 'stage', called, {
        parentId: parentId ?? undefined,
        session: this.#groups.get(traceId),
      });
      if (scope === undefined) return;
      if (scope.kind === 'run' || scope.kind === 'agent') this.#calls.opened(scope);
      if (type === 'turn') scope.charge(runningBytes);
      if (type !== 'agent') this.#holdings.renew(scope);
    });
    this.#hear(proto, 'onSpanEnd', ({ spanId }) => {
      const scope = this.#spans.get(spanId);
      if (scope !== undefined) this.#calls.ends(scope);
      this.#spans.close(spanId);
    });
  }

  /** Closing the scope of a run stops the run. */
  runners(given: unknown): void {
    const calls = this.#calls;
    this.#patches.replace<RunAgent>(
      prototypeOf(given),
      'run',
      (original) =>
        function (agent, input, options) {
          return calls.run(options, 'signal', (own) => original.call(this, agent, input, own));
        },
    );
  }

  states(given: unknown): void {
    const spans = this.#spans;
    const holdings = this.#holdings;
    this.#patches.replace<SetAgentSpan>(
      prototypeOf(given),
      'setCurrentAgentSpan',
      (original) =>
        function (span) {
          const scope = spans.get(span?.spanId);
          if (scope !== undefined) holdings.turns(scope, this);
          return original.call(this, span);
        },
    );
  }

  inputs(original: Filter): Filter {
    const holdings = this.#holdings;
    return async (agent, filter, context, ...rest) => {
      const made = await original(agent, filter, context, ...rest);
      holdings.prepared(context, made);
      return made;
    };
  }

  trackers(original: MakeTracker): MakeTracker {
    const holdings = this.#holdings;
    return (options) => {
      const tracker = original(options);
      holdings.tracked(options.runContext, tracker);
      return tracker;
    };
  }

  /** Runs the code of agents and tools inside their scopes. */
  context(): void {
    const holder = globalThis as { [contextKey]?: unknown };
    if (holder[contextKey] === undefined)
      Object.defineProperty(globalThis, contextKey, {
        value: new AsyncLocalStorage(),
        writable: true,
        configurable: true,
      });
    const spans = this.#spans;
    this.#patches.replace<Run>(
      holder[contextKey],
      'run',
      (original) =>
        function (store, work, ...args) {
          const scope = spans.get(store?.span?.spanId);
          if (scope === undefined) return original.call(this, store, work, ...args);
          return original.call(this, store, (...given) => scope.run(() => work(...given)), ...args);
        },
    );
  }

  #begin(traceId: string, groupId: string | null | undefined): void {
    if (groupId === undefined || groupId === null) return;
    // Traces of runs that failed are not ended.
    if (this.#groups.size >= mostTraces) this.#groups.delete(this.#groups.keys().next().value as string);
    this.#groups.set(traceId, groupId);
  }

  #hear(proto: object | undefined, method: string, listen: (subject: Trace & Span) => void): void {
    this.#patches.replace<Listener>(
      proto,
      method,
      (original) =>
        function (subject) {
          try {
            listen(subject);
          } catch {
            // The framework's own processors still hear of it.
          }
          return original.call(this, subject);
        },
    );
  }
}
