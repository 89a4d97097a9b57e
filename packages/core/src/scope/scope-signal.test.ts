import { getEventListeners } from 'node:events';
import { inspect, types } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { isPlimsollError } from '../errors.ts';
import { collectUntil } from './collect.fixture.ts';
import { open, processScope } from './index.ts';

afterEach(async () => {
  await processScope().close();
});

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe('the signal of a scope', () => {
  test('costs nothing until it is used and is the same signal afterwards', () => {
    const shutdown = new AbortController();
    const scope = open('session', '1', { signal: shutdown.signal });
    expect(listeners(shutdown.signal)).toBe(0);
    const { signal } = scope;
    expect(listeners(shutdown.signal)).toBe(1);
    expect(scope.signal).toBe(signal);
  });

  test('is aborted on close with a reason that reads as a cancellation', async () => {
    const scope = open('session', '42');
    const { signal } = scope;
    await scope.close('evicted');
    expect(signal.aborted).toBe(true);
    expect(isPlimsollError(signal.reason)).toBe(true);
    expect((signal.reason as Error).name).toBe('AbortError');
    expect(Error.stackTraceLimit).toBeGreaterThan(0);
    expect(String(signal.reason)).toMatchInlineSnapshot(`
      "PLM_SCOPE_CLOSED: the scope has closed (evicted).
        at:  process/session:42
        fix: treat it as a cancellation; work that must outlive the scope should use the signal of its parent."
    `);
    expect(scope.signal.aborted).toBe(true);
    const other = open('session', '43');
    await other.close();
    expect(other.signal.aborted).toBe(true);
  });

  test('has a reason that is an error to whoever reads, prints, throws or changes it', async () => {
    const scope = open('session', '42');
    const { signal } = scope;
    await scope.close('evicted');
    const reason = signal.reason as Error;
    expect(reason).toBeInstanceOf(Error);
    expect(() => signal.throwIfAborted()).toThrow('the scope has closed (evicted).');
    expect(inspect(reason)).toContain('AbortError');
    expect(reason.stack).toContain('the scope has closed (evicted).');
    reason.message += ' Seen.';
    expect(reason.message).toBe('the scope has closed (evicted). Seen.');
    await expect(fetch('http://127.0.0.1:1', { signal })).rejects.toBe(reason);
  });

  test('has a native error as its reason, which keeps its text over a port and as an unhandled rejection', async () => {
    const scope = open('session', '42');
    const { signal } = scope;
    await scope.close('evicted');
    const reason = signal.reason as Error;
    expect(types.isNativeError(reason)).toBe(true);
    // Node reports a rejection as itself only when the stack is its own.
    expect(Object.hasOwn(reason, 'stack')).toBe(true);
    const copy = structuredClone(reason);
    expect(copy).toBeInstanceOf(Error);
    expect(copy.message).toBe('the scope has closed (evicted).');
    const another = open('session', '43');
    const second = another.signal;
    await another.close('done');
    expect((second.reason as Error).message).toBe('the scope has closed (done).');
    expect(reason.message).toBe('the scope has closed (evicted).');
  });

  test('forwards the longer-lived signal with its reason', () => {
    const shutdown = new AbortController();
    const agent = open('agent', 'planner', { signal: shutdown.signal });
    const session = open('session', '1', { parent: agent });
    const tool = open('tool', 'a', { parent: session });
    const signals = [agent.signal, session.signal, tool.signal];
    expect(listeners(shutdown.signal)).toBe(1);
    const reason = new Error('shutting down');
    shutdown.abort(reason);
    expect(signals.map((signal) => signal.reason as unknown)).toEqual([reason, reason, reason]);
    expect(listeners(shutdown.signal)).toBe(0);
    expect(open('tool', 'late', { parent: session }).signal.reason).toBe(reason);
  });

  test('drops its listener with the last scope that follows', async () => {
    const shutdown = new AbortController();
    const first = open('session', '1', { signal: shutdown.signal });
    const second = open('session', '2', { signal: shutdown.signal });
    expect([first.signal.aborted, second.signal.aborted]).toEqual([false, false]);
    await first.close();
    expect(listeners(shutdown.signal)).toBe(1);
    await second.close();
    expect(listeners(shutdown.signal)).toBe(0);
    const third = open('session', '3', { signal: shutdown.signal });
    const { signal } = third;
    shutdown.abort();
    expect(signal.aborted).toBe(true);
  });

  test('a listener that closes other followers during the abort does no harm', () => {
    const shutdown = new AbortController();
    const scopes = ['1', '2', '3'].map((name) => open('session', name, { signal: shutdown.signal }));
    let aborts = 0;
    for (const scope of scopes) {
      scope.signal.addEventListener('abort', () => {
        aborts += 1;
        for (const other of scopes) void other.close();
      });
    }
    shutdown.abort();
    expect(aborts).toBe(3);
    expect(listeners(shutdown.signal)).toBe(0);
  });

  test('after ten thousand sessions nothing is left on a process-lifetime signal', async () => {
    const shutdown = new AbortController();
    const refs: WeakRef<object>[] = [];
    let most = 0;
    const serve = (at: number): void => {
      const session = open('session', `${at}`, { signal: shutdown.signal });
      const tool = open('tool', 'fetch', { parent: session });
      const payload = { text: 'x'.repeat(100), at };
      session.signal.addEventListener('abort', () => payload);
      for (let call = 0; call < 3; call += 1) tool.signal.addEventListener('abort', () => payload);
      most = Math.max(most, listeners(shutdown.signal));
      refs.push(new WeakRef(payload), new WeakRef(session), new WeakRef(session.signal));
      void session.close();
    };
    for (let at = 0; at < 10_000; at += 1) serve(at);
    expect(most).toBe(1);
    expect(listeners(shutdown.signal)).toBe(0);
    expect(await collectUntil(() => refs.every((ref) => ref.deref() === undefined))).toBe(true);
    expect(shutdown.signal.aborted).toBe(false);
  });
});
