import { expect, test } from 'vitest';
import { open, type Snapshot, type SnapshotOptions } from '../opened-snapshot.ts';
import { traceText } from '../report/trace-text.ts';
import { HeapFixture } from './heap.fixture.ts';

const opened = (heap: HeapFixture, options?: SnapshotOptions): Promise<Snapshot> =>
  open(heap.stream(), options);
const textOf = (snapshot: Snapshot, heap: HeapFixture, node: number): string =>
  traceText(snapshot.pathsTo(heap.id(node), { limit: 1 })[0]?.steps ?? []);

/** A server whose registry holds sessions by name. */
function server(): { heap: HeapFixture; sessions: number[] } {
  const heap = new HeapFixture().mention('server', 'registry', 'sessions');
  const owner = heap.property(heap.global, 'server', 'object', 'Server');
  const registry = heap.property(owner, 'registry', 'object', 'SessionRegistry');
  const entries = Array.from(
    { length: 3 },
    (_, i) => [heap.string(`sess-${i}`), heap.node('object', 'Session', 64)] as const,
  );
  heap.map(registry, 'sessions', entries);
  return { heap, sessions: entries.map(([, session]) => session) };
}

test('a path names properties and keys, and folds the table of a Map', async () => {
  const { heap, sessions } = server();
  using snapshot = await opened(heap);
  const [path] = snapshot.pathsTo(heap.id(sessions[1] as number));
  expect(traceText(path?.steps ?? [])).toMatchInlineSnapshot(`
    "┬ root: global                     not leaking: the global object
    │    ↓ server
    │      ~~~~~~
    ├─ Server
    │    ↓ registry
    │      ~~~~~~~~
    ├─ SessionRegistry
    │    ↓ sessions : Map → get(<serial:6>)
    │      ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
    ╰→ Session"
  `);
  expect(path?.code).toBe('server.registry.sessions.get(<serial:6>)');
});

test('with showStrings the key is shown', async () => {
  const { heap, sessions } = server();
  using snapshot = await opened(heap, { showStrings: true });
  expect(snapshot.pathsTo(heap.id(sessions[1] as number))[0]?.code).toBe(
    'server.registry.sessions.get("sess-1")',
  );
});

test('the fingerprint is the same for another key and another for another reference', async () => {
  const { heap, sessions } = server();
  const other = heap.property(heap.global, 'spare', 'object', 'Session');
  using snapshot = await opened(heap);
  const print = (node: number): string | undefined => snapshot.pathsTo(heap.id(node))[0]?.fingerprint;
  expect(print(sessions[0] as number)).toBe(print(sessions[2] as number));
  expect(print(other)).not.toBe(print(sessions[0] as number));
});

test('later paths do without the reference of the earlier ones', async () => {
  const { heap, sessions } = server();
  const [session] = sessions as [number];
  heap.array(heap.global, 'recent', [session]);
  using snapshot = await opened(heap);
  expect(snapshot.pathsTo(heap.id(session)).map((path) => path.code)).toEqual([
    'recent[0]',
    'server.registry.sessions.get(<serial:6>)',
  ]);
});

test('functions come with their place, variables with their names, bound functions with what is bound', async () => {
  const heap = new HeapFixture().mention('onAbort', 'handler');
  const run = heap.node('object', 'Run', 64);
  const handler = heap.closure('handleAbort', { run }, 'file:///app/node_modules/agents/result.js', 202);
  const bound = heap.property(heap.global, 'handler', 'closure', 'native_bind');
  heap.edge(bound, 'internal', 'bound_function', handler);
  using snapshot = await opened(heap);
  expect(textOf(snapshot, heap, run)).toMatchInlineSnapshot(`
    "┬ root: global                     not leaking: the global object
    │    ↓ handler
    │      ~~~~~~~
    ├─ bound handleAbort()
    │    ↓ bound function
    │      ~~~~~~~~~~~~~~
    ├─ handleAbort()                   agents/result.js:203
    │    ↓ variable run
    │      ~~~~~~~~~~~~
    ╰→ Run"
  `);
});

test('the stretch between what lives and what is over is suspect', async () => {
  const heap = new HeapFixture().mention('process', 'listeners', 'socket', 'destroyed');
  const process = heap.property(heap.global, 'process', 'object', 'process');
  const owner = heap.property(process, 'owner', 'object', 'Owner');
  const socket = heap.property(owner, 'socket', 'object', 'Socket');
  const yes = heap.node('hidden', 'true');
  heap.edge(socket, 'property', 'destroyed', yes);
  const buffer = heap.property(socket, 'data', 'object', 'Buffer');
  using snapshot = await opened(heap);
  expect(
    snapshot
      .pathsTo(heap.id(buffer))[0]
      ?.steps.map(({ name, leaking, suspect, why }) => ({ name, leaking, suspect, why })),
  ).toEqual([
    { name: 'process', leaking: 'no', suspect: false, why: 'the process object' },
    { name: 'Owner', leaking: 'maybe', suspect: true, why: '' },
    { name: 'Socket', leaking: 'yes', suspect: true, why: 'its destroyed is true' },
    { name: 'Buffer', leaking: 'yes', suspect: false, why: 'only held by what should be gone' },
  ]);
});

