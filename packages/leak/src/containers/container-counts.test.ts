import { expect, test } from 'vitest';
import { ContainerCounts } from './container-counts.ts';
import type { DeclaredLimits } from './declared-limits.ts';
import type { FoundContainer } from './found-container.ts';

const mapAt = (object: object, via = 'variable sessions'): FoundContainer => ({
  path: [{ via, name: 'Map' }],
  kind: 'Map',
  object,
});

function follow(change: (map: Map<number, object>, i: number) => void, looks = 40): ContainerCounts {
  const counts = new ContainerCounts();
  const map = new Map<number, object>();
  counts.add([mapAt(map)], 0, 0);
  for (let i = 0; i < looks; i++) {
    for (let n = 0; n < 20; n++) change(map, 20 * i + n);
    counts.look(1000 * i, 1e6 * i);
  }
  counts.add([mapAt(map)], 1000 * looks, 1e6 * looks);
  return counts;
}

test('a Map that only gains is growing, with its entries weighed', () => {
  const [grown] = follow((map, i) =>
    map.set(i, { id: i, text: 'x'.repeat(10) + i, list: [i, 2, 3] }),
  ).grown();
  expect(grown).toMatchObject({ kind: 'Map', shape: 'growing', count: 800, gained: 800, isLight: false });
  expect(grown?.entryBytes).toBeGreaterThan(60);
});

test('how long entries are kept is told while none can be as old', () => {
  const limitsAfter = (seconds: number): object | undefined => {
    const counts = new ContainerCounts();
    const map = new Map<number, object>();
    const found = { ...mapAt(map), limits: { bound: 5000, keepsMs: 60_000 } };
    for (let i = 0; i <= seconds; i++) {
      for (let n = 0; n < 8; n++) map.set(8 * i + n, { i });
      if (i % 10 === 0) counts.add([found], 1000 * i, 1e6 * i);
      counts.look(1000 * i, 1e6 * i);
    }
    return counts.grown()[0];
  };
  expect(limitsAfter(50)).toMatchObject({ bound: 5000, keepsMs: 60_000 });
  expect(limitsAfter(80)).toMatchObject({ bound: 5000 });
  expect(limitsAfter(80)).not.toHaveProperty('keepsMs');
});

test('a Map within its bound fills, and one that has passed it grows', () => {
  const shapeWithin = (limits: DeclaredLimits): string | undefined => {
    const counts = new ContainerCounts();
    const map = new Map<number, object>();
    counts.add([{ ...mapAt(map), limits }], 0, 0);
    for (let i = 0; i < 400; i++) {
      map.set(i, { i });
      if (i % 10 === 0) counts.look(1000 * i, 1e6 * i);
    }
    return counts.grown()[0]?.shape;
  };
  expect(shapeWithin({ bound: 500 })).toBe('filling');
  expect(shapeWithin({ bound: 300 })).toBe('growing');
  expect(shapeWithin({ keepsMs: 600_000 })).toBe('filling');
  expect(shapeWithin({ keepsMs: 60_000 })).toBe('growing');
});

test('a Map that lets go of its oldest entries has more of them with more load, and one that stays is a leak', () => {
  const shapeOf = (isKept: (i: number) => boolean): string | undefined =>
    follow((map, i) => {
      map.set(i, { i });
      // Each entry stays for a third of its age, as sessions do that come ever faster.
      for (const key of map.keys()) {
        if (key > (2 * i) / 3) break;
        if (!isKept(key)) map.delete(key);
      }
    }).grown()[0]?.shape;
  expect(shapeOf(() => false)).toBe('leaving');
  expect(shapeOf((key) => key % 10 === 0)).toBe('growing');
});

test('where there are hardly any floors, sizes that were read between them tell as much', () => {
  const shapeOf = (isCounted: boolean): string | undefined => {
    const counts = new ContainerCounts();
    const map = new Map<number, object>();
    counts.add([mapAt(map)], 0, 0);
    for (let i = 1; i <= 60; i++) {
      for (let n = 0; n < 8; n++) map.set(8 * i + n, { i });
      if (isCounted) counts.count(1000 * i, 1e6 * i);
      if (i % 20 === 0) counts.look(1000 * i, 1e6 * i);
    }
    return counts.grown()[0]?.shape;
  };
  expect(shapeOf(true)).toBe('growing');
  expect(shapeOf(false)).toBeUndefined();
});

