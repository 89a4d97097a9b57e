/**
 * The AI SDK (`ai` 7): call, step, model call and tool become scopes by the diagnostics channel `ai:telemetry`.
 *
 * Two things the channel cannot give come from the functions themselves, where the preload could hook them. The session of a call is in
 * its options (`runtimeContext.sessionId`), which the channel leaves out unless the caller asks for it. And each call gets a signal of
 * its own: on a signal that lives as long as the process, a call whose reader left early is kept for ever (101 KB each).
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { currentScope } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { bindScope, callSignal, openIn, sessionAround, sessions } from '@plimsoll/core/adapter';
import { connectOnce, frameworks } from '../framework-slot.ts';
import { holdsNow } from '../held-object.ts';

/** What the channel says. */
interface Message {
  readonly type: string;
  readonly event?: {
    readonly functionId?: string;
    readonly toolCall?: { readonly toolName?: string };
    readonly messages?: unknown;
    readonly runtimeContext?: Context;
  };
}

interface Context {
  readonly sessionId?: unknown;
  readonly threadId?: unknown;
  readonly chatId?: unknown;
}

interface CallOptions {
  readonly abortSignal?: unknown;
  readonly runtimeContext?: Context;
  readonly messages?: unknown;
}

/** One call between its function and the start that the channel tells. */
interface Call {
  readonly session: string | undefined;
  readonly abort: (reason: unknown) => void;
  isTold: boolean;
}

/** Kind and name of a scope by the type of its message. An agent is called as its `functionId`, a tool as itself. */
const kinds: Readonly<Record<string, readonly [kind: string, name: string]>> = {
  streamText: ['agent', 'streamText'],
  generateText: ['agent', 'generateText'],
  streamObject: ['agent', 'streamObject'],
  generateObject: ['agent', 'generateObject'],
  step: ['stage', 'step'],
  languageModelCall: ['stage', 'model'],
  embed: ['stage', 'embed'],
  embedMany: ['stage', 'embedMany'],
  rerank: ['stage', 'rerank'],
  executeTool: ['tool', 'tool'],
};

const streams: ReadonlySet<string> = new Set(['streamText', 'streamObject']);

/** Connects the adapter. Calling it again does nothing; the function that it returns disconnects. */
export function plimsoll(): () => void {
  return connectOnce('ai', () => {
    const adapter = new AiAdapter();
    const ends = [
      adapter.listen(),
      ...['streamText', 'streamTextLowMemory', 'generateText'].map((name) =>
        frameworks().patch(`ai.${name}`, (value) => adapter.wrap(value as CallFunction)),
      ),
    ];
    return () => {
      for (const end of ends) end();
    };
  });
}

type CallFunction = (this: unknown, ...args: unknown[]) => unknown;

class AiAdapter {
  readonly #calls = new AsyncLocalStorage<Call>();
  readonly #scopes = new WeakMap<
    object,
    { readonly scope: Scope; readonly stop: (() => void) | undefined }
  >();
  /** A reader that leaves early ends nothing and tells nobody. Its call is over when the collector takes the call's message. */
  readonly #left = new FinalizationRegistry<Scope>((scope) => void scope.close('reader left'));

  listen(): () => void {
    const channel = tracingChannel('ai:telemetry');
    const unbind = bindScope(channel.start, (message) => this.#open(message as Message));
    const end = (message: unknown): void => this.#close(message as object);
    const none = (): void => undefined;
    const subscriber = { start: none, end: none, asyncStart: none, asyncEnd: end, error: end };
    channel.subscribe(subscriber);
    return () => {
      unbind();
      channel.unsubscribe(subscriber);
    };
  }

  /** Gives a call a signal of its own and remembers its session until the channel tells its start. */
  wrap(original: CallFunction): CallFunction {
    const calls = this.#calls;
    return function (options, ...rest) {
      if (typeof options !== 'object' || options === null) return original.call(this, options, ...rest);
      const { abortSignal, runtimeContext } = options as CallOptions;
      if (abortSignal !== undefined && !(abortSignal instanceof AbortSignal))
        return original.call(this, options, ...rest);
      const { signal, abort } = callSignal(abortSignal);
      const call: Call = { session: sessionIn(runtimeContext), abort, isTold: false };
      return calls.run(call, () => original.call(this, { ...options, abortSignal: signal }, ...rest));
    };
  }

  #open(message: Message): Scope | undefined {
    const known = kinds[message.type];
    if (known === undefined) return undefined;
    const [kind, name] = known;
    const { event } = message;
    if (kind === 'tool')
      return this.#keep(message, openIn(undefined, kind, event?.toolCall?.toolName ?? name), undefined);
    if (kind !== 'agent') return this.#keep(message, openIn(undefined, kind, name), undefined);
    const call = this.#callOf();
    const session = call?.session ?? sessionIn(event?.runtimeContext);
    const here = currentScope();
    const parent =
      session === undefined || sessionAround(here) !== undefined ? here : sessions().enter(session);
    return this.#keep(message, openIn(parent, kind, event?.functionId ?? name), call);
  }

  /** The call that this start belongs to. A call inside a tool of it has its own. */
  #callOf(): Call | undefined {
    const call = this.#calls.getStore();
    if (call === undefined || call.isTold) return undefined;
    call.isTold = true;
    return call;
  }

  #keep(message: Message, scope: Scope, call: Call | undefined): Scope {
    holdsNow(scope, message.event?.messages);
    let stop: (() => void) | undefined;
    if (call !== undefined) {
      const { abort } = call;
      // Whoever closes the scope before the call has ended stops the call.
      stop = () => abort(new DOMException(`${scope.path} was closed`, 'AbortError'));
      scope.own(stop, 'call');
    }
    this.#scopes.set(message, { scope, stop });
    // Only a stream has a reader that can leave. Its steps and tools close with it.
    if (streams.has(message.type)) this.#left.register(message, scope, message);
    return scope;
  }

  #close(message: object): void {
    const known = this.#scopes.get(message);
    if (known === undefined) return;
    this.#scopes.delete(message);
    if (streams.has((message as Message).type)) this.#left.unregister(message);
    if (known.stop !== undefined) known.scope.disown(known.stop);
    known.scope[Symbol.dispose]();
  }
}

function sessionIn(context: Context | undefined): string | undefined {
  const id = context?.sessionId ?? context?.threadId ?? context?.chatId;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}
