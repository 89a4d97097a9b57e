import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diffText } from '../report/diff-text.ts';
import { HeapFixture } from '../trace/heap.fixture.ts';
import { diff, type Diff } from './diff.ts';

const dir = mkdtempSync(join(tmpdir(), 'plimsoll-diff-'));
let files = 0;

/** Writes a heap per count and compares them. */
async function compared(
  counts: readonly number[],
  build: (heap: HeapFixture, count: number) => void,
): Promise<Diff> {
  const paths = counts.map((count) => {
    const heap = new HeapFixture();
    build(heap, count);
    const path = join(dir, `${files++}.heapsnapshot`);
    writeFileSync(path, asOneProcess(heap.text()));
    return path;
  });
  return diff(paths);
}

const blocks = new Map<string, number>();

/** Numbers objects as one process would: the third of a class is the same object in every snapshot. */
function asOneProcess(text: string): string {
  const heap = JSON.parse(text) as { nodes: number[]; strings: string[] };
  const seen = new Map<number, number>();
  for (let i = 0; i < heap.nodes.length; i += 6) {
    const key = `${heap.nodes[i]} ${heap.strings[heap.nodes[i + 1] as number]}`;
    const block = blocks.get(key) ?? blocks.size;
    blocks.set(key, block);
    const ordinal = seen.get(block) ?? 0;
    seen.set(block, ordinal + 1);
    heap.nodes[i + 2] = 2 * (block * 4000 + ordinal) + 1;
  }
  return JSON.stringify(heap);
}

