import type { AsyncLocalStorage } from 'node:async_hooks';
import { currentScope, processScope } from '@plimsoll/core';
import { roster } from '@plimsoll/core/internal/scope/index';
import { afterEach, expect, test } from 'vitest';
import { frameworks } from '../framework-slot.ts';
import { plimsoll } from './openai-agents.ts';

const ends: (() => void)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await processScope().close();
});

/** The class of the framework that the adapter hooks; the real one is driven in test/frameworks. */
class MultiTracingProcessor {
  readonly heard: string[] = [];
  async onTraceStart(_trace: object): Promise<void> {
    this.heard.push('trace');
  }
  async onTraceEnd(_trace: object): Promise<void> {
    this.heard.push('trace end');
  }
  async onSpanStart(_span: object): Promise<void> {
    this.heard.push('span');
  }
  async onSpanEnd(_span: object): Promise<void> {
    this.heard.push('span end');
  }
}
class RunState {
  readonly _originalInput = 'hello';
  readonly _modelResponses = [{ output: 'sunny' }];
  readonly _generatedItems = [{ rawItem: { text: 'sunny' }, agent: { name: 'shared by all sessions' } }];
  span: object | undefined;
  setCurrentAgentSpan(span: object | undefined): void {
    this.span = span;
  }
}
frameworks().loaded('openai-agents.MultiTracingProcessor', MultiTracingProcessor);
frameworks().loaded('openai-agents.RunState', RunState);

const span = (spanId: string, parentId: string | null, type: string, name?: string) => ({
  spanId,
  parentId,
  traceId: 'trace',
  spanData: { type, name },
});

const open = (): readonly string[] =>
  [...roster.open].map(({ path }) => path).filter((path) => path !== 'process');

const context = (): AsyncLocalStorage<unknown> =>
  (globalThis as unknown as Record<symbol, AsyncLocalStorage<unknown>>)[
    Symbol.for('openai.agents.core.asyncLocalStorage')
  ] as AsyncLocalStorage<unknown>;

test('spans of a trace are run, agent, turn and tool in the session of its group, and code runs inside them', async () => {
  ends.push(plimsoll());
  const processor = new MultiTracingProcessor();
  await processor.onTraceStart({ traceId: 'trace', groupId: 'chat-42' });
  await processor.onSpanStart(span('1', null, 'task', 'main'));
  await processor.onSpanStart(span('2', '1', 'agent', 'planner'));
  await processor.onSpanStart(span('3', '2', 'turn'));
  await processor.onSpanStart(span('4', '3', 'function', 'search'));
  const path = 'process/session:chat-42/run:main/agent:planner/stage:turn/tool:search';
  expect(context().run({ span: { spanId: '4' } }, () => currentScope().path)).toBe(path);
  expect(context().run({ trace: {} }, () => currentScope().path)).toBe('process');
  for (const id of ['4', '3', '2', '1']) await processor.onSpanEnd(span(id, null, 'turn'));
  await processor.onTraceEnd({ traceId: 'trace' });
  expect(open()).toEqual(['process/session:chat-42']);
  expect(processor.heard).toHaveLength(10);
});

test('the conversation of a run is what its agent holds, without the definition of the agent', async () => {
  ends.push(plimsoll());
  const processor = new MultiTracingProcessor();
  const state = new RunState();
  const agent = span('1', null, 'agent', 'planner');
  state.setCurrentAgentSpan(agent);
  await processor.onSpanStart(agent);
  state.setCurrentAgentSpan(agent);
  expect(state.span).toBe(agent);
  expect([...roster.roots()].map(({ scope, roots }) => [scope.path, roots])).toEqual([
    [
      'process/agent:planner',
      [
        {
          input: 'hello',
          responses: [{ output: 'sunny' }],
          items: [{ text: 'sunny' }],
          results: [undefined],
          prepared: undefined,
          stored: [],
        },
      ],
    ],
  ]);
  await processor.onSpanEnd(agent);
});

test('a trace without a group has no session; what the adapter cannot read reaches the processors still', async () => {
  ends.push(plimsoll());
  const processor = new MultiTracingProcessor();
  await processor.onTraceStart({ traceId: 'trace', groupId: null });
  await processor.onSpanStart(span('1', null, 'agent', 'planner'));
  expect(open()).toEqual(['process/agent:planner']);
  await processor.onSpanEnd(span('1', null, 'agent'));
  await processor.onSpanStart({ spanId: 'broken' });
  expect(processor.heard.at(-1)).toBe('span');
  expect(open()).toEqual([]);
});

test('disconnected, the class and the context are as they were', async () => {
  plimsoll()();
  await new MultiTracingProcessor().onSpanStart(span('9', null, 'agent', 'planner'));
  expect(open()).toEqual([]);
  expect(context().run({ span: { spanId: '9' } }, () => currentScope().path)).toBe('process');
});
