import { tracingChannel } from 'node:diagnostics_channel';
import { afterEach, expect, test } from 'vitest';
import { processScope } from '../scope/index.ts';
import type { Scope } from '../scope/index.ts';
import { bindScope, checkAdapter, openIn, sessions } from './index.ts';
import type { AdapterCases } from './index.ts';

afterEach(async () => {
  await processScope().close();
});

interface Message {
  readonly kind: 'agent' | 'tool';
  readonly session?: string;
}

const channel = tracingChannel('plimsoll:check-adapter');

/** A framework that traces its agents and tools by a channel. */
const framework = {
  run: async (session: string, work: () => void): Promise<void> =>
    channel.tracePromise(async () => channel.tracePromise(async () => work(), { kind: 'tool' }), {
      kind: 'agent',
      session,
    }),
  fail: async (session: string): Promise<void> =>
    channel.tracePromise(
      async () => {
        throw new Error('planned');
      },
      { kind: 'agent', session },
    ),
};

/** The adapter of the guide, and one for each way to get it wrong. */
function adapter(fault?: 'never closes' | 'no session' | 'connects twice' | 'stays'): () => () => void {
  let connections = 0;
  return () => {
    connections += 1;
    if (connections > 1 && fault !== 'connects twice') return () => undefined;
    const scopes = new WeakMap<object, Scope>();
    const close = (message: unknown): void => {
      if (fault !== 'never closes') void scopes.get(message as object)?.close();
    };
    const select = (message: unknown): Scope => {
      const { kind, session } = message as Message;
      const parent = session === undefined || fault === 'no session' ? undefined : sessions().enter(session);
      const scope = openIn(parent, kind, kind);
      if (fault === 'never closes') kept.push(scope);
      scopes.set(message as object, scope);
      return scope;
    };
    const unbind = bindScope(
      channel.start,
      fault === 'connects twice' ? (m) => openIn(select(m), (m as Message).kind, 'again') : select,
    );
    const none = (): void => undefined;
    const subscriber = { start: none, end: none, asyncStart: none, asyncEnd: close, error: close };
    channel.subscribe(subscriber);
    return () => {
      if (fault === 'stays') return;
      unbind();
      channel.unsubscribe(subscriber);
    };
  };
}

const kept: Scope[] = [];

const casesOf = (connect: AdapterCases['connect']): AdapterCases => ({
  connect,
  conversation: framework.run,
  error: framework.fail,
});

test('an adapter that conforms has no faults', async () => {
  expect(await checkAdapter(casesOf(adapter()))).toEqual([]);
});

test('each fault is told in a sentence', async () => {
  expect(await checkAdapter(casesOf(adapter('no session')))).toEqual([
    'No session of the id that was given is open.',
    'The code of the tool runs inside 0 scopes of kind session, not one.',
  ]);
  expect(await checkAdapter(casesOf(adapter('connects twice')))).toContain(
    'The code of the tool runs inside 2 scopes of kind tool, not one.',
  );
  expect(await checkAdapter({ ...casesOf(adapter()), conversation: async () => undefined })).toContain(
    'The conversation never called its tool.',
  );
});

test('scopes that stay open are counted, and one is named', async () => {
  const [fault] = await checkAdapter({ ...casesOf(adapter('never closes')), patienceMs: 100 });
  expect(fault).toMatch(/^\d+ scopes stay open, such as process\/session:check-\d\/agent:agent/);
});

test('an adapter that cannot be disconnected is told', async () => {
  expect(await checkAdapter(casesOf(adapter('stays')))).toContain(
    'A conversation after disconnecting opens scopes.',
  );
});
