import { currentScope, processScope } from '@plimsoll/core';
import { openIn } from '@plimsoll/core/adapter';
import { roster } from '@plimsoll/core/internal/scope/index';
import { afterEach, expect, test } from 'vitest';
import { frameworks } from '../framework-slot.ts';
import { plimsoll } from './otel.ts';

const ends: (() => void)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await processScope().close();
});

interface Span {
  readonly attributes: Record<string, unknown>;
}

/** The two classes of OpenTelemetry that the adapter hooks; the real ones are driven in test/frameworks. */
class MultiSpanProcessor {
  readonly ended: Span[] = [];
  onStart(_span: Span, _context?: unknown): void {}
  onEnd(span: Span): void {
    this.ended.push(span);
  }
}
class AsyncLocalStorageContextManager {
  with<T>(_context: unknown, work: (...args: unknown[]) => T, self?: unknown, ...args: unknown[]): T {
    return work.apply(self, args);
  }
}
frameworks().loaded('otel.MultiSpanProcessor', MultiSpanProcessor);
frameworks().loaded('otel.AsyncLocalStorageContextManager', AsyncLocalStorageContextManager);

const key = Symbol.for('OpenTelemetry Context Key SPAN');
const contextOf = (span: Span): object => ({
  getValue: (asked: symbol) => (asked === key ? span : undefined),
});

test('GenAI spans are scopes with their bytes, and what another adapter has opened is not opened again', () => {
  ends.push(plimsoll({ exportsIds: () => true }));
  const processor = new MultiSpanProcessor();
  const contexts = new AsyncLocalStorageContextManager();
  const agent: Span = {
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'planner',
      'gen_ai.conversation.id': 'one',
    },
  };
  processor.onStart(agent);
  const path = 'process/session:one/agent:planner';
  expect(agent.attributes['plimsoll.scope.path']).toBe(path);
  const seen = contexts.with(contextOf(agent), (more) => `${currentScope().path} ${String(more)}`, {}, 1);
  expect(seen).toBe(`${path} 1`);
  contexts.with(contextOf(agent), () => currentScope().charge(1000));
  const plain: Span = { attributes: {} };
  processor.onStart(plain, contextOf(agent));
  expect(plain.attributes['plimsoll.scope.path']).toBe(path);
  processor.onEnd(agent);
  expect(agent.attributes['plimsoll.scope.bytes']).toBe(1000);
  expect([...roster.open].map((scope) => scope.path)).toEqual(['process', 'process/session:one']);
  const own = openIn(undefined, 'agent', 'framework');
  const opened = roster.opened;
  const same: Span = { attributes: { 'gen_ai.operation.name': 'invoke_agent' } };
  own.run(() => processor.onStart(same));
  expect(roster.opened).toBe(opened);
  expect(same.attributes['plimsoll.scope.path']).toBe('process/agent:framework');
  const outside: Span = { attributes: {} };
  processor.onStart(outside);
  expect(outside.attributes).toEqual({});
});

test('ids of sessions leave the process as a hash, unless the policy says otherwise', () => {
  ends.push(plimsoll());
  const attributes: Record<string, unknown> = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'planner',
    'gen_ai.conversation.id': 'jane@example.com',
  };
  const span: Span = { attributes };
  const processor = new MultiSpanProcessor();
  processor.onStart(span);
  expect(attributes['plimsoll.scope.path']).toMatch(/^process\/session:[\w-]{10}\/agent:planner$/);
  expect(JSON.stringify(attributes['plimsoll.scope.path'])).not.toContain('jane');
  processor.onEnd(span);
});

test('disconnecting puts the classes back', () => {
  plimsoll()();
  const span: Span = { attributes: { 'gen_ai.operation.name': 'execute_tool' } };
  new MultiSpanProcessor().onStart(span);
  expect(roster.count).toBe(1);
});
