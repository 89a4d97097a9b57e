/**
 * The AI SDK (`ai` 7): call, step, model call and tool become scopes.
 *
 * Where the preload could hook `ai`, its own two functions that begin a span are wrapped, because the SDK copies and redacts every result
 * for whoever subscribes to its diagnostics channel: 50 µs per call. Where it could not (bundles, before Node.js 22.15), the adapter
 * subscribes to the channel `ai:telemetry`.
 *
 * Two things come from the functions of the program's calls. The session of a call is in its options (`runtimeContext.sessionId`), which
 * telemetry leaves out unless the caller asks for it. And each call gets a signal of its own: on a signal that lives as long as the
 * process, a call whose reader left early is kept for ever (101 KB each).
 */
import { tracingChannel } from 'node:diagnostics_channel';
import { currentScope } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { bindScope, callSignal, openIn, placeOf } from '@plimsoll/core/adapter';
import { stopOnClose } from '../call-stop.ts';
import { connectOnce, frameworks } from '../framework-slot.ts';
import { openSafely } from '../open-safely.ts';
import { CallHoldings } from './call-holdings.ts';
import { StreamReaders } from './stream-readers.ts';

/** What the channel says. */
interface Message {
  readonly type: string;
  readonly event?: {
    readonly functionId?: string;
    readonly toolCall?: { readonly toolName?: string };
    readonly messages?: unknown;
    readonly runtimeContext?: RuntimeContext;
  };
}

interface RuntimeContext {
  readonly sessionId?: unknown;
  readonly threadId?: unknown;
  readonly chatId?: unknown;
}

interface CallOptions {
  readonly abortSignal?: unknown;
  readonly runtimeContext?: RuntimeContext;
  readonly telemetry?: { readonly functionId?: unknown; readonly isEnabled?: unknown };
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

/**
 * What a call keeps beside its messages while a step of it runs: suspended functions, promises and streams, which no walk from an object
 * finds. Measured with `ai` 7.0.169, where it differs by a tenth between calls.
 */
const runningBytes = { call: 34_000, stream: 110_000 };

const streams: ReadonlySet<string> = new Set(['streamText', 'streamObject']);

/** Connects the adapter. Calling it again does nothing; the function that it returns disconnects. */
export function plimsoll(): () => void {
  return connectOnce('ai', () => {
    const adapter = new AiAdapter();
    const ends = [
      adapter.listen(),
      frameworks().patch('ai.runWithTracingChannelSpan', (value) => adapter.spans(value as SpanFunction)),
      frameworks().patch('ai.openTelemetryChannelSpanContext', (value) =>
        adapter.contexts(value as ContextFunction),
      ),
      ...['streamText', 'streamTextLowMemory', 'generateText'].map((name) =>
        frameworks().patch(`ai.${name}`, (value) => adapter.calls(value as CallFunction, name)),
      ),
    ];
    return () => {
      for (const end of ends) end();
    };
  });
}

type CallFunction = (this: unknown, ...args: unknown[]) => unknown;
/** `runWithTracingChannelSpan` of `ai`: runs a call, step, model call or tool. */
type SpanFunction = (message: Message, execute: () => unknown, ...rest: unknown[]) => Promise<unknown>;
/** `openTelemetryChannelSpanContext` of `ai`: begins a stream or a step of one. What belongs to it is run later by `run`. */
type ContextFunction = (options: {
  readonly message: Message;
  readonly completion: PromiseLike<unknown>;
}) => Context | undefined;
interface Context {
  run(execute: () => unknown): unknown;
}

/** An open scope, and how the call of an agent is told that it was closed by somebody else. */
interface Open {
  readonly scope: Scope;
  readonly stop: (() => void) | undefined;
}

class AiAdapter {
  /** While nobody subscribes, the functions of `ai` for spans only pass the call on, but make a channel for each: 3 µs. They are left out then. */
  readonly #channel = tracingChannel('ai:telemetry');
  /** Calls whose function has begun, and whose span has not. */
  readonly #begun = new WeakMap<Scope, Open>();
  readonly #scopes = new WeakMap<object, Open>();
  readonly #holdings = new CallHoldings();
  readonly #readers = new StreamReaders();
  /** A call that nobody began to read, or whose reader was not seen, is over when the collector takes what would tell its end. */
  readonly #left = new FinalizationRegistry<Scope>((scope) => void scope.close('reader left'));
  #unlisten: () => void = () => undefined;

  /** Subscribes to the channel, until the functions of `ai` turn out to be hooked. */
  listen(): () => void {
    const channel = this.#channel;
    const unbind = bindScope(channel.start, (message) => this.#heard(message as Message));
    const end = (message: unknown): void => this.#told(message as object);
    const none = (): void => undefined;
    const subscriber = { start: none, end: none, asyncStart: none, asyncEnd: end, error: end };
    channel.subscribe(subscriber);
    this.#unlisten = () => {
      this.#unlisten = none;
      unbind();
      channel.unsubscribe(subscriber);
    };
    return () => {
      this.#unlisten();
      this.#readers.stop();
    };
  }

