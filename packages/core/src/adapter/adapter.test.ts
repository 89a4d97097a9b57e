import { tracingChannel } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { currentScope, open, processScope, roster } from '../scope/index.ts';
import { bindScope, callSignal, openIn, putInto, sessionAround, sessions, SpanScopes } from './index.ts';
import { SessionBook } from './session-book.ts';

afterEach(async () => {
  await processScope().close();
});

async function collect(): Promise<void> {
  for (let i = 0; i < 5; i += 1) {
    globalThis.gc?.();
    await sleep(5);
  }
}

describe('a scope bound to a channel', () => {
  test('is the current one in the traced work and nowhere else', async () => {
    const channel = tracingChannel('plimsoll:test');
    const scope = open('agent', 'planner');
    const unbind = bindScope(channel.start, () => scope);
    const seen = await channel.tracePromise(async () => {
      await sleep(1);
      return currentScope();
    }, {});
    expect(seen).toBe(scope);
    expect(currentScope()).toBe(processScope());
    unbind();
    expect(await channel.tracePromise(async () => currentScope(), {})).toBe(processScope());
  });

  test('stays as it is when the adapter gives none or throws', async () => {
    const channel = tracingChannel('plimsoll:test');
    const unbind = bindScope(channel.start, (message) => {
      if ((message as { fails?: boolean }).fails === true) throw new Error('adapter');
      return undefined;
    });
    const outer = open('session', '1');
    await outer.run(async () => {
      expect(await channel.tracePromise(async () => currentScope(), {})).toBe(outer);
      expect(await channel.tracePromise(async () => currentScope(), { fails: true })).toBe(outer);
    });
    unbind();
  });
});

describe('the signal of a call', () => {
  test('follows the longer-lived one', () => {
    const source = new AbortController();
    const { signal } = callSignal(source.signal);
    expect(signal.aborted).toBe(false);
    source.abort(new Error('shutdown'));
    expect(signal.reason).toEqual(new Error('shutdown'));
    expect(callSignal(source.signal).signal.aborted).toBe(true);
  });

  test('can end one call alone', () => {
    const source = new AbortController();
    const one = callSignal(source.signal);
    const two = callSignal(source.signal);
    one.abort(new Error('stop'));
    expect([one.signal.aborted, two.signal.aborted, source.signal.aborted]).toEqual([true, false, false]);
  });

  test('keeps neither a call nor a combined signal whose listener was forgotten', async () => {
    const shutdown = new AbortController();
    const refs = Array.from({ length: 20 }, () => {
      const combined = AbortSignal.any([new AbortController().signal, shutdown.signal]);
      const { signal } = callSignal(combined);
      const payload = { text: 'x' };
      signal.addEventListener('abort', () => payload.text.length);
      return [new WeakRef(payload), new WeakRef(combined)] as const;
    });
    await expect
      .poll(async () => (await collect(), refs.flat().filter((ref) => ref.deref() !== undefined).length))
      .toBe(0);
    expect(shutdown.signal.aborted).toBe(false);
  });
});

describe('the book of sessions', () => {
  test('gives one scope per id, across calls', () => {
    const book = new SessionBook();
    const scope = book.enter('42');
    expect(book.enter('42')).toBe(scope);
    expect(scope.path).toBe('process/session:42');
    book.close('42');
    expect(book.get('42')).toBeUndefined();
    expect(book.enter('42')).not.toBe(scope);
    book.close('42');
  });

  test('closes what is idle, and nothing that has a lease or work inside', async () => {
    const book = new SessionBook();
    book.configure({ idleMs: 0 });
    const [idle, leased, working] = ['idle', 'leased', 'working'].map((id) => book.enter(id));
    const lease = leased?.lease();
    const agent = open('agent', 'a', { parent: working as NonNullable<typeof working> });
    await sleep(2);
    expect(book.sweep()).toBe(1);
    expect([idle?.state, leased?.state, working?.state]).toEqual(['closed', 'open', 'open']);
    lease?.release();
    await agent.close();
    await sleep(2);
    expect(book.sweep()).toBe(2);
    expect(book.size).toBe(0);
  });

  test('never closes by age alone', async () => {
    const book = new SessionBook();
    book.configure({ idleMs: 10_000 });
    const scope = book.enter('old');
    await sleep(5);
    scope.touch();
    expect(book.sweep()).toBe(0);
    book.close('old');
  });

  test('is bounded: the session that is idle longest gives way, those in use share one scope', () => {
    const book = new SessionBook();
    book.configure({ most: 2 });
    const first = book.enter('1');
    const second = book.enter('2');
    book.enter('1');
    book.enter('3');
    expect([first.state, second.state]).toEqual(['open', 'closed']);
    const leases = ['1', '3'].map((id) => book.enter(id).lease());
    expect(book.enter('4').name).toBe('(other)');
    expect(book.enter('5').name).toBe('(other)');
    for (const lease of leases) lease.release();
  });
});

describe('scopes of spans', () => {
  test('nest by the ids of their parents and belong to a session', () => {
    const spans = new SpanScopes();
    const agent = spans.open('a', 'agent', 'planner', { session: '42' });
    spans.open('b', 'tool', 'search', { parentId: 'a' });
    expect(spans.get('b')?.path).toBe('process/session:42/agent:planner/tool:search');
    spans.close('a');
    expect(agent?.state).toBe('closed');
    expect(spans.get('b')).toBeUndefined();
    spans.close('b');
    expect(spans.size).toBe(0);
    sessions().close('42');
  });

  test('do not leave the session they run in', () => {
    const spans = new SpanScopes();
    const session = open('session', 'http');
    session.run(() => spans.open('a', 'agent', 'planner', { session: 'thread' }));
    expect(spans.get('a')?.path).toBe('process/session:http/agent:planner');
    spans.close('a');
  });
});

test('openIn takes the nearest open ancestor of a parent that has closed, without a warning', async () => {
  const warnings: string[] = [];
  const listen = (warning: Error): void => void warnings.push(warning.message);
  process.on('warning', listen);
  const session = open('session', '1');
  const request = open('request', 'r', { parent: session });
  const inner = request.run(() => {
    request[Symbol.dispose]();
    return openIn(request, 'agent', 'late');
  });
  expect(inner.path).toBe('process/session:1/agent:late');
  await sleep(2);
  process.off('warning', listen);
  expect(warnings).toEqual([]);
});

test('a request that turns out to belong to a session puts what it opens into it', () => {
  const session = sessions().enter('thread-1');
  const request = open('request', 'POST chat');
  putInto(request, session);
  expect(sessionAround(request)).toBe(session);
  expect(openIn(request, 'agent', 'planner').path).toBe('process/session:thread-1/agent:planner');
  sessions().close('thread-1');
  expect(openIn(request, 'agent', 'planner').path).toBe('process/request:POST chat/agent:planner');
  expect(roster.count).toBeGreaterThan(1);
});