test('Node 22 does not name true: its root does', async () => {
  const heap = new HeapFixture().mention('closed', 'open');
  const roots = heap.node('synthetic', '(Read-only roots)');
  const [yes, no] = [heap.node('hidden', 'system / Oddball'), heap.node('hidden', 'system / Oddball')];
  heap
    .edge(heap.gcRoots, 'element', 9, roots)
    .edge(roots, 'internal', 'false_value', no)
    .edge(roots, 'internal', 'true_value', yes);
  const [shut, open] = ['shut', 'open'].map((name) => heap.property(heap.global, name, 'object', 'Door')) as [
    number,
    number,
  ];
  heap.edge(shut, 'property', 'closed', yes);
  heap.edge(open, 'property', 'closed', no);
  using snapshot = await opened(heap);
  const leaking = (node: number): string | undefined =>
    snapshot.pathsTo(heap.id(node))[0]?.steps.at(-1)?.leaking;
  expect([leaking(shut), leaking(open)]).toEqual(['yes', 'maybe']);
});

test('what is over but leads to what lives is no leak', async () => {
  const heap = new HeapFixture().mention('closed');
  const door = heap.property(heap.global, 'door', 'object', 'Door');
  heap.edge(door, 'property', 'closed', heap.node('hidden', 'true'));
  const list = heap.property(door, 'next', 'object', 'TimersList');
  using snapshot = await opened(heap);
  expect(snapshot.pathsTo(heap.id(list))[0]?.steps.map(({ leaking, why }) => `${leaking} ${why}`)).toEqual([
    'no the global object',
    'no its closed is true, but it leads to what lives on',
    "no Node's timers, lives as long as the process",
  ]);
});

test('a linked list is one step that says how long it is', async () => {
  const heap = new HeapFixture().mention('first', 'next');
  let node = heap.property(heap.global, 'first', 'object', 'Listener');
  for (let i = 0; i < 40; i++) node = heap.property(node, 'next', 'object', 'Listener');
  using snapshot = await opened(heap);
  expect(textOf(snapshot, heap, node)).toMatchInlineSnapshot(`
    "┬ root: global                     not leaking: the global object
    │    ↓ first
    │      ~~~~~
    ├─ Listener
    │    ↓ next
    │      ~~~~
    ╰→ Listener … ×40"
  `);
});

test('what only native code holds starts at its handles', async () => {
  const heap = new HeapFixture();
  const handles = heap.node('synthetic', '(Global handles)');
  heap.edge(heap.gcRoots, 'element', 1, handles);
  const image = heap.node('object', 'Image', 104);
  heap.edge(handles, 'internal', '7', image);
  using snapshot = await opened(heap);
  expect(textOf(snapshot, heap, image)).toMatchInlineSnapshot(`
    "┬ root: native code (global handles)
    │    ↓ root
    │      ~~~~
    ╰→ Image"
  `);
});

test('targets of WeakRefs that V8 keeps for the current job are not held by it', async () => {
  const heap = new HeapFixture();
  const strong = heap.node('synthetic', '(Strong root list)');
  heap.edge(heap.gcRoots, 'element', 1, strong);
  const kept = heap.node('array', '');
  const target = heap.node('object', 'Target');
  heap.edge(strong, 'internal', 'weak_refs_keep_during_job', kept).edge(kept, 'internal', '1', target);
  using snapshot = await opened(heap);
  expect(snapshot.pathsTo(heap.id(target))).toEqual([]);
});

test('the path through named properties wins over a shorter one through compiled code and prototypes', async () => {
  const heap = new HeapFixture().mention('a', 'b', 'c');
  const target = heap.node('object', 'Target');
  const code = heap.node('code', '(code)');
  heap.edge(heap.global, 'internal', 'code', code).edge(code, 'internal', 'x', target);
  const shape = heap.node('object shape', 'system / Map');
  const prototype = heap.property(heap.global, 'proto', 'object', 'Proto');
  heap.edge(heap.global, 'internal', 'map', shape).edge(shape, 'internal', 'prototype', prototype);
  heap.edge(prototype, 'property', 'static', target);
  const a = heap.property(heap.global, 'a', 'object', 'A');
  const b = heap.property(a, 'b', 'object', 'B');
  heap.edge(b, 'property', 'c', target);
  using snapshot = await opened(heap);
  expect(snapshot.pathsTo(heap.id(target))[0]?.code).toBe('a.b.c');
});

