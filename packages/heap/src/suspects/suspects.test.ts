import { expect, test } from 'vitest';
import { open, type Snapshot } from '../opened-snapshot.ts';
import { suspectText } from '../report/analysis-text.ts';
import { HeapFixture } from '../trace/heap.fixture.ts';
import type { Suspect } from './suspects.ts';

const opened = (heap: HeapFixture): Promise<Snapshot> => open(heap.stream());
const many = (count: number, make: (i: number) => number): number[] =>
  Array.from({ length: count }, (_, i) => make(i));
const first = (snapshot: Snapshot): Suspect => snapshot.suspects()[0] as Suspect;

test('a map with generated keys that holds most of the heap', async () => {
  const heap = new HeapFixture().mention('registry', 'sessions', 'history');
  const registry = heap.property(heap.global, 'registry', 'object', 'SessionRegistry');
  const entries = many(300, () => heap.node('object', 'Session', 64)).map((session, i) => {
    heap.array(session, 'history', [heap.string(`message ${i}`, 4000)]);
    return [heap.string(`sess-${i}`), session] as const;
  });
  heap.map(registry, 'sessions', entries);
  using snapshot = await opened(heap);
  expect(suspectText(first(snapshot), 0, 1)).toMatchInlineSnapshot(`
    "suspect 1 of 1   fingerprint 071f932befd7   high
      SessionRegistry.sessions (Map) holds 300 × Session, 4.0 KiB each, 1.2 MiB (99 % of the heap)
      ┬ root: global                     not leaking: the global object
      │    ↓ registry
      ├─ SessionRegistry
      │    ↓ sessions : Map → get(<serial:8>) 300 entries
      │      ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
      ├─ Session                         one of 300 alike
      │    ↓ history : Array → [0]
      ╰→ <text:11>
      code: registry.sessions.get(<serial:8>)
      keys: generated (serial); a collection keyed so is never full by itself"
  `);
  expect(first(snapshot)).toMatchObject({
    kind: 'collection',
    count: 300,
    severity: 'high',
    keys: 'serial',
    holders: 1,
  });
});

test('an object used as a dictionary, with its keys left out of the fingerprint', async () => {
  const build = (prefix: string): HeapFixture => {
    const heap = new HeapFixture().mention('saver', 'storage');
    const saver = heap.property(heap.global, 'saver', 'object', 'Saver');
    const storage = heap.property(saver, 'storage', 'object', 'Object');
    many(60, (i) => heap.property(storage, `${prefix}-${i}`, 'object', 'Checkpoint', 4000));
    return heap;
  };
  using one = await opened(build('thread'));
  using two = await opened(build('conversation'));
  expect(first(one)).toMatchObject({ kind: 'collection', count: 60, code: 'saver.storage[<serial:9>]' });
  expect(first(one).fingerprint).toBe(first(two).fingerprint);
});

test('entries that are over make a suspect graver and stand for the others', async () => {
  const heap = new HeapFixture().mention('registry', 'sessions', 'closed');
  const [yes, no] = [heap.node('hidden', 'true'), heap.node('hidden', 'false')];
  const sessions = many(300, (i) => {
    const session = heap.node('object', 'Session', 300);
    heap.edge(session, 'property', 'closed', i % 3 === 0 ? no : yes);
    return session;
  });
  heap.map(
    heap.property(heap.global, 'registry', 'object', 'Registry'),
    'sessions',
    sessions.map((session, i) => [heap.string(`s-${i}`), session] as const),
  );
  heap.property(heap.global, 'ballast', 'string', 'x', 400_000);
  using snapshot = await opened(heap);
  expect(first(snapshot)).toMatchObject({ severity: 'high', endedRatio: expect.closeTo(0.67, 1) });
  expect(first(snapshot).summary).toMatch(
    /^Registry\.sessions \(Map\) holds 300 × \{closed\}|^Registry\.sessions \(Map\) holds 300 × Session/,
  );
  expect(first(snapshot).summary).toMatch(/; 6\d % are over: their closed is true$/);
  expect(first(snapshot).trace.at(-1)).toMatchObject({ name: 'Session', leaking: 'yes' });
});

