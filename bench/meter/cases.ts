/* oxlint-disable oxc/no-accumulating-spread -- state updated by spread is one of the cases */
/** Values as agent servers hold them, built fresh at each call so that nothing but the caller keeps them alive. */

/** A value and whether JavaScript can see all of it: ropes, slices and closures hide what they hold. */
export interface Case {
  readonly isVisible: boolean;
  readonly make: () => unknown;
}

let seed = 7;

function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 4_294_967_296;
}

const words =
  'the of agent memory session tool call result window budget heap stream token policy leak retained path buffer'.split(
    ' ',
  );

// Through a buffer: text built by `+` would be a rope.
function text(length: number): string {
  const parts: string[] = [];
  for (let l = 0; l < length;) {
    const word = words[Math.floor(random() * words.length)] as string;
    parts.push(word);
    l += word.length + 1;
  }
  return Buffer.from(parts.join(' ')).toString('latin1');
}

function hex(length: number): string {
  return Buffer.from(Array.from({ length }, () => '0123456789abcdef'.charCodeAt(random() * 16))).toString(
    'latin1',
  );
}

function parsed<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function times<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

export function flatChat(count = 1000): object[] {
  return parsed(
    times(count, (i) => ({
      id: `msg_${hex(24)}`,
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: text(400),
      createdAt: 1_764_000_000_000 + i,
    })),
  );
}

export function uiMessages(count = 500): object[] {
  const result = (): object => ({ title: text(40), url: `https://example.com/${hex(12)}`, score: random() });
  return parsed(
    times(count, (i) => ({
      id: `msg_${hex(16)}`,
      role: i % 2 === 0 ? 'user' : 'assistant',
      parts: [
        { type: 'step-start' },
        { type: 'text', text: text(300), state: 'done' },
        {
          type: 'tool-search',
          toolCallId: `call_${hex(20)}`,
          state: 'output-available',
          input: { query: text(30), limit: 10 },
          output: { results: times(5, result) },
        },
      ],
      metadata: { tokens: Math.floor(random() * 1000), cost: random() },
    })),
  );
}

export function toolCalls(count = 200): object[] {
  const row = (id: number): object => ({
    id,
    name: text(12),
    price: random() * 100,
    qty: Math.floor(random() * 50),
    ok: random() < 0.5,
    tags: ['alpha', 'beta'],
  });
  return parsed(
    times(count, () => ({
      type: 'tool_result',
      tool_use_id: `toolu_${hex(24)}`,
      content: [{ type: 'json', data: { rows: times(20, row) } }],
    })),
  );
}

class Agent {
  readonly name = hex(16);
  readonly parent = null;
  readonly cost = random();
  readonly done = false;
  readonly id: number;
  readonly depth: number;
  constructor(id: number) {
    this.id = id;
    this.depth = id & 7;
  }
}

interface Tree {
  readonly parent: Tree | null;
  readonly id: string;
  readonly kids: Tree[];
}

function tree(parent: Tree | null, depth: number): Tree {
  const node: Tree = { parent, id: hex(12), kids: [] };
  if (depth > 0) for (let i = 0; i < 4; i++) node.kids.push(tree(node, depth - 1));
  return node;
}

function seen(make: () => unknown): Case {
  return { isVisible: true, make };
}

function hidden(make: () => unknown): Case {
  return { isVisible: false, make };
}

/** The cases of the comparison, by name. */
export const cases: Readonly<Record<string, Case>> = {
  'chat 1000, one-byte': seen(() => flatChat()),
  'chat 1000, two-byte': seen(() =>
    parsed(
      flatChat().map((message) => ({ ...message, content: Buffer.from(`${text(400)} 中文😀`).toString() })),
    ),
  ),
  'UIMessage parts 500': seen(() => uiMessages()),
  'tool-call JSON 200': seen(() => toolCalls()),
  'embeddings 100x1536 parsed': seen(() => parsed(times(100, () => times(1536, () => random() - 0.5)))),
  'embeddings 100x1536 pushed': seen(() =>
    times(100, () => {
      const vector: number[] = [];
      for (let i = 0; i < 1536; i++) vector.push(random() - 0.5);
      return vector;
    }),
  ),
  'Float32Array 100x1536': seen(() => times(100, () => Float32Array.from({ length: 1536 }, random))),
  'Map 10,000': seen(() => {
    const map = new Map<string, object>();
    for (let i = 0; i < 10_000; i++) map.set(hex(36), { a: i, b: random(), c: text(20), d: null });
    return map;
  }),
  'Set 10,000': seen(() => new Set(times(10_000, () => hex(36)))),
  'class instances 10,000': seen(() => {
    const agents: Agent[] = [];
    for (let i = 0; i < 10_000; i++) agents.push(new Agent(i));
    return agents;
  }),
  'linked list 5,000': seen(() => {
    let head: object | null = null;
    for (let i = 0; i < 5000; i++) head = { next: head, v: hex(16) };
    return head;
  }),
  'cyclic tree with parents': seen(() => tree(null, 6)),
  'string 1 MB one-byte': seen(() => ({ s: Buffer.alloc(1 << 20, 97).toString('latin1') })),
  'string 1 M two-byte': seen(() => ({
    s: `\u4e2d${Buffer.alloc(1 << 21, '\u4e2d', 'utf16le')
      .toString('utf16le')
      .slice(1)}`,
  })),
  'Buffers 100 x 10 kB': seen(() => times(100, () => Buffer.alloc(10_000, 1))),
  'dictionary of 5,000 keys': seen(() => {
    const table: Record<string, object> = {};
    for (let i = 0; i < 5000; i++) table[hex(16)] = { n: i };
    return table;
  }),
  '40 dynamic keys x 200': seen(() =>
    times(200, () => {
      const table: Record<string, number> = {};
      for (let i = 0; i < 40; i++) table[`key_${i}`] = i;
      return table;
    }),
  ),
  'JSON of 40 keys x 200': seen(() =>
    parsed(times(200, () => Object.fromEntries(times(40, (i) => [`f${i}`, i])))),
  ),
  'state by spread x 2,000': seen(() => {
    const states: object[] = [];
    let state: object = {};
    for (let i = 0; i < 2000; i++) {
      state = { ...state, turn: i, last: hex(20), cost: random() };
      states.push(state);
    }
    return states;
  }),
  'dates, bigints, errors 1,000': seen(() =>
    times(1000, (i) => ({ d: new Date(i), b: BigInt(i) << 70n, e: new Error(hex(12)) })),
  ),
  'rope (streamed text) 200': hidden(() =>
    times(200, () => {
      let content = '';
      for (let j = 0; j < 250; j++) content += hex(2) + (j % 7 === 0 ? '. ' : 'ab');
      return { role: 'assistant', content };
    }),
  ),
  'slices of 100 kB x 100': hidden(() => times(100, () => text(100_000).slice(500, 550))),
  'closures 5,000': hidden(() =>
    times(5000, () => {
      const captured = text(180);
      return () => captured.length;
    }),
  ),
};
