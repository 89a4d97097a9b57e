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
    event('generateText', { functionId: 'planner', messages: [{ role: 'user', content: 'hello' }] }),
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
  const options = { abortSignal: shutdown.signal, runtimeContext: { sessionId: '42' } };
  const inside = await generateText(options, () => currentScope().path);
  expect(inside).toBe('process/session:42/agent:planner/stage:step/tool:search');
  expect(open()).toEqual(['process/session:42']);
  expect(seenSignal).not.toBe(shutdown.signal);
  expect(await generateText({}, () => currentScope().path)).toBe(
    'process/agent:planner/stage:step/tool:search',
  );
});

test('a call inside a tool is in the session of the outer call', async () => {
  ends.push(plimsoll());
  const inner = { runtimeContext: { sessionId: 'other' } };
  const path = await generateText({ runtimeContext: { sessionId: 'one' } }, async () =>
    generateText(inner, () => currentScope().path),
  );
  expect(path).toBe(
    'process/session:one/agent:planner/stage:step/tool:search/agent:planner/stage:step/tool:search',
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
      message: 'process/agent:planner was closed',
    });
  });
});

test('messages of other kinds open nothing, and a call that is not one goes through as it is', async () => {
  ends.push(plimsoll());
  await channel.tracePromise(async () => expect(open()).toEqual([]), event('somethingNew'));
  seenSignal = undefined;
  await generateText({ abortSignal: 'no signal' as never }, () => undefined);
  expect(seenSignal).toBe('no signal');
});

test('disconnected, calls are as they were', async () => {
  plimsoll()();
  const { signal } = new AbortController();
  expect(await generateText({ abortSignal: signal }, () => currentScope().path)).toBe('process');
  expect(seenSignal).toBe(signal);
});
