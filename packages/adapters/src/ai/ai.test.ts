import { tracingChannel } from 'node:diagnostics_channel';
import { currentScope, processScope } from '@plimsoll/core';
import { roster } from '@plimsoll/core/internal/scope/index';
import { afterEach, expect, test } from 'vitest';
import { frameworks } from '../framework-slot.ts';
import { plimsoll } from './ai.ts';

const ends: (() => void)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await processScope().close();
});

interface Options {
  readonly telemetry?: { readonly functionId?: string; readonly isEnabled?: boolean };
  readonly abortSignal?: AbortSignal;
  readonly runtimeContext?: { readonly sessionId?: string };
}

const channel = tracingChannel('ai:telemetry');
const event = (type: string, more: object = {}): object => ({ type, event: more });

/** `generateText` as far as the adapter hooks it: it publishes on the channel and runs a tool. The real one is driven in test/frameworks. */
let generateText = async (_options: Options, tool: () => unknown): Promise<unknown> =>
  channel.tracePromise(
    async () =>
      channel.tracePromise(
        async () =>
          channel.tracePromise(
            async () => tool(),
            event('executeTool', { toolCall: { toolName: 'search' } }),
          ),
        event('step'),
      ),
    event('generateText', { messages: [{ role: 'user', content: 'hello' }] }),
  );
let seenSignal: AbortSignal | undefined;
const original = generateText;
generateText = async (options, tool) => {
  seenSignal = options.abortSignal;
  return original(options, tool);
};
frameworks().loaded('ai.generateText', generateText, (made) => {
  generateText = made as typeof generateText;
});

const open = (): readonly string[] =>
  [...roster.open].map(({ path }) => path).filter((path) => path !== 'process');

test('a call is an agent in its session, with step and tool inside, and all of it is closed at the end', async () => {
  ends.push(plimsoll());
  const shutdown = new AbortController();
  const options = {
    abortSignal: shutdown.signal,
    runtimeContext: { sessionId: '42' },
    telemetry: { functionId: 'planner' },
  };
  const inside = await generateText(options, () => currentScope().path);
  expect(inside).toBe('process/session:42/agent:planner/stage:step/tool:search');
  expect(open()).toEqual(['process/session:42']);
  expect(seenSignal).not.toBe(shutdown.signal);
  expect(await generateText({}, () => currentScope().path)).toBe(
    'process/agent:generateText/stage:step/tool:search',
  );
});

test('a call inside a tool is in the session of the outer call', async () => {
  ends.push(plimsoll());
  const inner = { runtimeContext: { sessionId: 'other' } };
  const path = await generateText({ runtimeContext: { sessionId: 'one' } }, async () =>
    generateText(inner, () => currentScope().path),
  );
  expect(path).toBe(
    'process/session:one/agent:generateText/stage:step/tool:search/agent:generateText/stage:step/tool:search',
  );
});

test('errors close the scopes; a signal of the caller and a closed scope both abort the call', async () => {
  ends.push(plimsoll());
  const failing = generateText({}, () => {
    throw new Error('tool failed');
  });
  await expect(failing).rejects.toThrow('tool failed');
  expect(open()).toEqual([]);
  const shutdown = new AbortController();
  await generateText({ abortSignal: shutdown.signal }, () => {
    shutdown.abort(new Error('shutdown'));
    expect(seenSignal?.reason).toMatchObject({ message: 'shutdown' });
  });
  await generateText({}, () => {
    const agent = currentScope().parent?.parent;
    expect(agent?.kind).toBe('agent');
    void agent?.close();
    expect(seenSignal?.reason).toMatchObject({
      name: 'AbortError',
      message: 'process/agent:generateText was closed',
    });
  });
});