test('where the first path is weak evidence, another is told', async () => {
  const heap = new HeapFixture();
  const stack = heap.node('synthetic', '(Stack roots)');
  heap.edge(heap.gcRoots, 'element', 1, stack);
  const handles = heap.node('synthetic', '(Handle scope)');
  heap.edge(heap.gcRoots, 'element', 2, handles);
  const frame = heap.node('object', 'Frame');
  heap.edge(stack, 'internal', '1', frame);
  heap.array(
    frame,
    'jobs',
    many(60, () => heap.node('object', 'Job', 2000)),
  );
  heap.edge(handles, 'internal', '1', frame);
  using snapshot = await opened(heap);
  const suspect = first(snapshot);
  expect(suspect.trace[0]?.name).toMatch(/^stack/);
  expect(suspect.otherTraces?.[0]?.[0]?.name).toMatch(/^stack/);
  expect(suspect.otherTraces?.[0]?.[0]?.name).not.toBe(suspect.trace[0]?.name);
  expect(suspectText(suspect, 0, 1)).toContain('that path is weak evidence; another:');
});

test('a list linked both ways is a fan of its head', async () => {
  const heap = new HeapFixture().mention('list', '_idleNext', '_idlePrev', '_onTimeout');
  const list = heap.property(heap.global, 'list', 'object', 'TimersList');
  const timers = many(200, () => heap.node('object', 'Timeout', 400));
  [list, ...timers].forEach((node, i, all) => {
    heap.edge(node, 'property', '_idleNext', all[(i + 1) % all.length] as number);
    heap.edge(node, 'property', '_idlePrev', all[(i + all.length - 1) % all.length] as number);
  });
  using snapshot = await opened(heap);
  expect(first(snapshot)).toMatchObject({ kind: 'fan', name: 'Timeout', count: 200 });
  expect(first(snapshot).trace.map((step) => step.name)).toContain('TimersList');
});

test('timers that several objects of Node.js lead to are told, although nothing of the program keeps them alone', async () => {
  const heap = new HeapFixture().mention('timerListMap', 'server', 'timer', '_idleNext', '_idlePrev');
  const list = heap.property(heap.global, 'timerListMap', 'object', 'TimersList');
  const timers = many(200, () => heap.node('object', 'Timeout', 400));
  [list, ...timers].forEach((node, i, all) => {
    heap.edge(node, 'property', '_idleNext', all[(i + 1) % all.length] as number);
    heap.edge(node, 'property', '_idlePrev', all[(i + all.length - 1) % all.length] as number);
  });
  const server = heap.property(heap.global, 'server', 'object', 'Server');
  heap.edge(server, 'property', 'timer', timers[100] as number);
  using snapshot = await opened(heap);
  const fans = snapshot.suspects().filter(({ kind }) => kind === 'fan');
  expect(fans).toMatchObject([{ name: 'Timeout', count: 200 }]);
  expect(fans[0]?.summary).toMatch(/^global holds 200 × Timeout/);
});

test('things that two listener lists share are traced to a list', async () => {
  const heap = new HeapFixture().mention('_events', 'error', 'close', 'logger');
  const process = heap.property(heap.global, 'process', 'object', 'process');
  const events = heap.property(process, '_events', 'object', 'Object');
  const loggers = many(120, () => heap.node('object', 'Logger', 3000));
  const handlers = (): number[] =>
    loggers.map((logger) => heap.closure('onEvent', { logger }, 'file:///app/logger.js', 4));
  heap.array(events, 'error', handlers());
  heap.array(events, 'close', handlers());
  using snapshot = await opened(heap);
  const suspect = first(snapshot);
  expect(suspect).toMatchObject({ kind: 'fan', name: 'Logger', count: 120 });
  expect(suspect.trace.find((step) => step.entries !== undefined)).toMatchObject({
    name: 'Array',
    suspect: true,
  });
  expect(snapshot.observations()).toContainEqual(expect.objectContaining({ kind: 'listeners', count: 240 }));
});

test('a chain says how many links it has and what a link carries', async () => {
  const heap = new HeapFixture().mention('signal', 'next', 'callback');
  const signal = heap.property(heap.global, 'signal', 'object', 'AbortSignal');
  let link = heap.property(signal, 'next', 'object', 'Listener', 64);
  for (let i = 0; i < 120; i++) {
    heap.edge(
      link,
      'property',
      'callback',
      heap.closure('onAbort', { run: heap.node('object', 'Run', 900) }, 'file:///app/run.js', 9),
    );
    link = heap.property(link, 'next', 'object', 'Listener', 64);
  }
  using snapshot = await opened(heap);
  expect(suspectText(first(snapshot), 0, 1)).toMatchInlineSnapshot(`
    "suspect 1 of 1   fingerprint 356b1c9405be   high
      a chain of 120 links behind AbortSignal, 1.1 KiB each, 132.5 KiB (99 % of the heap)
      ┬ root: global                     not leaking: the global object
      │    ↓ signal
      │      ~~~~~~
      ├─ AbortSignal                     not leaking: starts a chain of 120 links, 132.5 KiB
      │    ↓ next
      │      ~~~~
      ├─ Listener … ×120                 one of 120 alike
      │    ↓ callback
      ├─ onAbort()                       /app/run.js:10
      │    ↓ variable run
      ╰→ Run
      code: signal.next…"
  `);
});

