import { processScope } from '@plimsoll/core';
import { sessions } from '@plimsoll/core/adapter';
import { afterEach, expect, test } from 'vitest';
import { messageWindow } from './ai/index.ts';
import { messageProcessor } from './mastra/index.ts';
import { BoundedSession, inputWindow } from './openai-agents/index.ts';

afterEach(() => processScope().close());

const say = (role: string, letters = 1000) => ({ role, content: role.charAt(0).repeat(letters) });

test('a message window keeps the system message and the newest ones that fit, from a message of the user on', () => {
  const window = messageWindow({ maxBytes: 4000 });
  const messages = [
    say('system', 100),
    say('user'),
    say('assistant'),
    say('user'),
    say('assistant'),
    say('tool'),
  ];
  expect(window({ messages }).messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
  ]);
  expect(window({ messages: messages.slice(0, 3) }).messages).toHaveLength(3);
  expect(window({ messages: [] }).messages).toEqual([]);
});

test('a result of a tool is not sent without its call, however large it is', () => {
  const window = messageWindow({ maxBytes: '2KiB' });
  const messages = [say('user'), say('assistant'), say('tool', 50_000)];
  expect(window({ messages }).messages.map(({ role }) => role)).toEqual(['assistant', 'tool']);
  expect(window({ messages: [say('user'), say('user', 9000)] }).messages).toHaveLength(1);
  expect(() => messageWindow({ maxBytes: 'much' })).toThrow(
    expect.objectContaining({ code: 'PLM_ADAPTER_BAD_BOUND', where: 'messageWindow({ maxBytes })' }),
  );
});

test('an input window of OpenAI Agents keeps calls with their results, and changes nothing that fits', () => {
  const filter = inputWindow({ maxBytes: 3000 });
  const call = { type: 'function_call', callId: 'c' };
  const answer = { type: 'function_call_result', callId: 'c', output: 'x'.repeat(5000) };
  const sent = (input: object[]) => filter({ modelData: { input, instructions: 'i' } });
  expect(sent([say('user'), call, answer])).toEqual({ input: [call, answer], instructions: 'i' });
  const short = [say('user', 10), say('assistant', 10)];
  expect(sent(short).input).toEqual(short);
  expect(() => inputWindow({ maxBytes: 0 })).toThrow(
    expect.objectContaining({ where: 'inputWindow({ maxBytes })' }),
  );
});

test('a processor of Mastra keeps the newest messages, and cuts results of tools that are too large', () => {
  const processor = messageProcessor({ maxBytes: 3000, maxResultBytes: '1KiB' });
  const messages = [say('user'), say('assistant'), say('user'), say('assistant')];
  expect(processor.processInputStep({ messages })).toEqual(messages.slice(2));
  const updated: unknown[] = [];
  const messageList = { updateToolInvocation: (part: unknown) => updated.push(part) };
  const given = { toolCallId: 'c', toolName: 'look', args: {}, messageList };
  processor.processToolResult({ ...given, result: { page: 'short' } });
  expect(updated).toEqual([]);
  processor.processToolResult({ ...given, result: 'y'.repeat(5000) });
  expect(updated).toMatchObject([
    {
      toolInvocation: { state: 'result', toolCallId: 'c', result: `${'y'.repeat(1024)}\n(cut from 4.9 KiB)` },
    },
  ]);
});

test('a bounded session stays inside its bounds over 1,000 turns and is charged to its scope', async () => {
  const scope = sessions().enter('chat');
  const session = new BoundedSession<{ role?: string; type?: string }>({
    maxBytes: '64KiB',
    sessionId: 'chat',
  });
  for (let turn = 0; turn < 1000; turn++)
    await session.addItems([say('user', 300), { type: 'function_call' }, { type: 'function_call_result' }]);
  expect(session.bytes).toBeLessThanOrEqual(64 * 1024);
  expect(scope.account.held).toBe(session.bytes);
  const items = await session.getItems();
  expect(items[0]?.role).toBe('user');
  expect(await session.getItems(2)).toEqual(items.slice(-2));
  expect(await session.getItems(0)).toEqual([]);
  expect(await session.popItem()).toEqual({ type: 'function_call_result' });
  expect(await session.getSessionId()).toBe('chat');
  await session.clearSession();
  expect([session.bytes, scope.account.held]).toEqual([0, 0]);
});

test('a bounded session counts items, too, and keeps one that is larger than its bound', async () => {
  const session = new BoundedSession({ maxBytes: 1000, maxItems: 2 });
  await session.addItems([{ a: 1 }, { a: 2 }, { a: 3 }]);
  expect(await session.getItems()).toEqual([{ a: 2 }, { a: 3 }]);
  await session.addItems([{ text: 'x'.repeat(5000) }]);
  expect(await session.getItems()).toHaveLength(1);
  expect(() => new BoundedSession({ maxBytes: 0 })).toThrow(
    expect.objectContaining({ code: 'PLM_ADAPTER_BAD_BOUND' }),
  );
});
