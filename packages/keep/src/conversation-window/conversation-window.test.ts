import { setImmediate as turn } from 'node:timers/promises';
import { open } from '@plimsoll/core';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { describe, expect, test } from 'vitest';
import { isCollected, usedHeap } from '../collect.fixture.ts';
import { keepers } from '@plimsoll/core/keeper';
import { ConversationWindow } from './conversation-window.ts';
import { messageTokens } from './settings.ts';
import type { ConversationWindowOptions } from './settings.ts';
import { fitTokens } from './token-fit.ts';

interface Message {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly object[];
  readonly tool_call_id?: string;
}

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const refused = (options: object): string => {
  try {
    return new ConversationWindow(options as ConversationWindowOptions<Message>).name;
  } catch (error) {
    return String(error);
  }
};
/** A turn with one tool exchange. */
const talk = (window: ConversationWindow<Message>, i: number, length = 400): void => {
  window.append(user(`${i} ${'question '.repeat(length / 36)}`));
  window.append({
    role: 'assistant',
    content: '',
    tool_calls: [{ id: `c${i}`, function: { name: 'search' } }],
  });
  window.append({ role: 'tool', content: 'r'.repeat(length), tool_call_id: `c${i}` });
  window.append(assistant(`${i} ${'answer '.repeat(length / 28)}`));
};

describe('construction', () => {
  test('a window without a bound of bytes cannot be made', () => {
    expect(refused({ maxTurns: 100 })).toMatchInlineSnapshot(`
      "PLM_KEEP_UNBOUNDED: a ConversationWindow needs a bound and got none.
        at:  new ConversationWindow(options)
        fix: set at least one of maxBytes."
    `);
  });

  test.each([
    [{ maxBytes: Number.NaN }],
    [{ maxBytes: '-1MiB' }],
    [{ maxBytes: 1e6, maxTokens: -1 }],
    [{ maxBytes: 1e6, maxTurns: 0.5 }],
    [{ maxBytes: 1e6, lowWater: 1 }],
    [{ maxBytes: 1e6, lowWater: Number.NaN }],
    [{ maxBytes: 1e6, summarise: 'please' }],
    [{ maxBytes: 1e6, summariseTimeout: 'never' }],
    [{ maxBytes: 1e6, onDrop: {} }],
  ])('%o is refused with the accepted form', (options) => {
    expect(refused(options)).toMatch(/^PLM_KEEP_BAD_OPTION: .+ has to be .+/);
  });

  test('what is no message is refused, and so is a closed window', () => {
    const window = new ConversationWindow<Message>({ maxBytes: '1MiB' });
    expect(() => window.append(4822 as unknown as Message)).toThrow(
      'message is "number"; it has to be an object',
    );
    expect(() => window.append(null as unknown as Message)).toThrow('message is "null"');
    window[Symbol.dispose]();
    window[Symbol.dispose]();
    expect(() => window.append(user('late'))).toThrow('append was called on a keeper that is closed');
    expect(() => ConversationWindow.restore({ version: 2 } as never, { maxBytes: 1000 })).toThrow(
      'a snapshot of version 1',
    );
  });
});

