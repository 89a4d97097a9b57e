import type { Random } from '../random.ts';

/** A tool call of the model. */
export interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, string>>;
}

/** One step of the mock model: it calls tools, or writes about `words` words. */
export type Move = { readonly calls: readonly ToolCall[] } | { readonly words: number };

type Script = (step: number, random: Random, task: string) => Move;

const subjects = ['tariffs', 'tides', 'turbines', 'freight', 'harbours', 'insurance', 'ballast', 'pilots'];

const search = (random: Random): ToolCall => ({ name: 'search', input: { query: random.pick(subjects) } });
const document = (random: Random): ToolCall => ({
  name: 'fetch_document',
  input: { id: `doc-${random.int(1, 500)}` },
});
const sum = (random: Random): ToolCall => ({
  name: 'calculator',
  input: { expression: `${random.int(10, 9999)} * (${random.int(1, 99)} + ${random.int(1, 99)}) / 4` },
});
const delegate = (agent: string, task: string): ToolCall => ({
  name: 'delegate',
  input: { agent, task: task.slice(0, 200) },
});

/** The behaviour of each agent. Sessions of different agents have different shapes and sizes. */
export const scripts: Readonly<Record<string, Script>> = {
  planner: (step, random, task) => {
    if (step === 0) return { calls: [delegate('researcher', `Find the facts for: ${task}`)] };
    if (step === 1) return { calls: [delegate('writer', `Write it up: ${task}`)] };
    return { words: random.int(40, 120) };
  },
  analyst: (step, random) => {
    if (step === 0) return { calls: [document(random), document(random), document(random)] };
    if (step === 1) return { calls: [sum(random)] };
    return { words: random.int(60, 200) };
  },
  support: (step, random) => {
    if (step === 0 && random.chance(0.5))
      return { calls: [random.chance(0.5) ? search(random) : sum(random)] };
    return { words: random.int(20, 60) };
  },
  researcher: (step, random, task) => {
    if (step === 0) return { calls: [search(random)] };
    if (step === 1) return { calls: [document(random), ...(random.chance(0.5) ? [document(random)] : [])] };
    if (step === 2 && random.chance(0.2)) return { calls: [delegate('researcher', `Check: ${task}`)] };
    return { words: random.int(30, 80) };
  },
  writer: (_step, random) => ({ words: random.int(80, 160) }),
};
