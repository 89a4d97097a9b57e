/**
 * OpenAI Agents (`@openai/agents` 0.20): a run is in the session of its trace's `groupId`, its spans are agents, turns and tools. A trace
 * has no scope of its own, because a trace whose run failed is never ended. The adapter hears what every trace processor hears, so it does
 * not matter which ones the program sets. With tracing disabled there are no spans, and so no scopes.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { SpanScopes } from '@plimsoll/core/adapter';
import { connectOnce, frameworks } from '../framework-slot.ts';
import { holdsNow } from '../held-object.ts';
import { MethodPatches, prototypeOf } from '../method-patches.ts';

/** Connects the adapter where the preload could hook the framework. Calling it again does nothing; the function that it returns disconnects. */
export function plimsoll(): () => void {
  return connectOnce('openai-agents', () => {
    const adapter = new AgentsAdapter();
    const ends = [
      frameworks().patch('openai-agents.MultiTracingProcessor', (value) => adapter.processors(value)),
      frameworks().patch('openai-agents.RunState', (value) => adapter.states(value)),
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

/** The state of a run: what was asked, what the models answered, and the results of tools among the items. */
interface RunState {
  readonly _originalInput?: unknown;
  readonly _modelResponses?: readonly unknown[];
  readonly _generatedItems?: readonly { readonly rawItem?: unknown }[];
}

type SetAgentSpan = (this: RunState, span: Span | undefined) => unknown;
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

class AgentsAdapter {
  readonly #patches = new MethodPatches('openai-agents');
  readonly #spans = new SpanScopes();
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
      this.#spans.open(spanId, kinds[type] ?? 'stage', called, {
        parentId: parentId ?? undefined,
        session: this.#groups.get(traceId),
      });
    });
    this.#hear(proto, 'onSpanEnd', ({ spanId }) => this.#spans.close(spanId));
  }

  /** Says at each turn what an agent holds: its conversation, and not the agent's own definition, which all sessions share. */
  states(given: unknown): void {
    const spans = this.#spans;
    this.#patches.replace<SetAgentSpan>(
      prototypeOf(given),
      'setCurrentAgentSpan',
      (original) =>
        function (span) {
          const scope = spans.get(span?.spanId);
          if (scope !== undefined) holdsNow(scope, conversationOf(this));
          return original.call(this, span);
        },
    );
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

function conversationOf({
  _originalInput: input,
  _modelResponses: responses,
  _generatedItems: items,
}: RunState): object {
  return { input, responses, items: items?.map(({ rawItem }) => rawItem) };
}