test('a module body is a root of its own', async () => {
  const heap = new HeapFixture();
  const wrap = heap.property(heap.global, '<symbol entry>', 'object', 'ModuleWrap');
  const module = heap.node('hidden', 'system / SourceTextModule');
  const generator = heap.node('object', 'Generator');
  heap.edge(wrap, 'internal', '2', module).edge(module, 'hidden', 4, generator).locate(generator, 1, 0);
  const registers = heap.node('array', '');
  const body = heap.closure('', {}, 'file:///app/src/main.mjs', 0);
  heap.edge(generator, 'internal', 'function', body);
  const value = heap.node('object', 'Memory');
  heap
    .edge(generator, 'internal', 'parameters_and_registers', registers)
    .edge(registers, 'internal', '3', value);
  using snapshot = await opened(heap);
  expect(textOf(snapshot, heap, value)).toMatchInlineSnapshot(`
    "┬ root: module /app/src/main.mjs
    │    ↓ local variable
    │      ~~~~~~~~~~~~~~
    ╰→ Memory"
  `);
  expect(snapshot.pathsTo(heap.id(value))[0]?.code).toBe('(Memory)');
});

test('an unknown id is an error that says where ids come from', async () => {
  const heap = new HeapFixture();
  using snapshot = await opened(heap);
  expect(() => snapshot.pathsTo(4711)).toThrow(expect.objectContaining({ code: 'PLM_HEAP_NO_NODE' }));
});

test('what waits in the microtask queue is named by the variable that holds it, when there is one', async () => {
  const heap = new HeapFixture().mention('jobs');
  const promise = heap.node('object', 'Promise');
  const tasks = heap.node('synthetic', '(Micro tasks)', 0);
  heap.edge(heap.gcRoots, 'element', 1, tasks).edge(tasks, 'element', 1, promise);
  const jobs = heap.property(heap.global, 'jobs', 'object', 'Jobs');
  heap.edge(jobs, 'property', 'run', heap.closure('run', { neverReady: promise }));
  using snapshot = await opened(heap);
  expect(snapshot.pathsTo(heap.id(promise), { limit: 1 })[0]?.code).toBe('neverReady');
});

test('a class of the program with a name that Node uses, too, is not taken for one of Node', async () => {
  const heap = new HeapFixture().mention('queue', 'timers');
  const [own, node] = ['app/queue.mjs', 'node:internal/priority_queue'].map((script, i) => {
    const queue = heap.property(heap.global, i === 0 ? 'queue' : 'timers', 'object', 'PriorityQueue');
    const made = heap.closure('PriorityQueue', {}, script, 1, i + 1);
    heap.edge(queue, 'property', 'constructor', made).locate(queue, i + 1, 1);
    return queue;
  }) as [number, number];
  using snapshot = await opened(heap);
  const last = (node: number) => snapshot.pathsTo(heap.id(node), { limit: 1 })[0]?.steps.at(-1);
  expect(last(own)).toMatchObject({ leaking: 'maybe', why: '' });
  expect(last(node)).toMatchObject({ leaking: 'no', why: "Node's timers, lives as long as the process" });
});

test('the key of a Map is read from a rope that was flattened, and measured when it was not', async () => {
  const heap = new HeapFixture().mention('sessions');
  const rope = (first: string, second: string): number => {
    const node = heap.node('concatenated string', '(concatenated string)', 32);
    heap
      .edge(node, 'internal', 'first', heap.string(first))
      .edge(node, 'internal', 'second', heap.string(second));
    return node;
  };
  const [flat, pieces] = [heap.node('object', 'Session'), heap.node('object', 'Session')];
  heap.map(heap.global, 'sessions', [
    [rope('sess-42', ''), flat],
    [rope('tenant/', 'sess-43'), pieces],
  ]);
  using snapshot = await opened(heap);
  using shown = await opened(heap, { showStrings: true });
  const code = (from: Snapshot, node: number) => from.pathsTo(heap.id(node), { limit: 1 })[0]?.code;
  expect([flat, pieces].map((node) => code(snapshot, node))).toEqual([
    'sessions.get(<serial:7>)',
    'sessions.get(<text:14>)',
  ]);
  expect([flat, pieces].map((node) => code(shown, node))).toEqual([
    'sessions.get("sess-42")',
    'sessions.get("tenant/sess-43")',
  ]);
});
