import { setTimeout as sleep } from 'node:timers/promises';
import { currentScope, processScope } from '@plimsoll/core';
import { roster } from '@plimsoll/core/internal/scope/index';
import { afterEach, expect, test, vi } from 'vitest';
import { frameworks } from '../framework-slot.ts';
import { plimsoll } from './langgraph.ts';

const ends: (() => void)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await processScope().close();
});

interface Config {
  readonly signal?: AbortSignal;
  readonly runName?: string;
  readonly configurable?: { readonly thread_id?: string | number };
}

/** The classes of LangChain and LangGraph that the adapter hooks; the real ones are driven in test/frameworks. */
class Pregel {
  seen: Config | undefined;
  readonly nodes: readonly (() => unknown)[];
  constructor(...nodes: readonly (() => unknown)[]) {
    this.nodes = nodes;
  }
  getName(): string {
    return 'Graph';
  }
  async stream(input: unknown, options?: Config): Promise<AsyncGenerator> {
    this.seen = options;
    return this._streamIterator(input, options);
  }
  async invoke(input: unknown, options?: Config): Promise<unknown> {
    const all = await read(await this.stream(input, options));
    return all.at(-1);
  }
  async *_streamIterator(input: unknown, _options?: Config): AsyncGenerator {
    for (const [i, run] of this.nodes.entries())
      yield runWithRetry({ name: `node-${i}`, input, run: async () => run() });
  }
}
interface Task {
  readonly name: string;
  readonly input: unknown;
  readonly config?: { readonly tags: readonly string[] };
  readonly run: () => Promise<unknown>;
}
let runWithRetry = async (task: Task): Promise<unknown> => task.run();
class StructuredTool {
  readonly name: string;
  readonly work: () => unknown;
  constructor(name: string, work: () => unknown) {
    this.name = name;
    this.work = work;
  }
  async call(): Promise<unknown> {
    return this.work();
  }
}
class BaseChatModel {
  async generate(): Promise<string> {
    return currentScope().path;
  }
  async *_streamIterator(): AsyncGenerator<string> {
    yield await this.generate();
  }
  async *_streamResponseChunks(): AsyncGenerator<string> {
    yield 'not implemented';
  }
}
class StreamingModel extends BaseChatModel {
  override async *_streamIterator(): AsyncGenerator<string> {
    yield* super._streamIterator();
  }
  override async *_streamResponseChunks(): AsyncGenerator<string> {
    yield 'x';
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
frameworks().loaded('langgraph.Pregel', Pregel);
frameworks().loaded('langgraph._runWithRetry', runWithRetry, (made) => {
  runWithRetry = made as typeof runWithRetry;
});
frameworks().loaded('langgraph.StructuredTool', StructuredTool);
frameworks().loaded('langgraph.BaseChatModel', BaseChatModel);
frameworks().loaded('langgraph.MemorySaver', MemorySaver);

const open = (): readonly string[] =>
  [...roster.open].map(({ path }) => path).filter((path) => path !== 'process');
const here = (): string => currentScope().path;

async function read(stream: AsyncGenerator): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for await (const one of stream) all.push(one);
  return all;
}

const thread = { configurable: { thread_id: 't1' } };

test('a graph is an agent in the session of its thread; nodes, tools and models are inside, and all end with it', async () => {
  ends.push(plimsoll());
  const inner = new Pregel(here);
  const search = new StructuredTool('search', async () =>
    read(await inner.stream('', { runName: 'researcher', configurable: { thread_id: 'other' } })),
  );
  const graph = new Pregel(
    here,
    () => search.call(),
    () => new BaseChatModel().generate(),
    () => runWithRetry({ name: '__write', input: {}, run: async () => here() }),
    () =>
      runWithRetry({ name: 'x', input: {}, config: { tags: ['langsmith:hidden'] }, run: async () => here() }),
  );
  const agent = 'process/session:t1/agent:Graph';
  expect(await read(await graph.stream({ messages: [] }, thread))).toEqual([
    `${agent}/stage:node-0`,
    [`${agent}/stage:node-1/tool:search/agent:researcher/stage:node-0`],
    `${agent}/stage:node-2/stage:model`,
    `${agent}/stage:node-3`,
    `${agent}/stage:node-4`,
  ]);
  expect(open()).toEqual(['process/session:t1']);
});

test('the state that a node finds is what the graph holds', async () => {
  ends.push(plimsoll());
  const state = { messages: ['hello'] };
  let held: readonly object[] = [];
  const graph = new Pregel(() => {
    held = [...roster.roots()].flatMap(({ roots }) => [...roots]);
  });
  await read(await graph.stream(state, thread));
  expect(held).toEqual([state]);
});

test('a model that streams is one stage, whichever way it streams', async () => {
  ends.push(plimsoll());
  // By `generate`, which has the scope.
  expect(await read(new BaseChatModel()._streamIterator())).toEqual(['process/stage:model']);
  // By itself; here what it runs inside its stream is another call of a model.
  expect(await read(new StreamingModel()._streamIterator())).toEqual(['process/stage:model/stage:model']);
  expect(open()).toEqual([]);
});

test('errors of nodes, tools and graphs reach the program, and their scopes are closed', async () => {
  ends.push(plimsoll());
  const tool = new StructuredTool('fail', () => {
    throw new Error('planned');
  });
  const graph = new Pregel(() => tool.call());
  await expect(read(await graph.stream('', thread))).rejects.toThrow('planned');
  expect(open()).toEqual(['process/session:t1']);
});

test('a stream gets a signal of its own, and its graph ends when the reader leaves', async () => {
  ends.push(plimsoll());
  const shutdown = new AbortController();
  const graph = new Pregel(here, here);
  const config = { signal: shutdown.signal, configurable: { thread_id: 7 } };
  const stream = await graph.stream('', config);
  await stream.next();
  expect(open()).toEqual(['process/session:7', 'process/session:7/agent:Graph']);
  expect(graph.seen?.signal).toBeInstanceOf(AbortSignal);
  expect(graph.seen?.signal).not.toBe(shutdown.signal);
  await stream.return(undefined);
  expect(open()).toEqual(['process/session:7']);
});

test('a stream that nobody reads any more ends when it is collected', async () => {
  ends.push(plimsoll());
  await (async () => {
    const stream = await new Pregel(here, here).stream('', thread);
    await stream.next();
  })();
  for (let i = 0; i < 200 && open().length > 1; i += 1) {
    globalThis.gc?.();
    await sleep(5);
  }
  expect(open()).toEqual(['process/session:t1']);
});

test('checkpoints are charged to the session of their thread and bounded where the policy says so', async () => {
  let bounds: { mostThreads: number; keepLast: number } | undefined;
  ends.push(plimsoll({ checkpoints: () => bounds }));
  await read(await new Pregel(here).stream('', { configurable: { thread_id: 'a' } }));
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
  const graph = new Pregel(here);
  expect(await read(await graph.stream('', { signal, ...thread }))).toEqual(['process']);
  expect(graph.seen?.signal).toBe(signal);
});

test('the collector follows a stream, whose reader may leave, and not a graph that is invoked', async () => {
  ends.push(plimsoll());
  const graph = new Pregel(here);
  const register = vi.spyOn(FinalizationRegistry.prototype, 'register');
  const followed = (): number =>
    register.mock.calls.filter(([object]) => Symbol.asyncIterator in Object(object)).length;
  try {
    expect(await graph.invoke({}, thread)).toBe('process/session:t1/agent:Graph/stage:node-0');
    expect(followed()).toBe(0);
    const stream = await graph.stream({}, thread);
    expect(followed()).toBe(1);
    await read(stream);
  } finally {
    register.mockRestore();
  }
  await expect(new Pregel(() => Promise.reject(new Error('broken'))).invoke({}, thread)).rejects.toThrow(
    'broken',
  );
  expect(open()).toEqual(['process/session:t1']);
});
