/**
 * OpenTelemetry: agents, tools and model calls of a program that records spans by the GenAI conventions are scopes, in the session of
 * `gen_ai.conversation.id`; so every framework that speaks the conventions works without an adapter of its own. Every span that runs in a
 * scope gets the scope's path, and at its end the scope's bytes, as attributes.
 */
import { currentScope, processScope } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { noteTrace, openIn, sessionAround, sessions } from '@plimsoll/core/adapter';
import { connectOnce, frameworks } from '../framework-slot.ts';
import { MethodPatches, prototypeOf } from '../method-patches.ts';
import { sessionName } from '../session-name.ts';

export interface OtelOptions {
  /** Whether spans get the ids of sessions as they are; asked at each span. Default: a hash stands for each. */
  readonly exportsIds?: () => boolean;
}

/** Connects the adapter where the preload could hook OpenTelemetry. Calling it again does nothing; the function that it returns disconnects. */
export function plimsoll({ exportsIds = () => false }: OtelOptions = {}): () => void {
  return connectOnce('otel', () => {
    const adapter = new OtelAdapter(exportsIds);
    const ends = [
      frameworks().patch('otel.MultiSpanProcessor', (value) => adapter.processors(value)),
      frameworks().patch('otel.AsyncLocalStorageContextManager', (value) => adapter.contexts(value)),
    ];
    return () => {
      for (const end of ends) end();
      adapter.disconnect();
    };
  });
}

interface Span {
  readonly attributes?: Record<string, unknown>;
  spanContext?(): { readonly traceId: string; readonly spanId: string };
}

interface Context {
  getValue?(key: symbol): unknown;
}

type OnStart = (this: unknown, span: Span, context: Context | undefined) => unknown;
type OnEnd = (this: unknown, span: Span) => unknown;
type With = (
  this: unknown,
  context: Context,
  work: (...args: unknown[]) => unknown,
  self?: unknown,
  ...args: unknown[]
) => unknown;

/** Where the API keeps the span in a context; its keys are global symbols. */
const spanKey = Symbol.for('OpenTelemetry Context Key SPAN');

/** Kinds by the operation that a GenAI span names. */
const kinds: Readonly<Record<string, string>> = {
  invoke_agent: 'agent',
  invoke_workflow: 'run',
  execute_tool: 'tool',
  chat: 'stage',
  generate_content: 'stage',
  text_completion: 'stage',
};

/** Names of the attributes that are added. */
const pathAttribute = 'plimsoll.scope.path';
const bytesAttribute = 'plimsoll.scope.bytes';

class OtelAdapter {
  readonly #patches = new MethodPatches('otel');
  readonly #scopes = new WeakMap<object, Scope>();
  /** Scopes that were opened here, so that those of another adapter can be told apart. */
  readonly #own = new WeakSet<Scope>();
  readonly #exportsIds: () => boolean;

  constructor(exportsIds: () => boolean) {
    this.#exportsIds = exportsIds;
  }

  disconnect(): void {
    this.#patches.restore();
  }

  processors(given: unknown): void {
    const proto = prototypeOf(given);
    const began = (span: Span, context: Context | undefined): void => this.#began(span, context);
    const ended = (span: Span): void => this.#ended(span);
    this.#patches.replace<OnStart>(
      proto,
      'onStart',
      (original) =>
        function (span, context) {
          began(span, context);
          return original.call(this, span, context);
        },
    );
    this.#patches.replace<OnEnd>(
      proto,
      'onEnd',
      (original) =>
        function (span) {
          ended(span);
          return original.call(this, span);
        },
    );
  }

  /** Runs what is active in a span inside the span's scope. */
  contexts(given: unknown): void {
    const scopeOf = (context: Context): Scope | undefined => this.#scopeIn(context);
    this.#patches.replace<With>(
      prototypeOf(given),
      'with',
      (original) =>
        function (context, work, self, ...args) {
          const scope = scopeOf(context);
          if (scope === undefined) return original.call(this, context, work, self, ...args);
          const inside = function (this: unknown, ...given: unknown[]): unknown {
            return scope.run(() => work.apply(this, given));
          };
          return original.call(this, context, inside, self, ...args);
        },
    );
  }

  #scopeIn(context: Context | undefined): Scope | undefined {
    const span = context?.getValue?.(spanKey);
    const scope = typeof span === 'object' && span !== null ? this.#scopes.get(span) : undefined;
    return scope?.state === 'open' ? scope : undefined;
  }

  #began(span: Span, context: Context | undefined): void {
    try {
      const { attributes } = span;
      if (attributes === undefined) return;
      const scope = this.#open(span, attributes, context) ?? this.#scopeIn(context) ?? currentScope();
      if (scope === processScope()) return;
      attributes[pathAttribute] = this.#exportsIds() ? scope.path : withoutIds(scope.path);
      const ref = span.spanContext?.();
      if (ref !== undefined) noteTrace(scope.path, ref);
    } catch {
      // The span is recorded as it is without the adapter.
    }
  }

  #open(
    span: Span,
    attributes: Readonly<Record<string, unknown>>,
    context: Context | undefined,
  ): Scope | undefined {
    const kind = kinds[String(attributes['gen_ai.operation.name'])];
    if (kind === undefined) return undefined;
    const around = this.#scopeIn(context);
    const here = around ?? currentScope();
    // The adapter of the framework itself has opened this one already.
    if (here.kind === kind && !this.#own.has(here)) return undefined;
    const session = attributes['gen_ai.conversation.id'];
    const isNew = typeof session === 'string' && session !== '' && sessionAround(here) === undefined;
    const scope = openIn(isNew ? sessions().enter(session) : here, kind, nameOf(kind, attributes));
    this.#own.add(scope);
    this.#scopes.set(span, scope);
    return scope;
  }

  #ended(span: Span): void {
    try {
      const scope = this.#scopes.get(span);
      const { attributes } = span;
      const bytes = (scope ?? currentScope()).account.held;
      if (attributes?.[pathAttribute] !== undefined && bytes > 0) attributes[bytesAttribute] = bytes;
      this.#scopes.delete(span);
      void scope?.close();
    } catch {
      // The span ends as it does without the adapter.
    }
  }
}

/** Parts of a path whose names are ids of people or of their conversations. */
const withId = /(^|\/)(session|user|thread|tenant):([^/]+)/g;

/** A path with a hash in place of each id: spans leave the machine. */
function withoutIds(path: string): string {
  return path.replace(
    withId,
    (_, before: string, kind: string, id: string) => `${before}${kind}:${sessionName(id)}`,
  );
}

function nameOf(kind: string, attributes: Readonly<Record<string, unknown>>): string {
  const name =
    kind === 'tool'
      ? attributes['gen_ai.tool.name']
      : kind === 'stage'
        ? 'model'
        : (attributes['gen_ai.agent.name'] ?? attributes['gen_ai.workflow.name']);
  return typeof name === 'string' && name !== '' ? name : kind;
}