test('the class of the entries is told where the program has named it', () => {
  class Upload {
    readonly chunks = [1];
  }
  const classOf = (make: (i: number) => object): string | undefined =>
    follow((map, i) => map.set(i, make(i))).grown()[0]?.entryClass;
  expect(classOf(() => new Upload())).toBe('Upload');
  expect(classOf((i) => ({ i }))).toBeUndefined();
  expect(classOf((i) => (i % 2 === 0 ? new Upload() : { i }))).toBeUndefined();
});

test('a Map that was found half full is compared with its pace until then', () => {
  const counts = new ContainerCounts();
  const map = new Map<number, object>();
  const fill = (from: number, to: number): void => {
    for (let i = from; i < to; i++) map.set(i, { i });
  };
  fill(0, 600);
  counts.add([mapAt(map)], 10_000, 10e6);
  for (let i = 1; i <= 20; i++) {
    fill(600 + 10 * (i - 1), 600 + 10 * i);
    counts.look(10_000 + 1000 * i, 10e6 + 1e6 * i);
  }
  // 60 per MB until it was found, 10 since then.
  expect(counts.grown()[0]?.formerPace).toBeCloseTo(6, 0);
  expect(follow((each, i) => each.set(i, { i })).grown()[0]?.formerPace).toBe(0);
});

test('a Map at its bound is not', () => {
  const counts = follow((map, i) => {
    map.set(i, { i });
    if (map.size > 200) map.delete(i - 200);
  });
  expect(counts.grown().map(({ shape }) => shape)).not.toContain('growing');
});

test('a Map that is filled and emptied is not', () => {
  const counts = follow((map, i) => {
    map.set(i, { i });
    if (map.size > 190) map.clear();
  });
  expect(counts.grown().map(({ shape }) => shape)).not.toContain('growing');
});

test('entries that hold functions cannot be weighed and are said to be light', () => {
  const [grown] = follow((map, i) => map.set(i, { done: () => i })).grown();
  expect(grown).toMatchObject({ shape: 'growing', isLight: true });
});

test('a list that is replaced by a longer one goes on as the same container', () => {
  const counts = new ContainerCounts();
  let list: readonly number[] = [];
  for (let i = 0; i < 60; i++) {
    list = list.concat(Array.from({ length: 10 }, (_, n) => n));
    counts.add(
      [{ path: [{ via: 'variable list', name: 'Array' }], kind: 'Array', object: list }],
      1000 * i,
      1e6 * i,
    );
    counts.look(1000 * i, 1e6 * i);
  }
  expect(counts.size).toBe(1);
  expect(counts.grown()[0]).toMatchObject({ kind: 'Array', shape: 'growing', count: 600 });
});

test('what is watched is bounded', () => {
  const counts = new ContainerCounts();
  const maps = Array.from({ length: 400 }, () => new Map());
  counts.add(
    maps.map((map, i) => mapAt(map, `variable m${i}`)),
    0,
    0,
  );
  expect(counts.size).toBe(200);
  for (let i = 0; i < 2000; i++) counts.look(i, i);
  expect(counts.grown()).toEqual([]);
});

test('a container that gains takes the room of one whose entries never changed', () => {
  const counts = new ContainerCounts();
  const lists = Array.from({ length: 250 }, (_, i) => mapAt(new Map([[i, i]]), `variable list${i}`));
  counts.add(lists, 0, 0);
  for (let i = 1; i < 6; i++) counts.look(1000 * i, 1e6 * i);
  const sessions = new Map<number, object>();
  counts.add([...lists, mapAt(sessions)], 6000, 6e6);
  for (let i = 7; i < 30; i++) {
    for (let n = 0; n < 20; n++) sessions.set(sessions.size, { n });
    counts.look(1000 * i, 1e6 * i);
  }
  expect(counts.size).toBe(200);
  expect(counts.grown().map(({ path }) => path[0]?.via)).toEqual(['variable sessions']);
});