test('promises that wait for one that never settles hang on a list of reactions', async () => {
  const heap = new HeapFixture().mention('shutdown');
  const promise = heap.property(heap.global, 'shutdown', 'object', 'Promise', 32);
  let from = promise;
  let edge: [string, string | number] = ['internal', 'reactions_or_result'];
  for (let i = 0; i < 100; i++) {
    const reaction = heap.node('hidden', 'system / PromiseReaction', 48);
    heap.edge(from, edge[0], edge[1], reaction);
    heap.edge(reaction, 'hidden', 2, heap.closure('onSettled', { job: heap.node('object', 'Job', 900) }));
    from = reaction;
    edge = ['hidden', 1];
  }
  using snapshot = await opened(heap);
  expect(first(snapshot)).toMatchObject({
    kind: 'chain',
    count: 99,
    name: 'onSettled()',
    code: 'shutdown → reaction…',
  });
});

test('links of V8 alone are no chain of anybody', async () => {
  const heap = new HeapFixture();
  let from = heap.global;
  for (let i = 0; i < 200; i++) {
    const cell = heap.node('hidden', 'system / WeakCell', 1000);
    heap.edge(from, 'internal', 'next', cell);
    from = cell;
  }
  using snapshot = await opened(heap);
  expect(snapshot.suspects()).toEqual([]);
});

test('many handles of native code', async () => {
  const heap = new HeapFixture();
  const handles = heap.node('synthetic', '(Global handles)');
  heap.edge(heap.gcRoots, 'element', 1, handles);
  many(500, (i) => {
    const image = heap.node('object', 'Image', 200);
    heap.edge(handles, 'internal', String(i), image);
    return image;
  });
  using snapshot = await opened(heap);
  expect(first(snapshot)).toMatchObject({
    kind: 'handles',
    summary: 'native code holds 500 × Image, 200 B each on the heap, 97.7 KiB (100 % of the heap)',
  });
});

test('one object that keeps half of the heap is found where it splits up', async () => {
  const heap = new HeapFixture().mention('index', 'left', 'right');
  const index = heap.property(heap.global, 'index', 'object', 'Index');
  const tree = heap.property(index, 'root', 'object', 'Tree', 100_000);
  for (const side of ['left', 'right']) heap.property(tree, side, 'object', 'Branch', 100_000);
  using snapshot = await opened(heap);
  expect(first(snapshot)).toMatchObject({ kind: 'large', name: 'Tree', count: 1, severity: 'medium' });
  expect(first(snapshot).summary).toBe('one Tree keeps 293.0 KiB (100 % of the heap) alive');
});

test('modules and caches of the loader are no suspects beside a leak', async () => {
  const heap = new HeapFixture().mention('loader', 'cache', 'list');
  const loader = heap.property(heap.global, 'loader', 'object', 'ModuleLoader');
  heap.map(
    loader,
    'cache',
    many(400, () => heap.node('object', 'ModuleJob', 2000)).map(
      (job, i) => [heap.string(`file:///${i}`), job] as const,
    ),
  );
  const module = heap.property(heap.global, 'Module', 'closure', 'Module');
  heap.array(
    module,
    '_cache',
    many(100, () => heap.node('object', 'Thing', 2000)),
  );
  heap.array(
    heap.global,
    'list',
    many(100, () => heap.node('object', 'Leaked', 1000)),
  );
  using snapshot = await opened(heap);
  expect(snapshot.suspects().map((suspect) => suspect.name)).toEqual(['Leaked']);
});

test('holders with one fingerprint are one suspect', async () => {
  const heap = new HeapFixture().mention('sockets', 'acks');
  const sockets = many(4, () => heap.node('object', 'Socket'));
  heap.array(heap.global, 'sockets', sockets);
  for (const socket of sockets)
    heap.array(
      socket,
      'acks',
      many(50, () => heap.node('object', 'Ack', 2000)),
    );
  using snapshot = await opened(heap);
  expect(snapshot.suspects()).toEqual([
    expect.objectContaining({ name: 'Ack', holders: 4, retainedBytes: 400_000, severity: 'high' }),
  ]);
});