describe('bounds', () => {
  test('10,000 turns with tools stay inside 200 kB, by the heap itself', async () => {
    // Compiled code and feedback are made once.
    using warm = new ConversationWindow<Message>({ maxBytes: 200_000 });
    for (let i = 0; i < 3000; i++) talk(warm, i);
    warm[Symbol.dispose]();
    const before = await usedHeap();
    // Six at once: what the runtime itself allocates meanwhile is then small beside them.
    const windows = Array.from({ length: 6 }, () => new ConversationWindow<Message>({ maxBytes: 200_000 }));
    let peak = 0;
    for (let i = 0; i < 10_000; i++) {
      for (const window of windows) talk(window, i);
      peak = Math.max(peak, ...windows.map((window) => window.bytes));
    }
    expect(peak).toBeLessThanOrEqual(1.05 * 200_000);
    expect(((await usedHeap()) - before) / windows.length).toBeLessThan(1.25 * 200_000);
    expect(windows[0]?.messages()[0]?.role).toBe('user');
    for (const window of windows) window[Symbol.dispose]();
    expect((await usedHeap()) - before).toBeLessThan(windows.length * 20 * 1024);
  });

  test('a session of 1,200 turns in the length of real chats holds less than 5 MB, all of it', async () => {
    const before = await usedHeap();
    const window = new ConversationWindow<Message>({ maxBytes: '5MB' });
    for (let i = 0; i < 1200; i++) talk(window, i);
    expect(window.stats().dropped).toBe(0);
    expect(window.turns).toBe(1200);
    expect((await usedHeap()) - before).toBeLessThan(5_000_000);
    expect(window.messages()).toHaveLength(4800);
  });

  test('streamed text is flattened: it does not hold many times its length', async () => {
    const before = await usedHeap();
    const window = new ConversationWindow<Message>({ maxBytes: '5MB' });
    for (let i = 0; i < 100; i++) {
      let text = '';
      for (let at = 0; at < 1000; at++) text += `w${at % 10} `;
      window.append(assistant(text));
    }
    const held = (await usedHeap()) - before;
    expect(held).toBeLessThan(2 * window.bytes);
    expect(window.bytes).toBeGreaterThan(300_000);
  });

  test('turns and tokens bound too', () => {
    const window = new ConversationWindow<Message>({ maxBytes: '1MB', maxTurns: 3 });
    for (let i = 0; i < 10; i++) talk(window, i);
    expect(window.turns).toBe(3);
    const counted = new ConversationWindow<Message>({ maxBytes: '1MB', maxTokens: 1000 });
    for (let i = 0; i < 10; i++) talk(counted, i);
    expect(counted.tokens).toBeLessThanOrEqual(1000);
    expect(counted.tokens).toBeGreaterThan(400);
  });

  test('inside one long turn the oldest exchanges go, the question stays', () => {
    const window = new ConversationWindow<Message>({ maxBytes: 20_000 });
    window.append({ role: 'system', content: 'be brief' });
    window.append(user('do it all'));
    for (let i = 0; i < 200; i++) {
      window.append({ role: 'assistant', content: '', tool_calls: [{ id: `c${i}` }] });
      window.append({ role: 'tool', content: 'x'.repeat(500), tool_call_id: `c${i}` });
    }
    const [system, question, first] = window.messages();
    expect([system?.content, question?.content, first?.role]).toEqual(['be brief', 'do it all', 'assistant']);
    expect(window.bytes).toBeLessThanOrEqual(20_000);
    expect(window.messages().at(-1)?.tool_call_id).toBe('c199');
  });

  test('a message larger than the bound stays alone and is reported', () => {
    const window = new ConversationWindow<Message>({ maxBytes: 10_000 });
    const events: string[] = [];
    window.on('oversize', () => events.push('oversize'));
    talk(window, 1, 100);
    window.append(user('x'.repeat(50_000)));
    expect(window.messages()).toHaveLength(1);
    expect(events).toEqual(['oversize']);
  });

  test('half of a bound may be pinned, more is not', () => {
    const window = new ConversationWindow<Message>({ maxBytes: 10_000 });
    let refusals = 0;
    window.on('pin-refused', () => refusals++);
    for (let i = 0; i < 50; i++) window.append({ role: 'system', content: `${i}${'s'.repeat(1000)}` });
    expect(window.stats().pinnedMessages).toBe(4);
    expect(refusals).toBe(46);
    expect(window.bytes).toBeLessThanOrEqual(10_000);
    const own = new ConversationWindow<Message>({
      maxBytes: 10_000,
      pin: (message) => message.content === 'keep',
    });
    own.append(user('keep'));
    for (let i = 0; i < 100; i++) talk(own, i);
    expect(own.messages()[0]?.content).toBe('keep');
  });
});

describe('tools', () => {
  test('a result whose call has left goes to the archive, not into the window', () => {
    const archive: [string, number][] = [];
    const window = new ConversationWindow<Message>({
      maxBytes: 3000,
      onDrop: (messages, reason) => archive.push([reason, messages.length]),
    });
    const orphans: unknown[] = [];
    window.on('orphan', ({ ids }) => orphans.push(ids));
    window.append(user('a'));
    window.append({ role: 'assistant', content: '', tool_calls: [{ id: 'slow' }] });
    for (let i = 0; i < 10; i++) window.append(user('x'.repeat(500)));
    window.append({ role: 'tool', content: 'late', tool_call_id: 'slow' });
    expect(orphans).toEqual([['slow']]);
    expect(archive.at(-1)).toEqual(['orphan', 1]);
    expect(window.messages().some((message) => message.role === 'tool')).toBe(false);
  });
});

