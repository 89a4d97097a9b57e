import { currentScope, processScope } from '@plimsoll/core';
import { roster } from '@plimsoll/core/internal/scope/index';
import { afterEach, expect, test } from 'vitest';
import { frameworks } from '../framework-slot.ts';
import { plimsoll } from './langgraph.ts';

const ends: (() => void)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await processScope().close();
});

/** The callbacks of LangChain, in the order and with the arguments that it gives them. */
interface Handler {
  readonly name: string;
  copy(): Handler;
  handleChainStart(...args: unknown[]): void;
  handleChainEnd(...args: unknown[]): void;
  handleChainError(...args: unknown[]): void;
  handleToolStart(...args: unknown[]): void;
  handleToolEnd(...args: unknown[]): void;
  handleToolError(...args: unknown[]): void;
  handleChatModelStart(...args: unknown[]): void;
  handleLLMStart(...args: unknown[]): void;
  handleLLMEnd(...args: unknown[]): void;
  handleLLMError(...args: unknown[]): void;
}

/** The classes of LangChain and LangGraph that the adapter hooks; the real ones are driven in test/frameworks. */
class CallbackManager {
  readonly handlers: Handler[] = [];
  static _configureSync(): CallbackManager | undefined {
    return undefined;
  }
  addHandler(handler: Handler): void {
    this.handlers.push(handler);
  }
}
const provider = {
  runWithConfig: (_config: unknown, work: () => unknown): unknown => work(),
};
class Pregel {
  seen: { readonly signal?: AbortSignal } | undefined;
  isReturned = false;
  async stream(input: () => unknown, options?: { readonly signal?: AbortSignal }): Promise<object> {
    this.seen = options;
    await input();
    return {
      return: async () => {
        this.isReturned = true;
      },
    };
  }
}
class MemorySaver {
  readonly storage: Record<string, Record<string, Record<string, readonly Uint8Array[]>>> = {};
  readonly writes = {};
  async put(config: { configurable: { thread_id: string } }, id: string): Promise<unknown> {
    const { thread_id } = config.configurable;
    ((this.storage[thread_id] ??= {})[''] ??= {})[id] = [new Uint8Array(1000)];
    return { configurable: { thread_id, checkpoint_ns: '', checkpoint_id: id } };
  }
  async deleteThread(thread: string): Promise<void> {
    delete this.storage[thread];
  }
}
frameworks().loaded('langgraph.CallbackManager', CallbackManager);
frameworks().loaded('langgraph.AsyncLocalStorageProviderSingleton', provider);
frameworks().loaded('langgraph.Pregel', Pregel);
frameworks().loaded('langgraph.MemorySaver', MemorySaver);

const open = (): readonly string[] =>
  [...roster.open].map(({ path }) => path).filter((path) => path !== 'process');

function handler(): Handler {
  const made = CallbackManager._configureSync() as CallbackManager;
  expect(made.handlers).toHaveLength(1);
  return made.handlers[0] as Handler;
}

const inRun = (id: string): unknown =>
  provider.runWithConfig({ callbacks: { getParentRunId: () => id } }, () => currentScope().path);

test('a graph is an agent in the session of its thread; nodes, tools and models are inside, inner runs are not shown', () => {
  ends.push(plimsoll());
  const runs = handler();
  expect(runs.copy()).toBe(runs);
  const meta = { thread_id: 't1' };
  const node = { ...meta, langgraph_node: 'think' };
  runs.handleChainStart({ id: ['LangGraph'] }, { messages: [] }, 'g', undefined, [], meta);
  runs.handleChainStart(undefined, { messages: [] }, 'n', 'g', [], node, undefined, 'think');
  runs.handleChainStart(undefined, {}, 'hidden', 'n', ['langsmith:hidden'], node, undefined, 'write');
  runs.handleToolStart({ name: 'search' }, '', 't', 'hidden', [], node);
  runs.handleChatModelStart({}, [], 'm', 'n', {}, [], node);
  runs.handleLLMStart({}, [], 'l', 'n', {}, [], node);
  const agent = 'process/session:t1/agent:LangGraph';
  expect(open()).toEqual([
    'process/session:t1',
    agent,
    `${agent}/stage:think`,
    `${agent}/stage:think/tool:search`,
    `${agent}/stage:think/stage:model`,
    `${agent}/stage:think/stage:model`,
  ]);
  expect(inRun('t')).toBe(`${agent}/stage:think/tool:search`);
  expect(inRun('hidden')).toBe(`${agent}/stage:think`);
  runs.handleLLMEnd({}, 'm');
  runs.handleLLMError(new Error('model'), 'l');
  runs.handleToolEnd('', 't');
  runs.handleToolError(new Error('tool'), 'unknown');
  runs.handleChainError(new Error('node'), 'n');
  runs.handleChainEnd({}, 'hidden');
  runs.handleChainEnd({}, 'g');
  expect(open()).toEqual(['process/session:t1']);
  expect(inRun('g')).toBe('process');
});

test('a stream gets a signal of its own, and its run ends when the reader leaves', async () => {
  ends.push(plimsoll());
  const runs = handler();
  const shutdown = new AbortController();
  const graph = new Pregel();
  const config = { signal: shutdown.signal, configurable: { thread_id: 7 } };
  const begin = (): void => runs.handleChainStart({ id: ['Graph'] }, {}, 'run', 'outer', [], {});
  const stream = (await graph.stream(begin, config)) as { return: () => Promise<void> };
  expect(open()).toEqual(['process/session:7', 'process/session:7/agent:Graph']);
  expect(graph.seen?.signal).toBeInstanceOf(AbortSignal);
  expect(graph.seen?.signal).not.toBe(shutdown.signal);
  await stream.return();
  expect(graph.isReturned).toBe(true);
  expect(open()).toEqual(['process/session:7']);
});

test('checkpoints are charged to the session of their thread and bounded where the policy says so', async () => {
  let bounds: { mostThreads: number; keepLast: number } | undefined;
  ends.push(plimsoll({ checkpoints: () => bounds }));
  const runs = handler();
  runs.handleChainStart({ id: ['Graph'] }, {}, 'run', undefined, [], { thread_id: 'a' });
  const saver = new MemorySaver();
  const put = (thread: string, id: string): Promise<unknown> =>
    saver.put({ configurable: { thread_id: thread } }, id);
  await put('a', '1');
  await put('a', '2');
  const session = [...roster.open].find(({ path }) => path === 'process/session:a');
  expect(session?.account.held).toBe(2000);
  bounds = { mostThreads: 1, keepLast: 1 };
  await put('a', '3');
  expect(session?.account.held).toBe(1000);
  await put('b', '1');
  expect(Object.keys(saver.storage)).toEqual(['b']);
  expect(session?.account.held).toBe(0);
  await saver.deleteThread('b');
  expect(saver.storage).toEqual({});
});

test('disconnected, graphs run as they did', async () => {
  plimsoll()();
  const { signal } = new AbortController();
  const graph = new Pregel();
  await graph.stream(() => undefined, { signal });
  expect(graph.seen?.signal).toBe(signal);
  expect(CallbackManager._configureSync()).toBeUndefined();
});
