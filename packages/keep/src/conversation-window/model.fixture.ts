/** A model of the window: random conversations, and every promise of the window checked after each message. */
import { setImmediate as turn } from 'node:timers/promises';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import fc from 'fast-check';
import { ConversationWindow } from './conversation-window.ts';

type Step =
  | { readonly do: 'user' | 'assistant' | 'system'; readonly length: number }
  | { readonly do: 'call'; readonly count: number }
  | { readonly do: 'result'; readonly pick: number; readonly length: number }
  | { readonly do: 'stranger' }
  | { readonly do: 'calibrate'; readonly tokens: number }
  | { readonly do: 'shed'; readonly bytes: number }
  | { readonly do: 'wait' };

export interface World {
  readonly maxBytes: number;
  readonly maxTokens: number | undefined;
  readonly maxTurns: number | undefined;
  readonly summariser: 'none' | 'good' | 'fails' | 'hangs' | 'mixed';
  readonly steps: readonly Step[];
}

interface Message {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

const length = fc.nat(800);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('user' as const), length }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('assistant' as const), length }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('call' as const), count: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('result' as const), pick: fc.nat(5), length }) },
  fc.record({ do: fc.constant('system' as const), length }),
  fc.record({ do: fc.constant('stranger' as const) }),
  fc.record({ do: fc.constant('calibrate' as const), tokens: fc.nat(5000) }),
  fc.record({ do: fc.constant('shed' as const), bytes: fc.integer({ min: 1, max: 5000 }) }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const) }) },
);

export const world = (maxLength: number): fc.Arbitrary<World> =>
  fc.record({
    maxBytes: fc.integer({ min: 2000, max: 12_000 }),
    maxTokens: fc.option(fc.integer({ min: 200, max: 2000 }), { nil: undefined }),
    maxTurns: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
    summariser: fc.constantFrom<World['summariser']>('none', 'good', 'fails', 'hangs', 'mixed'),
    steps: fc.array(step, { minLength: 5, maxLength, size: 'max' }),
  });

/** Runs one world; throws at the first broken promise. Returns the number of steps. */
export async function live({ maxBytes, maxTokens, maxTurns, summariser, steps }: World): Promise<number> {
  const clock = new FakeClock();
  let tries = 0;
  const given = new Set<Message>();
  const lost = new Set<Message>();
  const summarise = (request: { readonly messages: readonly Message[] }): Promise<string> => {
    for (const message of request.messages) given.add(message);
    const kind = summariser === 'mixed' ? (['good', 'fails', 'hangs'] as const)[tries % 3] : summariser;
    tries++;
    if (kind === 'good') return Promise.resolve(`summary ${tries}`);
    return kind === 'fails' ? Promise.reject(new Error('no model')) : new Promise(() => {});
  };
  const window = new ConversationWindow<Message>({
    maxBytes,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(summariser === 'none' ? {} : { summarise }),
    onDrop: (messages, reason) => {
      for (const message of messages) {
        lost.add(message);
        if (reason === 'summarised' && !given.has(message)) throw new Error('broken');
      }
    },
    clock,
  });
  const failed: unknown[] = [];
  window.on('hook-failed', ({ cause }) => failed.push(cause));
  const appended: Message[] = [];
  let open: string[] = [];
  let ids = 0;
  let largest = 0;
  let unitSize = 0;
  const append = (message: Message): void => {
    unitSize = message.tool_call_id === undefined ? 0 : unitSize;
    unitSize += 400 + 2 * message.content.length;
    largest = Math.max(largest, unitSize);
    appended.push(message);
    window.append(message);
  };
  for (const at of steps) {
    if (at.do === 'user' || at.do === 'assistant' || at.do === 'system')
      append({ role: at.do, content: `${ids++} ${'word '.repeat(at.length / 5)}` });
    else if (at.do === 'call') {
      const calls = Array.from({ length: at.count }, () => ({ id: `call ${ids++}` }));
      open.push(...calls.map((call) => call.id));
      append({ role: 'assistant', content: '', tool_calls: calls });
    } else if (at.do === 'result' && open.length > 0) {
      const [id] = open.splice(at.pick % open.length, 1) as [string];
      append({ role: 'tool', content: 'x'.repeat(at.length), tool_call_id: id });
    } else if (at.do === 'stranger') append({ role: 'tool', content: 'x', tool_call_id: `never ${ids++}` });
    else if (at.do === 'calibrate') {
      window.messages();
      window.calibrate(at.tokens);
    } else if (at.do === 'shed') await window.shed({ bytes: at.bytes });
    else if (at.do === 'wait') {
      await turn();
      clock.advance(61_000);
      await turn();
    }
    check(window, appended, lost, maxBytes + 3 * largest);
    if (failed.length > 0) throw failed[0];
    const kept = new Set(window.messages());
    open = open.filter((id) =>
      appended.some((m) => kept.has(m) && m.tool_calls?.some((call) => call.id === id)),
    );
  }
  const copy = ConversationWindow.restore(structuredClone(window.snapshot()), {
    maxBytes: 1e9,
    ...(maxTokens === undefined ? {} : { maxTokens: 1e9 }),
  });
  if (JSON.stringify(copy.messages()) !== JSON.stringify(window.messages()))
    throw new Error('restore differs');
  copy[Symbol.dispose]();
  window[Symbol.dispose]();
  await turn();
  if (clock.waiting > 0) throw new Error('a timer is left');
  return steps.length;
}

function check(
  window: ConversationWindow<Message>,
  appended: readonly Message[],
  lost: ReadonlySet<Message>,
  most: number,
): void {
  const messages = window.messages();
  const calls = new Map<string, number>();
  messages.forEach((message, index) => {
    for (const call of message.tool_calls ?? []) calls.set(call.id, index);
    if (message.tool_call_id !== undefined && !calls.has(message.tool_call_id))
      throw new Error(`orphan result ${message.tool_call_id}`);
  });
  const isSummary = (message: Message): boolean => message.content.startsWith('summary ');
  const kept = messages.filter((message) => !isSummary(message));
  for (const message of appended)
    if (!lost.has(message) && !kept.includes(message)) throw new Error('a message is gone without a word');
  for (const message of kept) if (lost.has(message)) throw new Error('a dropped message is back');
  // Whoever made a call keeps every answer that came: pairs are never split.
  for (const message of appended)
    if (lost.has(message) && message.tool_calls !== undefined)
      for (const call of message.tool_calls)
        if (kept.some((other) => other.tool_call_id === call.id)) throw new Error('a pair was split');
  const plain = kept.filter((message) => message.role !== 'system' && message.role !== 'tool');
  const order = plain.map((message) => appended.indexOf(message));
  if (order.some((place, i) => i > 0 && place < (order[i - 1] as number))) throw new Error('order was lost');
  if (window.stats().pinnedMessages > 0 && messages[0]?.role !== 'system')
    throw new Error('pinned is not first');
  const first = messages.find((message) => message.role !== 'system');
  const hasDropped =
    lost.size > 0 && appended.some((message) => message.role === 'user' && lost.has(message));
  if (first !== undefined && hasDropped && first.role !== 'user')
    throw new Error(`starts with ${first.role}`);
  const { bytes } = window;
  if (bytes > 2 * most) throw new Error(`${bytes} bytes of ${most}`);
  if (window.stats().messages !== messages.length) throw new Error('the count of messages is wrong');
}