  /** A call of the program is an agent. It gets a signal of its own. */
  calls(original: CallFunction, name: string): CallFunction {
    const isStream = name !== 'generateText';
    const begin = (options: CallOptions): Begun | undefined => this.#begin(options, name, isStream);
    const end = (open: Open): void => this.#end(open);
    const read = (result: object, open: Open): void => {
      this.#left.register(result, open.scope, open.scope);
      // The call is not aborted: the program may still ask for the rest.
      openSafely(() => this.#readers.follow(result, () => end(open)));
    };
    return function (options, ...rest) {
      const begun = isOptions(options) ? begin(options) : undefined;
      if (begun === undefined) return original.call(this, options, ...rest);
      const { open, signal } = begun;
      const work = (): unknown =>
        original.call(this, { ...(options as object), abortSignal: signal }, ...rest);
      if (open === undefined) return work();
      try {
        const result = open.scope.run(work);
        if (isStream) read(result as object, open);
        else whenSettled(result as Promise<unknown>, () => end(open));
        return result;
      } catch (error) {
        end(open);
        throw error;
      }
    };
  }

  #begin(options: CallOptions, name: string, isStream: boolean): Begun | undefined {
    return openSafely(() => {
      const { abortSignal, runtimeContext, telemetry } = options;
      if (abortSignal !== undefined && !(abortSignal instanceof AbortSignal)) return undefined;
      // Only a reader can leave and be forgotten. Nothing has to be held weakly for a call that ends by itself.
      const { signal, abort } =
        isStream || abortSignal !== undefined ? callSignal(abortSignal) : plainSignal();
      // Such a call does not tell its end.
      if (telemetry?.isEnabled === false) return { open: undefined, signal };
      const { functionId } = telemetry ?? {};
      const agent = typeof functionId === 'string' ? functionId : kindName(name);
      const scope = openAgent(sessionIn(runtimeContext), agent);
      const open = { scope, stop: stopOnClose(scope, abort) };
      this.#begun.set(scope, open);
      return { open, signal };
    });
  }

  #end(open: Open): void {
    this.#begun.delete(open.scope);
    close(open);
  }

  spans(original: SpanFunction): SpanFunction {
    this.#unlisten();
    return (message, execute, ...rest) => {
      const work = this.#channel.hasSubscribers ? () => original(message, execute, ...rest) : execute;
      if (this.#known(message) !== undefined) return passed(work);
      const open = openSafely(() => this.#open(message, runningBytes.call));
      return open === undefined ? passed(work) : this.#inside(open, work);
    };
  }

  async #inside(open: Open, work: () => unknown): Promise<unknown> {
    const { scope } = open;
    try {
      const result = await scope.run(work);
      if (scope.kind === 'tool') this.#holdings.resultOf(scope, result);
      return result;
    } finally {
      close(open);
    }
  }

  contexts(original: ContextFunction): ContextFunction {
    this.#unlisten();
    return (options) => {
      const { message, completion } = options;
      const known = this.#known(message);
      const open = known ?? openSafely(() => this.#open(message, runningBytes.stream));
      if (open === undefined) return original(options);
      const { scope } = open;
      const made = this.#channel.hasSubscribers ? scope.run(() => original(options)) : undefined;
      whenSettled(completion, () => {
        this.#left.unregister(scope);
        close(open);
      });
      if (known === undefined) this.#left.register(completion, scope, scope);
      return { run: (execute) => scope.run(() => (made === undefined ? execute() : made.run(execute))) };
    };
  }

  /** The scope that the function of this call has opened. A call inside one of its tools has its own. */
  #known({ type, event }: Message): Open | undefined {
    if (kinds[type]?.[0] !== 'agent') return undefined;
    const here = currentScope();
    const known = this.#begun.get(here);
    if (known === undefined) return undefined;
    this.#begun.delete(here);
    this.#holdings.messages(here, event?.messages);
    return known;
  }

  #open({ type, event }: Message, running: number): Open | undefined {
    const known = kinds[type];
    if (known === undefined) return undefined;
    const [kind, name] = known;
    if (kind === 'tool')
      return { scope: openIn(undefined, kind, event?.toolCall?.toolName ?? name), stop: undefined };
    const scope =
      kind === 'agent'
        ? openAgent(sessionIn(event?.runtimeContext), event?.functionId ?? name)
        : openIn(undefined, kind, name);
    if (type === 'step') scope.charge(running);
    this.#holdings.messages(scope, event?.messages);
    return { scope, stop: undefined };
  }

  #heard(message: Message): Scope | undefined {
    const open = this.#known(message) ?? this.#open(message, runningBytes.call);
    if (open === undefined) return undefined;
    this.#scopes.set(message, open);
    // Only a stream has a reader that can leave. Its steps and tools close with it.
    if (streams.has(message.type)) this.#left.register(message, open.scope, message);
    return open.scope;
  }

  #told(message: object): void {
    const open = this.#scopes.get(message);
    if (open === undefined) return;
    this.#scopes.delete(message);
    if (streams.has((message as Message).type)) this.#left.unregister(message);
    close(open);
  }
}

/** A call that has begun, and the signal that the framework is given for it. */
interface Begun {
  /** Undefined where the call has no scope. */
  readonly open: Open | undefined;
  readonly signal: AbortSignal;
}

function isOptions(value: unknown): value is CallOptions {
  return typeof value === 'object' && value !== null;
}

function openAgent(session: string | undefined, name: string): Scope {
  return openIn(placeOf(session), 'agent', name);
}

/** The name of an agent without a `functionId`. */
function kindName(called: string): string {
  return called === 'generateText' ? called : 'streamText';
}

function plainSignal(): { readonly signal: AbortSignal; readonly abort: (reason: unknown) => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
}

async function passed(work: () => unknown): Promise<unknown> {
  return work();
}

/** Calls back when a promise has settled, before those who asked later. */
function whenSettled(promise: PromiseLike<unknown>, end: () => void): void {
  promise.then(end, end);
}

function close({ scope, stop }: Open): void {
  if (stop !== undefined) scope.disown(stop);
  scope[Symbol.dispose]();
}

function sessionIn(context: RuntimeContext | undefined): string | undefined {
  const id = context?.sessionId ?? context?.threadId ?? context?.chatId;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}
