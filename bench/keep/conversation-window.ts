import { ConversationWindow, fitTokens } from '@plimsoll/keep';
import { estimateTokenCount } from 'tokenx';
import { row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';
import { interleaved, usedHeap } from './sampling.ts';

interface Message {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

const sentence =
  'I would like to know how the memory of a long running server can be kept within its limits. ';
const text = sentence.repeat(5).slice(0, 400);

/** The rows of the conversation window. */
export const rows: Benchmark = async ({ quick, log }) => {
  log('conversation window ...');
  return [...(await appends(quick ? 3 : 15)), ...(await tenThousandTurns(quick ? 1000 : 10_000))];
};

async function appends(repeats: number): Promise<Row[]> {
  const count = 4000;
  const messages = Array.from({ length: count }, (_, i): Message => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: Buffer.from(`${i} ${text}`).toString('latin1'),
  }));
  const append = (options: { maxTokens?: number }): void => {
    const window = new ConversationWindow<Message>({ maxBytes: 200_000, ...options });
    for (const message of messages) window.append(message);
    window[Symbol.dispose]();
  };
  let sink = 0;
  const timed = await interleaved(repeats, count, {
    plain: () => append({}),
    counted: () => append({ maxTokens: 30_000 }),
    fit: () => {
      for (const { content } of messages) sink += fitTokens(content);
    },
    tokenx: () => {
      for (const { content } of messages) sink += estimateTokenCount(content);
    },
  });
  if (sink === 0) throw new Error('nothing was counted');
  return [
    row({
      metric: 'window: append with trims, bytes bounded',
      unit: 'ns',
      samples: timed.plain,
      goal: { atMost: 150 },
    }),
    row({
      metric: 'window: append with trims, bytes and tokens bounded, 400 characters',
      unit: 'ns',
      samples: timed.counted,
      goal: { atMost: 2000 },
    }),
    row({
      metric: 'window: token estimate of 400 characters',
      unit: 'ns',
      samples: timed.fit,
      peer: { name: 'tokenx', samples: timed.tokenx },
      // 2 us beside the 17 us of tokenx on a quiet machine.
      goal: { atMost: 0.118 },
    }),
  ];
}

/** Turns with a tool exchange each, in a window of 200 kB. */
async function tenThousandTurns(turns: number): Promise<Row[]> {
  const talk = (window: ConversationWindow<Message>, i: number): void => {
    window.append({ role: 'user', content: `${i} ${text}` });
    window.append({ role: 'assistant', content: '', tool_calls: [{ id: `c${i}` }] });
    window.append({ role: 'tool', content: `${i} ${text}`, tool_call_id: `c${i}` });
    window.append({ role: 'assistant', content: `${i} ${text}` });
  };
  // Ten at once: code that is compiled or thrown away meanwhile weighs as much as one of them.
  const windows = Array.from({ length: 10 }, () => new ConversationWindow<Message>({ maxBytes: 200_000 }));
  let peak = 0;
  for (let i = 0; i < turns; i++)
    for (const window of windows) {
      talk(window, i);
      peak = Math.max(peak, window.bytes);
    }
  const full = await usedHeap();
  let broken = 0;
  for (const window of windows) {
    const messages = window.messages();
    const calls = new Set(messages.flatMap((message) => message.tool_calls?.map((call) => call.id) ?? []));
    broken += messages.filter((m) => m.tool_call_id !== undefined && !calls.has(m.tool_call_id)).length;
    window[Symbol.dispose]();
  }
  const held = (full - (await usedHeap())) / windows.length;
  const metric = `window: ${turns} turns, bound 200 kB`;
  return [
    row({ metric: `${metric}, true heap`, unit: 'B', samples: [held], goal: { atMost: 210_000 } }),
    row({ metric: `${metric}, metered peak`, unit: 'B', samples: [peak], goal: { atMost: 210_000 } }),
    row({ metric: `${metric}, broken tool pairs`, unit: 'pairs', samples: [broken], goal: { atMost: 0 } }),
  ];
}