test('a heap in which nothing accumulates has no suspects', async () => {
  using snapshot = await opened(new HeapFixture());
  expect(snapshot.suspects()).toEqual([]);
  expect(snapshot.observations()).toEqual([]);
});

test('strings: repeated, sliced, built by +; buffers', async () => {
  const heap = new HeapFixture().mention('texts', 'buffer');
  const parent = heap.string('a very long parent', 50_000);
  const slice = heap.node('sliced string', '(sliced string)', 32);
  heap.edge(slice, 'internal', 'parent', parent);
  const ropes = many(100, () => heap.node('concatenated string', '(concatenated string)', 32));
  const copies = many(100, () => heap.string('the same again', 200));
  const held = heap.string('held otherwise', 50_000);
  const loose = heap.node('sliced string', '(sliced string)', 32);
  heap.edge(loose, 'internal', 'parent', held);
  heap.array(heap.global, 'texts', [
    slice,
    loose,
    held,
    heap.node('sliced string', '(sliced string)'),
    ...ropes,
    ...copies,
  ]);
  heap.property(heap.global, 'buffer', 'object', 'ArrayBuffer', 100_000);
  using snapshot = await opened(heap);
  expect(snapshot.observations().map((seen) => seen.text)).toMatchInlineSnapshot(`
    [
      "1 ArrayBuffers of 64 KiB or more, 97.7 KiB, outside of the heap V8 limits",
      "1 slices pin 1 longer strings, 48.8 KiB",
      "99 strings repeat 1 others, 19.3 KiB; most: <text:14> 100 times",
      "100 ropes (strings built by +) were never flattened, 3.1 KiB beside their parts",
    ]
  `);
});

test('holders of one fingerprint are one suspect, whose sentence and figures are of all of them', async () => {
  const heap = new HeapFixture().mention('queues', 'jobs');
  const queues = many(3, () => heap.node('object', 'Queue', 32));
  heap.array(heap.global, 'queues', queues);
  for (const queue of queues)
    heap.array(
      queue,
      'jobs',
      many(100, () => heap.node('object', 'Job', 2048)),
    );
  using snapshot = await opened(heap);
  const suspect = first(snapshot);
  expect(suspect).toMatchObject({ holders: 3, count: 300, retainedBytes: 300 * 2048 });
  expect(suspect.summary).toMatchInlineSnapshot(
    `"3 holders like Queue.jobs (Array) hold 300 × Job, 2.0 KiB each, 600.0 KiB (100 % of the heap)"`,
  );
});

test('a Map whose keys and values are texts has as many entries as keys', async () => {
  const heap = new HeapFixture().mention('titles');
  const entries = many(500, (i) => i).map(
    (i) => [heap.string(`key-${i}`, 32), heap.string(`title ${i}`, 2000)] as const,
  );
  heap.map(heap.global, 'titles', entries);
  using snapshot = await opened(heap);
  expect(snapshot.suspects()).toMatchObject([{ count: 500, retainedBytes: 500 * 2032 }]);
});

test('Array.prototype is no list of listeners although it is an array with functions', async () => {
  const heap = new HeapFixture().mention('emitter', '_events', 'data');
  const prototype = heap.property(heap.global, 'prototype', 'object', 'Array');
  for (const name of many(12, (i) => i))
    heap.edge(prototype, 'property', `f${name}`, heap.closure(`f${name}`));
  const shape = heap.node('object shape', 'system / Map');
  heap.edge(shape, 'internal', 'prototype', prototype);
  const emitter = heap.property(heap.global, 'emitter', 'object', 'EventEmitter');
  const events = heap.property(emitter, '_events', 'object', 'Object');
  heap.edge(events, 'property', '__proto__', prototype);
  const list = heap.array(
    events,
    'data',
    many(11, (i) => heap.closure(`onData${i}`)),
  );
  heap.edge(list, 'internal', 'map', shape);
  using snapshot = await opened(heap);
  expect(snapshot.observations().map(({ kind, count, text }) => [kind, count, text])).toEqual([
    ['listeners', 11, 'listener lists longer than 10: 1; longest: 11 for "data" on EventEmitter'],
  ]);
});