describe('summaries', () => {
  test('are made in the background and take the place of what they cover', async () => {
    const requests: { previous: string | undefined; count: number }[] = [];
    const window = new ConversationWindow<Message>({
      maxBytes: 20_000,
      summarise: ({ previous, messages }) => {
        requests.push({ previous, count: messages.length });
        return `summary of ${messages.length}`;
      },
    });
    const reports: number[] = [];
    window.on('summary', ({ messages }) => reports.push(messages));
    for (let i = 0; i < 40; i++) {
      talk(window, i);
      await window.settled();
    }
    expect(requests.length).toBeGreaterThan(2);
    expect(requests[0]?.previous).toBeUndefined();
    expect(requests[1]?.previous).toBe(`summary of ${requests[0]?.count}`);
    expect(window.messages()[0]).toEqual({ role: 'system', content: `summary of ${requests.at(-1)?.count}` });
    expect(window.messages()[1]?.role).toBe('user');
    expect(window.stats()).toMatchObject({ summaries: requests.length, summaryFailures: 0 });
    expect(reports.every((count) => count > 0)).toBe(true);
    window.clear();
    expect(window.messages()).toEqual([]);
  });

  test('one that fails loses nothing it was not given, and nothing at all while there is room', async () => {
    const given = new Set<object>();
    const lost = new Set<object>();
    let failures = 0;
    const window = new ConversationWindow<Message>({
      maxBytes: 20_000,
      summarise: ({ messages }) => {
        for (const message of messages) given.add(message);
        return Promise.reject(new Error('no model'));
      },
      onDrop: (messages) => {
        for (const message of messages) lost.add(message);
      },
    });
    window.on('summary-failed', () => failures++);
    for (let i = 0; lost.size === 0; i++) {
      talk(window, i);
      await window.settled();
    }
    expect(failures).toBeGreaterThan(0);
    expect(failures).toBeLessThan(8);
    for (const message of lost) expect(given.has(message)).toBe(true);
  });

  test.each([
    ['too long', () => new Promise<string>(() => {}), 'the summary took too long'],
    ['empty', () => '', 'the summary is empty'],
    ['no text', () => 7 as unknown as string, 'the summary is number'],
    ['too large', () => 'x'.repeat(50_000), 'more than a quarter of a bound'],
    [
      'thrown',
      () => {
        throw new Error('no model');
      },
      'no model',
    ],
  ])('one that is %s is reported and not believed', async (_, summarise, why) => {
    const clock = new FakeClock();
    const window = new ConversationWindow<Message>({ maxBytes: 20_000, summarise, clock });
    const causes: string[] = [];
    window.on('summary-failed', ({ cause }) => causes.push((cause as Error).message));
    for (let i = 0; i < 12; i++) talk(window, i);
    await turn();
    clock.advance(60_000);
    await window.settled();
    expect(causes[0]).toContain(why);
    expect(clock.waiting).toBe(0);
  });

  test('what a running summary works on is counted until it is over; closing stops it', async () => {
    let signal: AbortSignal | undefined;
    const window = new ConversationWindow<Message>({
      maxBytes: 20_000,
      summarise: (request) => {
        signal = request.signal;
        return new Promise(() => {});
      },
    });
    for (let i = 0; i < 30; i++) {
      talk(window, i);
      await turn();
    }
    expect(window.bytes).toBeGreaterThan(20_000);
    expect(window.bytes).toBeLessThan(35_000);
    window[Symbol.dispose]();
    expect(signal?.aborted).toBe(true);
    await window.settled();
  });
});

describe('tokens', () => {
  test('three counts of the provider bring the estimate within 10 %', () => {
    const window = new ConversationWindow<Message>({ maxBytes: '1MB', maxTokens: 100_000 });
    window.calibrate(1000);
    for (let i = 0; i < 3; i++) {
      talk(window, i);
      const raw = window.messages().reduce((sum, message) => sum + messageTokens(message), 0);
      window.calibrate(Math.round(raw * 1.7));
    }
    talk(window, 4);
    const truth = 1.7 * window.messages().reduce((sum, message) => sum + messageTokens(message), 0);
    expect(Math.abs(window.tokens / truth - 1)).toBeLessThan(0.1);
    window.calibrate(Number.NaN);
    window.calibrate(-5);
    expect(window.stats().tokenScale).toBeGreaterThan(1.5);
  });

  test('a count that shows the bound exceeded makes room at once', () => {
    const window = new ConversationWindow<Message>({ maxBytes: '1MB', maxTokens: 2000 });
    for (let i = 0; i < 4; i++) talk(window, i);
    const { length } = window.messages();
    window.calibrate(6000);
    expect(window.messages().length).toBeLessThan(length);
    expect(window.tokens).toBeLessThanOrEqual(2000);
  });

  // Counts of the o200k encoding, made once with gpt-tokenizer 3.
  test.each([
    ['I would like to know how the memory of a long running server can be kept within its limits.', 20],
    ['{"results":[{"id":482190,"score":0.8213,"title":"weather city price","ok":true}]}', 27],
    ['我们正在讨论如何在长期运行的服务器上管理内存。', 14],
    ['Мы обсуждаем, как управлять памятью на сервере.', 13],
    ['export function open(kind: string): Scope {\n  return slot.open(kind);\n}\n', 16],
  ])('%s', (text, tokens) => {
    expect(Math.abs(fitTokens(text) / tokens - 1)).toBeLessThan(0.25);
  });

  test('a hostile text costs no more than another', () => {
    expect(fitTokens('a'.repeat(1_000_000))).toBeGreaterThan(1000);
  });

  test('a counter of your own is used, and guarded', () => {
    const window = new ConversationWindow<Message>({ maxBytes: '1MB', maxTokens: 10, tokens: () => 3 });
    for (let i = 0; i < 9; i++) window.append(user('x'));
    expect(window.tokens).toBeLessThanOrEqual(9);
    const broken = new ConversationWindow<Message>({
      maxBytes: '1MB',
      maxTokens: 10,
      tokens: () => {
        throw new Error('no');
      },
      onDrop: () => {
        throw new Error('no');
      },
      pin: () => {
        throw new Error('no');
      },
    });
    const failed: string[] = [];
    broken.on('hook-failed', ({ hook }) => failed.push(hook));
    broken.append(user('x'));
    broken.clear();
    expect(failed).toEqual(['pin', 'tokens', 'onDrop']);
    expect(broken.tokens).toBe(0);
  });
});