const times = (count: number, make: (i: number) => number): number[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** Sessions in a map, each with a history; beside it a cache that is full. */
function registry(heap: HeapFixture, count: number): void {
  heap.mention('registry', 'sessions', 'history', 'cache');
  heap.array(
    heap.global,
    'cache',
    times(500, () => heap.node('object', 'Cached', 100)),
  );
  const owner = heap.property(heap.global, 'registry', 'object', 'Registry');
  const entries = times(count, () => heap.node('object', 'Session', 500)).map((session, i) => {
    heap.array(
      session,
      'history',
      times(5, () => heap.node('object', 'Message', 200)),
    );
    return [heap.string(`sess-${i}`), session] as const;
  });
  heap.map(owner, 'sessions', entries);
}

test('what the entries of a list have in lists of their own is no entry of it', async () => {
  const { growth } = await compared([20, 40, 60], (heap, count) => {
    heap.mention('traces', 'steps');
    const traces = times(count, () => {
      const trace = heap.node('object', 'Object', 50);
      heap.array(
        trace,
        'steps',
        times(30, () => heap.node('object', 'Object', 100)),
      );
      return trace;
    });
    heap.array(heap.global, 'traces', traces);
  });
  expect(growth).toMatchObject([{ counts: [20, 40, 60], holders: 1, code: 'traces[20]' }]);
});

test('the lists of many sessions are told as many holders', async () => {
  const { growth } = await compared([2, 4, 6], (heap, count) => {
    heap.mention('sessions', 'turns');
    const sessions = times(50, (i) => {
      const session = heap.node('object', 'Session', 50);
      heap.array(
        session,
        'turns',
        times(count + (i % 2), () => heap.node('object', 'Turn', 200)),
      );
      return session;
    });
    heap.array(heap.global, 'sessions', sessions);
  });
  expect(growth).toMatchObject([{ name: 'Turn', counts: [125, 225, 325], holders: 50 }]);
});

test('what grows is found by its path, and what grows inside of it is not told again', async () => {
  const result = await compared([20, 60, 100], registry);
  expect(result.growth.map(({ name, counts, code }) => ({ name, counts, code }))).toEqual([
    { name: 'Session', counts: [20, 60, 100], code: 'registry.sessions.get(<serial:7>)' },
  ]);
  expect(result.growth[0]).toMatchObject({ severity: 'high', newBytes: expect.any(Number), holders: 1 });
  expect(result.severity).toBe('high');
  const text = diffText(result, { traces: 1 });
  expect(
    text.replaceAll(/\/\S*\/(\d+)\.heapsnapshot/g, 's.heapsnapshot').replaceAll(/ [\d.]+ m?s$/gm, ' # ms'),
  ).toMatchInlineSnapshot(`
      "s.heapsnapshot → s.heapsnapshot → s.heapsnapshot
      heap 85.2 KiB → 149.4 KiB → 213.6 KiB  ▄▆█   nodes 693 → 1,053 → 1,413   # ms
      new 720 objects, 126.6 KiB; vanished 0 objects, 0 B

      growth 1 of 1   fingerprint 3f141ed1a7e2   high
        Session 20 → 60 → 100, 124.1 KiB more
        ┬ root: global                     not leaking: the global object
        │    ↓ registry
        ├─ Registry
        │    ↓ sessions : Map → get(<serial:7>) 100 entries
        │      ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
        ├─ Session                         one of 80 alike, all new
        │    ↓ history
        ╰→ Array
        code: registry.sessions.get(<serial:7>)

      constructor  count  change  own bytes    retained
      Message        500    +400  +78.1 KiB   +78.1 KiB
      Session        100     +80  +39.1 KiB  +124.1 KiB
      Array          101     +80   +6.9 KiB   +85.0 KiB
      (string)       104     +80   +2.5 KiB    +2.5 KiB
      Map              1      +0   +1.9 KiB  +128.4 KiB
      "
    `);
});

test('one step without growth acquits', async () => {
  const result = await compared([20, 60, 60], registry);
  expect(result.growth).toEqual([]);
  expect(result.severity).toBe('info');
  expect(diffText(result)).toContain('Nothing grows in every step');
});

test('a list that gets longer is one path', async () => {
  const result = await compared([50, 500], (heap, count) => {
    heap.mention('head', 'next');
    let link = heap.property(heap.global, 'head', 'object', 'Listener');
    for (let i = 0; i < count; i++) link = heap.property(link, 'next', 'object', 'Listener', 64);
  });
  expect(result.growth).toHaveLength(1);
  expect(result.growth[0]).toMatchObject({ name: 'Listener', counts: [50, 500] });
});

test('variables, functions, hidden stores and dictionaries keep their place in the path', async () => {
  const result = await compared([10, 200], (heap, count) => {
    heap.mention('make', 'store', 'weak');
    const pending = heap.node('object', 'Queue');
    const make = heap.closure('make', { pending });
    heap.edge(heap.global, 'property', 'make', make);
    heap.array(
      pending,
      'items',
      times(count, () => heap.node('object', 'Job', 300)),
    );
    const store = heap.property(heap.global, 'store', 'object', 'Object');
    for (let i = 0; i < count; i++) heap.property(store, `thread-${i}`, 'object', 'Object', 400);
    const hidden = heap.node('hidden', 'system / List');
    heap.edge(heap.global, 'internal', 'list', hidden);
    for (let i = 0; i < count; i++) heap.edge(hidden, 'internal', String(i), heap.closure('callback'));
  });
  expect(result.growth.map((growth) => `${growth.name} ${growth.code}`).sort()).toEqual([
    'Job pending.items[10]',
    'Object store[<serial:9>]',
    'callback() (callback())',
  ]);
});

test('what was there before and is only reached by another path did not accumulate', async () => {
  const moved = await compared([1, 2], (heap, count) => {
    heap.mention('service', 'hook', 'pool');
    const owner = heap.property(heap.global, count === 1 ? 'service' : 'hook', 'object', 'Service');
    heap.array(
      owner,
      'pool',
      times(200, () => heap.node('object', 'Entry', 500)),
    );
  });
  expect(moved.growth).toEqual([]);
  expect(moved.sameProcess).toBe(true);
});

test('a container that is reached by another path in each snapshot is the same one', async () => {
  const result = await compared([100, 200, 300], (heap, count) => {
    heap.mention('service', 'hook', 'last', 'pool');
    const path = { 100: 'service', 200: 'hook', 300: 'last' }[count] as string;
    const owner = heap.property(heap.global, path, 'object', 'Service');
    heap.array(
      owner,
      'pool',
      times(count, () => heap.node('object', 'Entry', 500)),
    );
  });
  expect(result.growth.map(({ name, counts, code }) => ({ name, counts, code }))).toEqual([
    { name: 'Entry', counts: [100, 200, 300], code: 'last.pool[100]' },
  ]);
});

test('a few objects more that lead to the container are not the growth', async () => {
  const result = await compared([100, 300], (heap, count) => {
    heap.mention('timers', 'registry', 'agents');
    const timers = times(count / 10, () => heap.node('object', 'Timeout', 100));
    heap.array(heap.global, 'timers', timers);
    const registry = heap.property(timers.at(-1) as number, 'registry', 'object', 'Registry');
    heap.array(
      registry,
      'agents',
      times(count, () => heap.node('object', 'Agent', 500)),
    );
  });
  expect(result.growth.map(({ name, counts }) => ({ name, counts }))).toEqual([
    { name: 'Agent', counts: [100, 300] },
  ]);
});

test('a single object that is larger in every snapshot is told apart from what becomes more', async () => {
  const grown = async (sizes: readonly number[]): Promise<Diff> =>
    compared(sizes, (heap, size) => {
      heap.mention('transcript', 'bytes');
      const owner = heap.property(heap.global, 'transcript', 'object', 'Transcript');
      heap.property(owner, 'bytes', 'object', 'Uint8Array', size);
    });
  const result = await grown([1_000_000, 2_000_000, 4_000_000]);
  expect(result.growth).toEqual([]);
  expect(result.swollen).toMatchObject([
    {
      name: 'Uint8Array',
      counts: [1, 1, 1],
      newBytes: 3_000_000,
      summary: 'one Uint8Array that grew from 976.6 KiB to 3.8 MiB',
      code: 'transcript.bytes',
    },
  ]);
  expect(diffText(result)).toContain('growth 1 of 1');
  expect((await grown([1_000_000, 4_000_000, 2_000_000])).swollen).toEqual([]);
  expect((await grown([1_000_000, 1_100_000])).swollen).toEqual([]);
});

test('ids that were given anew do not make new objects old ones', async () => {
  const paths = [200, 400].map((count, i) => {
    const heap = new HeapFixture();
    // Sizes tell that an id is another object now.
    times(i * 300, (k) => heap.property(heap.global, `other${k}`, 'object', 'Other', 100 + 8 * k));
    registry(heap, count);
    const path = join(dir, `anew-${count}`);
    writeFileSync(path, heap.text());
    return path;
  });
  const result = await diff(paths);
  expect(result.sameProcess).toBe(false);
  expect(result.growth.find(({ name }) => name === 'Session')).toMatchObject({
    counts: [200, 400],
    fresh: 200,
  });
});

test('snapshots of different processes are compared by path and class', async () => {
  const shift = (heap: HeapFixture, count: number): void => {
    if (count > 20) times(3000, () => heap.property(heap.global, 'gone', 'object', 'Padding'));
    registry(heap, count);
  };
  const [a, b] = [new HeapFixture(), new HeapFixture()];
  shift(a, 20);
  shift(b, 100);
  const paths = [join(dir, 'a'), join(dir, 'b')] as const;
  const renumbered = JSON.parse(b.text()) as { nodes: number[] };
  renumbered.nodes = renumbered.nodes.map((value, i) => (i % 6 === 2 ? value + 1_000_001 : value));
  writeFileSync(paths[0], a.text());
  writeFileSync(paths[1], JSON.stringify(renumbered));
  const result = await diff(paths);
  expect(result.sameProcess).toBe(false);
  expect(result.appeared).toBeUndefined();
  expect(diffText(result)).toContain('different processes');
});

test('fewer than two snapshots are no comparison', async () => {
  await expect(diff([])).rejects.toMatchObject({ code: 'PLM_HEAP_DIFF_COUNT' });
});

test('a file that cannot be read closes the others', async () => {
  await expect(compared([3], registry)).rejects.toMatchObject({ code: 'PLM_HEAP_DIFF_COUNT' });
  await expect(diff([join(dir, '0.heapsnapshot'), join(dir, 'none')])).rejects.toMatchObject({
    code: 'PLM_HEAP_NOT_FOUND',
  });
});