test('messages of other kinds open nothing, and a call that is not one goes through as it is', async () => {
  ends.push(plimsoll());
  await channel.tracePromise(async () => expect(open()).toEqual([]), event('somethingNew'));
  // A call without telemetry does not tell its end. It has a signal of its own, and no scope.
  const shutdown = new AbortController();
  const silent = { abortSignal: shutdown.signal, telemetry: { isEnabled: false } };
  await generateText(silent, () => expect(seenSignal).not.toBe(shutdown.signal));
  seenSignal = undefined;
  await generateText({ abortSignal: 'no signal' as never }, () => undefined);
  expect(seenSignal).toBe('no signal');
});

test('where the functions of ai are hooked, nobody subscribes to its channel, and the scopes are the same', async () => {
  type Message = { readonly type: string; readonly event: object };
  let span = async (_message: Message, execute: () => unknown): Promise<unknown> => execute();
  let begin = (_options: {
    message: Message;
    completion: Promise<unknown>;
  }): { run(execute: () => unknown): unknown } | undefined => undefined;
  let streamText = (_options: Options, read: (run: (execute: () => unknown) => unknown) => void): object => {
    const completion = Promise.withResolvers<void>();
    const made = begin({
      message: { type: 'streamText', event: { functionId: 'speaker' } },
      completion: completion.promise,
    });
    read((execute) => made?.run(execute) ?? execute());
    return { end: () => completion.resolve() };
  };
  const slot = frameworks();
  slot.loaded('ai.runWithTracingChannelSpan', span, (made) => (span = made as typeof span));
  slot.loaded('ai.openTelemetryChannelSpanContext', begin, (made) => (begin = made as typeof begin));
  slot.loaded('ai.streamText', streamText, (made) => (streamText = made as typeof streamText));
  ends.push(plimsoll());
  expect(channel.hasSubscribers).toBe(false);
  const path = (): string => currentScope().path;
  const tool = { type: 'executeTool', event: { toolCall: { toolName: 'search' } } };
  expect(await span({ type: 'generateText', event: {} }, () => span(tool, path))).toBe(
    'process/agent:generateText/tool:search',
  );
  const failing = span(tool, () => {
    throw new Error('tool failed');
  });
  await expect(failing).rejects.toThrow('tool failed');
  expect(open()).toEqual([]);
  const inside: unknown[] = [];
  const result = streamText({ runtimeContext: { sessionId: '7' } }, (run) => {
    inside.push(run(path));
  }) as { end: () => void };
  // The span of the call is the scope that its function has opened, and no second one.
  expect(inside).toEqual(['process/session:7/agent:streamText']);
  expect(open()).toEqual(['process/session:7', 'process/session:7/agent:streamText']);
  result.end();
  await Promise.resolve();
  await Promise.resolve();
  expect(open()).toEqual(['process/session:7']);
});

test('the function of ai for spans is called while somebody subscribes, and only then', async () => {
  const heard: string[] = [];
  let span = async (message: { readonly type: string }, execute: () => unknown): Promise<unknown> => {
    heard.push(message.type);
    return execute();
  };
  const own = span;
  frameworks().loaded('ai.runWithTracingChannelSpan', own, (made) => (span = made as typeof span));
  ends.push(plimsoll());
  const path = (): string => currentScope().path;
  expect(await span({ type: 'embed' }, path)).toBe('process/stage:embed');
  expect(await span({ type: 'somethingNew' }, path)).toBe('process');
  const listener = (): void => undefined;
  channel.start.subscribe(listener);
  ends.push(() => channel.start.unsubscribe(listener));
  expect(await span({ type: 'embed' }, path)).toBe('process/stage:embed');
  expect(await span({ type: 'somethingNew' }, path)).toBe('process');
  expect(heard).toEqual(['embed', 'somethingNew']);
  expect(open()).toEqual([]);
});

test('disconnected, calls are as they were', async () => {
  plimsoll()();
  const { signal } = new AbortController();
  expect(await generateText({ abortSignal: signal }, () => currentScope().path)).toBe('process');
  expect(seenSignal).toBe(signal);
});
