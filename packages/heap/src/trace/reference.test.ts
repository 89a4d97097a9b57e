import { expect, test } from 'vitest';
import { open } from '../opened-snapshot.ts';
import { HeapFixture } from './heap.fixture.ts';

type Build = (heap: HeapFixture, target: number) => void;

/** Chains hidden nodes between the global object and the target. */
const through =
  (
    ...hops: readonly (readonly [type: string, name: string | number, nodeType?: string, nodeName?: string])[]
  ): Build =>
  (heap, target) => {
    let from = heap.property(heap.global, 'holder', 'object', 'Holder');
    hops.forEach(([type, name, nodeType, nodeName], i) => {
      const to =
        i === hops.length - 1 ? target : heap.node(nodeType ?? 'hidden', nodeName ?? 'system / Thing');
      heap.edge(from, type, name, to);
      from = to;
    });
  };

const cases: readonly [string, Build, string, string?][] = [
  ['a property', through(['property', 'name']), 'name', '.name'],
  ['a property that is no identifier', through(['property', 'content-type']), '<word:12>', '[<word:12>]'],
  ['the property with the empty name', through(['internal', '']), '[""]', '[""]'],
  ['an element', through(['element', 7]), '[7]', '[7]'],
  [
    'an element through its store',
    through(['internal', 'elements', 'array', ''], ['internal', '7']),
    '[7]',
    '[7]',
  ],
  ['an internal field', through(['internal', '5']), 'internal field'],
  ['a hidden slot', through(['hidden', 4]), 'internal field'],
  ['a bound this', through(['internal', 'bound_this']), 'bound this'],
  ['a bound argument', through(['internal', 'bound_argument_0']), 'bound argument'],
  ['a result of a promise', through(['internal', 'reactions_or_result']), 'result'],
  [
    'a reaction',
    through(['internal', 'reactions_or_result', 'hidden', 'system / PromiseReaction'], ['hidden', 3]),
    'reaction',
  ],
  [
    'a local variable of a suspended function',
    through(['internal', 'parameters_and_registers', 'array', ''], ['internal', '2']),
    'local variable',
  ],
  [
    'a global variable',
    through(['internal', 'cells', 'hidden', 'system / PropertyCell'], ['internal', 'value']),
    'global variable',
  ],
  [
    'a built-in',
    through(['internal', 'native_context', 'hidden', 'system / NativeContext'], ['internal', '9']),
    'built-in',
  ],
  [
    'an inline cache',
    through(['internal', 'feedback_cell', 'code', 'system / FeedbackCell'], ['hidden', 1]),
    'inline cache of compiled code',
  ],
  [
    'a constant of compiled code',
    through(['internal', 'code', 'code', '(code)'], ['hidden', 1]),
    'compiled code',
  ],
  [
    'an accessor',
    through(['property', 'x', 'hidden', 'system / AccessorPair'], ['internal', 'getter']),
    'accessor',
  ],
  [
    'a FinalizationRegistry',
    through(['internal', 'cells', 'hidden', 'system / WeakCell'], ['internal', 'held']),
    'FinalizationRegistry cell',
  ],
  ['something else with a name', through(['internal', 'alpha'], ['internal', 'omega']), 'internal omega'],
  ['something else without', through(['internal', '1'], ['internal', '2']), 'internal field'],
  [
    'a captured value',
    through(['internal', 'context', 'object', 'system / Context'], ['internal', '4']),
    'captured variable',
  ],
];

test.each(cases)('%s', async (_what, build, via, code) => {
  const heap = new HeapFixture();
  const target = heap.node('object', 'Target');
  build(heap, target);
  using snapshot = await open(heap.stream());
  const [path] = snapshot.pathsTo(heap.id(target));
  expect(path?.steps.at(-1)?.via).toBe(via);
  expect(path?.code).toBe(`holder${code ?? ` → ${via}`}`);
});

test('maps: a value by its key, a key, a value under a number; sets: a member', async () => {
  const heap = new HeapFixture().mention('map', 'numbered', 'keyed', 'set');
  const [byText, byNumber, key, member] = ['A', 'B', 'C', 'D'].map((name) => heap.node('object', name)) as [
    number,
    number,
    number,
    number,
  ];
  heap.map(heap.global, 'map', [[heap.string('sess-1'), byText]]);
  const numbered = heap.map(heap.global, 'numbered', []);
  const [table] = [heap.node('array', '')];
  heap.edge(numbered, 'internal', 'table', table as number).edge(table as number, 'internal', '9', byNumber);
  heap.map(heap.global, 'keyed', [[key, heap.node('object', 'Value')]]);
  heap.map(heap.global, 'set', [[member, -1]], 'SafeSet');
  using snapshot = await open(heap.stream());
  const codes = [byText, byNumber, key, member].map((node) => {
    const path = snapshot.pathsTo(heap.id(node))[0];
    return `${path?.steps.at(-1)?.via} | ${path?.code}`;
  });
  expect(codes).toEqual([
    'get(<serial:6>) | map.get(<serial:6>)',
    'get(<number>) | numbered.get(<number>)',
    'key | keyed → key',
    'member | set.values()',
  ]);
});

test('a value in a WeakMap is held by its key', async () => {
  const heap = new HeapFixture().mention('key');
  const key = heap.property(heap.global, 'key', 'object', 'Key');
  const value = heap.node('object', 'Meta');
  const name = `1 / part of key (Key @${heap.id(key)}) -> value (Meta @${heap.id(value)}) pair in WeakMap (table @999)`;
  heap.edge(key, 'internal', name, value);
  using snapshot = await open(heap.stream());
  expect(snapshot.pathsTo(heap.id(value))[0]?.steps.at(-1)?.via).toBe('value in a WeakMap');
});

/** The way to a Map that a closure captures from a block: its variables have their names in the ScopeInfo alone. */
async function viaOfBlock(names: readonly string[], values: number, at: number): Promise<string | undefined> {
  const heap = new HeapFixture();
  const target = heap.node('object', 'Target');
  const closure = heap.property(heap.global, 'holder', 'closure', 'add');
  const context = heap.node('object', 'system / Context');
  const info = heap.node('code', 'system / ScopeInfo');
  heap.edge(closure, 'internal', 'context', context).edge(context, 'internal', 'scope_info', info);
  names.forEach((name, i) => heap.edge(info, 'hidden', i, heap.string(name)));
  heap.edge(info, 'hidden', names.length, heap.node('code', 'system / ScopeInfo'));
  for (let i = 0; i < values; i++)
    heap.edge(context, 'hidden', i, i === at ? target : heap.node('object', 'Other'));
  using snapshot = await open(heap.stream());
  return snapshot.pathsTo(heap.id(target))[0]?.steps.at(-1)?.via;
}

test('a variable of a block has the name that its scope lists, or one of few', async () => {
  expect(await viaOfBlock(['first', 'sessions'], 2, 1)).toBe('variable sessions');
  // A number has no edge, so one of the three names has no value here.
  expect(await viaOfBlock(['first', 'counter', 'sessions'], 2, 1)).toBe('variable counter or sessions');
  expect(await viaOfBlock(['a', 'b', 'c', 'd', 'e'], 2, 1)).toBe('captured variable');
  expect(await viaOfBlock([], 1, 0)).toBe('captured variable');
});