test('a chain is counted from the object that has its first link', () => {
  const counts = new ContainerCounts();
  const journal: { head: object | null } = { head: null };
  const path = [
    { via: 'variable journal', name: 'Object' },
    { via: 'head', name: 'Object' },
    { via: 'next', name: 'Object' },
  ];
  counts.add([{ path, kind: 'chain', object: journal, links: { first: 'head', next: 'next' } }], 0, 0);
  for (let i = 0; i < 40; i++) {
    for (let n = 0; n < 20; n++) journal.head = { next: journal.head };
    // A chain is counted for at most 0.5 % of the time: a minute leaves room for a busy machine.
    counts.look(60_000 * i, 1e6 * i);
  }
  expect(counts.grown()[0]).toMatchObject({ kind: 'chain', shape: 'growing', count: 800, isLight: true });
});

test('numbers that are counted elsewhere are judged alike', () => {
  const counts = new ContainerCounts();
  for (let i = 0; i < 40; i++)
    counts.see([{ via: 'timers that wait', name: 'Timeout' }], 1000 * i, 1e6 * i, 5 + 10 * i);
  expect(counts.grown()[0]).toMatchObject({ kind: 'resources', shape: 'growing', count: 395 });
});

test('a text that is added to is counted in KiB', () => {
  const counts = new ContainerCounts();
  const audit = { log: '' };
  const path = [
    { via: 'variable audit', name: 'Object' },
    { via: 'log', name: 'string' },
  ];
  counts.add([{ path, kind: 'text', object: audit, links: { first: 'log', next: '' } }], 0, 0);
  for (let i = 0; i < 40; i++) {
    audit.log += 'x'.repeat(20 * 1024);
    counts.look(1000 * i, 1e6 * i);
  }
  expect(counts.grown()[0]).toMatchObject({ kind: 'text', shape: 'growing', count: 800, entryBytes: 1024 });
});

test('a Map that reaches its bound at the very end has stopped, and one whose program idles has not', () => {
  const filled = follow((map, i) => {
    if (map.size < 760) map.set(i, { i });
  });
  expect(filled.grown()[0]).toMatchObject({ shape: 'ended', count: 760 });
  const counts = new ContainerCounts();
  const map = new Map<number, object>();
  counts.add([mapAt(map)], 0, 0);
  for (let i = 0; i < 40; i++) {
    for (let n = 0; n < 20; n++) map.set(20 * i + n, { i });
    counts.look(1000 * i, 1e6 * i);
  }
  for (let i = 1; i < 8; i++) counts.look(39_000 + 5000 * i, 39e6 + 2e5 * i);
  expect(counts.grown()[0]).toMatchObject({ shape: 'growing', count: 800 });
});

function listsOf(object: object, field?: string): FoundContainer {
  return {
    path: [
      { via: 'variable byUser', name: 'Map' },
      { via: 'any entry', name: 'Array' },
      ...(field === undefined ? [] : [{ via: field, name: 'Array' }]),
    ],
    kind: 'lists',
    object,
    links: { first: field, next: '' },
  };
}

test('lists per key that grow are counted together, also where the number of keys stays the same', () => {
  const counts = new ContainerCounts();
  const byUser = new Map(Array.from({ length: 40 }, (_, i) => [i, [] as object[]]));
  const found = [mapAt(byUser, 'variable byUser'), listsOf(byUser)];
  counts.add(found, 0, 0);
  for (let i = 0; i < 40; i++) {
    for (let n = 0; n < 20; n++)
      byUser.get((20 * i + n) % 40)?.push({ at: i, text: `event ${n} of ${i} so far` });
    counts.look(1000 * i, 1e6 * i);
  }
  const [grown, ...others] = counts.grown();
  expect(others).toEqual([]);
  expect(grown).toMatchObject({
    kind: 'lists',
    shape: 'growing',
    count: 800,
    isLight: false,
    hasTexts: true,
  });
  expect(grown?.entryBytes).toBeGreaterThan(50);
});