describe('keeping', () => {
  test('a snapshot brings everything back, also by way of JSON', async () => {
    const window = new ConversationWindow<Message>({ maxBytes: 20_000, summarise: () => 'so far' });
    window.append({ role: 'system', content: 'be brief' });
    for (let i = 0; i < 20; i++) {
      talk(window, i);
      await window.settled();
    }
    const snapshot = JSON.parse(JSON.stringify(window.snapshot())) as ReturnType<typeof window.snapshot>;
    const back = ConversationWindow.restore(snapshot, { maxBytes: 20_000 });
    expect(back.messages()).toEqual(window.messages());
    const small = ConversationWindow.restore(snapshot, { maxBytes: 5000 });
    expect(small.bytes).toBeLessThanOrEqual(5000);
    expect(small.messages()[0]?.content).toBe('be brief');
  });

  test('messages that throw when read do no harm', () => {
    const window = new ConversationWindow<object>({ maxBytes: '1MB', maxTokens: 1000 });
    const failed: string[] = [];
    window.on('hook-failed', ({ hook }) => failed.push(hook));
    const evil = {
      get role(): string {
        throw new Error('no');
      },
      get content(): string {
        throw new Error('no');
      },
      get tool_call_id(): string {
        throw new Error('no');
      },
      get tool_calls(): string {
        throw new Error('no');
      },
    };
    window.append(evil);
    expect(failed).toEqual(['shape.role', 'tokens', 'shape.answers', 'shape.calls']);
    expect(window.messages()).toEqual([evil]);
  });

  test('a shed can say how many turns stay', async () => {
    using window = new ConversationWindow<Message>({ maxBytes: '1MiB' });
    for (let i = 0; i < 20; i++) talk(window, i);
    const before = window.bytes;
    const freed = await window.shed({ bytes: 1, keepLast: 5 });
    expect(window.stats().turns).toBe(5);
    expect(freed).toBe(before - window.bytes);
    expect(await window.shed({ bytes: 1, keepLast: 5 })).toBe(0);
  });

  test('memory is charged to the scope, can be shed, and is gone after close', async () => {
    using scope = open('session', 'window');
    const window = scope.run(() => new ConversationWindow<Message>({ maxBytes: 100_000, name: 'chat' }));
    let ref: WeakRef<object> | undefined;
    const fill = (): void => {
      const message = user('first');
      ref = new WeakRef(message);
      window.append(message);
      for (let i = 0; i < 60; i++) talk(window, i);
    };
    fill();
    expect(scope.account.held).toBeGreaterThan(60_000);
    expect(keepers()).toContain(window);
    const freed = await window.shed({ bytes: 10_000 });
    expect(freed).toBeGreaterThanOrEqual(10_000);
    await window.shed({ bytes: 1e9 });
    expect(window.bytes).toBeGreaterThan(40_000);
    await expect(window.shed({ bytes: -1 })).rejects.toThrow('bytes above 0');
    window[Symbol.dispose]();
    expect(scope.account.held).toBe(0);
    expect(keepers()).not.toContain(window);
    expect(await isCollected(ref as WeakRef<object>)).toBe(true);
  });
});