test('lists of a container that gains entries itself are part of it, and lists at their bound do not grow', () => {
  const counts = new ContainerCounts();
  const streams = new Map<number, { parts: number[] }>();
  const windows = new Map(Array.from({ length: 40 }, (_, i) => [i, [] as number[]]));
  const found = [mapAt(streams, 'variable byUser'), listsOf(streams, 'parts')];
  counts.add([...found, { ...listsOf(windows), path: [{ via: 'variable windows', name: 'Map' }] }], 0, 0);
  for (let i = 0; i < 40; i++) {
    for (let n = 0; n < 20; n++) {
      streams.set(20 * i + n, { parts: [1, 2, 3, 4, 5] });
      const list = windows.get(n) as number[];
      if (list.push(n) > 10) list.shift();
    }
    counts.look(1000 * i, 1e6 * i);
  }
  expect(counts.grown().map(({ kind, shape }) => `${kind} ${shape}`)).toEqual(['Map growing', 'lists ended']);
});

test('a chain of closures grows when its first one is ever a new one', () => {
  const path = [
    { via: 'variable onDone', name: 'onDone()' },
    { via: 'variable previous', name: 'onDone()' },
  ];
  const walk = (heads: readonly object[], count = 120): readonly unknown[] => {
    const counts = new ContainerCounts();
    heads.forEach((object, i) => counts.add([{ path, kind: 'closures', object, count }], 5000 * i, 1e6 * i));
    return counts.grown();
  };
  const heads = [() => 1, () => 2, () => 3];
  expect(walk(heads)).toMatchObject([{ kind: 'closures', shape: 'growing', count: 120 }]);
  const middleware = (): number => 4;
  expect(walk([middleware, middleware, middleware, middleware])).toEqual([]);
  expect(walk(heads, 90)).toEqual([]);
});

test('entries that share much are weighed by what one more adds', () => {
  const shared = Array.from({ length: 3000 }, (_, i) => ({ i }));
  const [grown] = follow((map, i) =>
    map.set(i, { shared, own: Array.from({ length: 20 }, (_, n) => ({ n })) }),
  ).grown();
  expect(grown?.entryBytes).toBeGreaterThan(500);
  expect(grown?.entryBytes).toBeLessThan(2000);
});

class Turns {
  readonly #all: string[] = [];
  add(turn: string): this {
    this.#all.push(turn);
    return this;
  }
}

test('entries with private fields cannot be weighed either', () => {
  const [grown] = follow((map, i) => map.set(i, new Turns().add(`turn ${i}`))).grown();
  expect(grown).toMatchObject({ shape: 'growing', isLight: true });
});

test('an object with many keys is counted at each look until it can be judged', () => {
  const counts = new ContainerCounts();
  const object: Record<string, object> = {};
  let keys = 0;
  const grow = (): void => {
    for (let n = 0; n < 400; n++) object[`key ${keys++}`] = { n };
  };
  for (let i = 0; i < 15; i++) grow();
  counts.add([{ path: [{ via: 'counters', name: 'Object' }], kind: 'object', object }], 0, 0);
  for (let i = 1; i <= 12; i++) {
    grow();
    // A minute apart: the slower the machine lists the keys, the later they may be listed again.
    counts.look(60_000 * i, 1e6 * i);
  }
  expect(counts.grown()).toMatchObject([{ kind: 'object', shape: 'growing' }]);
});

test('small views that keep large buffers are told', () => {
  const weighed = (view: (whole: Buffer) => Buffer): number | undefined =>
    follow((map, i) => map.set(i, { head: view(Buffer.alloc(32 * 1024, i)) })).grown()[0]?.slicedBytes;
  expect(weighed((whole) => whole.subarray(0, 16))).toBe(32 * 1024);
  expect(weighed((whole) => whole)).toBeUndefined();
});

test('an object with more keys than can be listed in a few ms is not listed again', () => {
  const counts = new ContainerCounts();
  const object = Object.fromEntries(Array.from({ length: 100_100 }, (_, i) => [`key ${i}`, i]));
  const found: FoundContainer = { path: [{ via: 'nodes', name: 'Object' }], kind: 'object', object };
  counts.add([found], 0, 0);
  for (let i = 0; i < 20; i++) {
    for (let n = 0; n < 100; n++) object[`late ${i} ${n}`] = n;
    counts.look(10_000 * (i + 1), 1e6 * (i + 1));
  }
  counts.add([found], 300_000, 3e7);
  expect(counts.grown()).toEqual([]);
});
