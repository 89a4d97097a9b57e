import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import http from 'node:http';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { open, processScope } from '@plimsoll/core';
import { tree } from '@plimsoll/core/internal/scope/tree';
import { expect, test } from 'vitest';
import { ContainerCounts } from './container-counts.ts';
import { walkContainers } from './container-walk.ts';
import type { FoundContainer } from './found-container.ts';
import type { ScriptOrigin } from '../sites/script-origins.ts';
import { FunctionScopes } from './function-scopes.ts';

async function found(
  listener: () => unknown,
  originOf: (id: string) => ScriptOrigin | undefined = () => 'program',
  mostObjects?: number,
): Promise<readonly FoundContainer[]> {
  using scopes = FunctionScopes.open() as FunctionScopes;
  return await walkContainers([{ via: '"request" listener', value: listener }], {
    scopes,
    originOf,
    ...(mostObjects !== undefined && { mostObjects }),
  });
}

const pathOf = (all: readonly FoundContainer[], object: unknown): string | undefined =>
  all
    .find((each) => each.object === object)
    ?.path.map(({ via }) => via)
    .join(' > ');

class Hub {
  readonly #streams = new Map<string, number>();
  get streams(): Map<string, number> {
    return this.#streams;
  }
}

test('containers are found behind closures, private fields, emitters and signals', async () => {
  const sessions = new Map([['a', 1]]);
  const hub = new Hub();
  const bus = new EventEmitter();
  bus.on('config', () => 1).on('config', () => 2);
  const shutdown = new AbortController();
  shutdown.signal.addEventListener('abort', () => undefined);
  const metrics = { counters: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, i])) };
  const all = await found(() => [sessions, hub, bus, shutdown, metrics]);
  const handler = '"request" listener';
  expect(pathOf(all, sessions)).toBe(`${handler} > variable sessions`);
  expect(pathOf(all, hub.streams)).toBe(`${handler} > variable hub > #streams`);
  expect(all.map(({ kind, path }) => `${kind} ${path.at(-2)?.via} ${path.at(-1)?.via}`)).toEqual(
    expect.arrayContaining([
      'Array _events config',
      'listeners kEvents [abort]',
      'object variable metrics counters',
    ]),
  );
});

test('a long list of listeners says which function it has and where that comes from', async () => {
  const shutdown = new AbortController();
  const bus = new EventEmitter().setMaxListeners(100);
  function onAbort(): void {}
  function onData(): void {}
  for (let i = 0; i < 16; i++) {
    shutdown.signal.addEventListener('abort', onAbort.bind(undefined));
    bus.on('data', onData);
  }
  using scopes = FunctionScopes.open() as FunctionScopes;
  const all = await walkContainers([{ via: 'root', value: () => [shutdown, bus] }], {
    scopes,
    originOf: () => 'program',
    fileOf: () => 'file:///app/node_modules/ai/dist/index.js',
  });
  const listeners = all.flatMap(({ listener }) => (listener === undefined ? [] : [listener]));
  // A bound function has no place of its own.
  expect(listeners).toEqual(
    expect.arrayContaining([
      { name: 'bound onAbort()' },
      { name: 'onData()', file: 'file:///app/node_modules/ai/dist/index.js' },
    ]),
  );
});

test('the totals that Plimsoll keeps of closed scopes are no container of the program', async () => {
  processScope();
  for (let i = 0; i < 200; i++) void open('request', `GET /${i}`).close();
  const sessions = new Map([['a', 1]]);
  const all = await found(() => [sessions, tree]);
  expect(pathOf(all, sessions)).toBe('"request" listener > variable sessions');
  expect(all.filter(({ path }) => path.some(({ name }) => name === 'ScopeTotals'))).toEqual([]);
});

test('a container has the bound that its owner, or its own class, says it keeps', async () => {
  class Recent extends Map<string, number> {
    readonly max = 3000;
  }
  class Quick extends Map<string, number> {
    readonly #maxSize = 400;
    readonly #cache = new Map([['a', this.#maxSize]]);
    get cache(): Map<string, number> {
      return this.#cache;
    }
  }
  class Fifo {
    readonly limit = 900;
    readonly items = new Map([['a', 1]]);
    first = { next: { next: { next: null } } };
  }
  const [recent, quick, fifo, free] = [new Recent(), new Quick(), new Fifo(), new Map([['a', 1]])];
  const all = await found(() => [recent, quick, fifo, free]);
  const boundOf = (object: unknown): number | undefined =>
    all.find((each) => each.object === object)?.limits?.bound;
  expect([recent, quick.cache, fifo.items, free].map(boundOf)).toEqual([3000, 400, 900, undefined]);
  expect(all.find(({ kind }) => kind === 'chain')).toMatchObject({ object: fifo, limits: { bound: 900 } });
  const ofOwner = (object: unknown): boolean =>
    all.find((each) => each.object === object)?.limits?.isOfOwner ?? false;
  expect([recent, quick.cache, fifo.items].map(ofOwner)).toEqual([false, true, true]);
});

test('a container has the bound that the code around it keeps it within', async () => {
  const most = 800;
  const pages = new Map([['a', [1]]]);
  const free = new Map([['a', 1]]);
  const remember = (key: string): void => {
    pages.set(key, [1]);
    if (pages.size > most) pages.delete(pages.keys().next().value as string);
  };
  class Lru {
    readonly #map = new Map(Array.from({ length: 70 }, (_, i) => [i, [i]]));
    readonly kept = 900;
    get map(): Map<number, number[]> {
      return this.#map;
    }
    add(key: number): void {
      this.#map.set(key, [key]);
      if (this.#map.size > this.kept) this.#map.delete(this.#map.keys().next().value as number);
    }
  }
  const lru = new Lru();
  const all = await found(() => [pages, free, remember, lru]);
  const limitsOf = (object: unknown, kind = 'Map'): unknown =>
    all.find((each) => each.object === object && each.kind === kind)?.limits;
  expect(limitsOf(pages)).toEqual({ bound: 800 });
  expect(limitsOf(free)).toBeUndefined();
  // In the methods of a class the bound is a field of any name.
  expect(limitsOf(lru.map)).toEqual({ bound: 900 });
  // The lists in its entries are not bounded by it.
  expect(limitsOf(pages, 'lists')).toBeUndefined();
});

test('the Map of a cache that keeps its values in lists beside it has those lists', async () => {
  class Recent {
    readonly #next = new Uint16Array(500);
    readonly #previous = new Uint16Array(500);
    readonly #keys = Array.from({ length: 500 }, (_, i) => `key ${i}`);
    readonly #values = Array.from({ length: 500 }, (_, i) => ({ i, text: 'x'.repeat(2000) + i }));
    readonly index = new Map(this.#keys.map((key, i) => [key, i]));
    readonly counters = new Map([['hits', this.#next.length + this.#previous.length + this.#values.length]]);
  }
  const recent = new Recent();
  const all = await found(() => recent);
  const of = (object: unknown): FoundContainer | undefined => all.find((each) => each.object === object);
  expect(of(recent.index)?.beside?.map(({ length }) => length)).toEqual([500, 500]);
  expect(of(recent.index)?.limits).toEqual({ bound: 500, isOfOwner: true });
  const counts = new ContainerCounts();
  const grown = of(recent.index) as FoundContainer;
  recent.index.clear();
  for (let i = 0; i < 400; i++) {
    recent.index.set(`key ${i}`, i);
    if (i % 10 === 9) counts.add([grown], 100 * i, 1e6 * i);
    counts.look(100 * i, 1e6 * i);
  }
  expect(counts.grown()[0]).toMatchObject({ shape: 'filling', bound: 500, isOfOwner: true });
  expect(counts.grown()[0]?.entryBytes).toBeGreaterThan(2000);
});

test('results of promises and variables of generators lead on', async () => {
  const results: number[] = [];
  const tail = Promise.resolve({ results });
  function* collect(): Generator<number, void, number> {
    const turns = new Set<number>();
    for (;;) {
      // It has no value yet where the generator waits.
      const turn = yield turns.size;
      turns.add(turn);
    }
  }
  const collector = collect();
  collector.next();
  collector.next(1);
  const all = await found(() => [tail, collector]);
  expect(pathOf(all, results)).toBe('"request" listener > variable tail > [[PromiseResult]] > results');
  expect(all.map(({ path }) => path.map(({ via }) => via).join(' > '))).toContain(
    '"request" listener > variable collector > variable turns',
  );
});

test('classes of the program are not taken for those of Node.js, nor a server with many methods for data', async () => {
  class Agent {
    readonly children: object[] = [];
  }
  const agent = new Agent();
  const visits = new Map([['a', 1]]);
  const methods = Array.from({ length: 90 }, (_, i) => [`method${i}`, () => i] as const);
  const app: Readonly<Record<string, unknown>> = Object.fromEntries([
    ...methods,
    ['visits', visits] as const,
  ]);
  const all = await found(() => [agent, app, new http.Agent()]);
  expect(pathOf(all, agent.children)).toBe('"request" listener > variable agent > children');
  expect(pathOf(all, visits)).toBe('"request" listener > variable app > visits');
  expect(all.filter(({ path }) => path.some(({ via }) => via === 'freeSockets'))).toEqual([]);
});

test('closures of scripts that are not the program stay closed', async () => {
  const sessions = new Map([['a', 1]]);
  expect(
    await found(
      () => sessions,
      () => 'other',
    ),
  ).toEqual([]);
});

/** A function of another script, which holds what it is given. */
function ofPackage(value: unknown, filename = '/node_modules/router/index.js'): () => unknown {
  const make = runInThisContext('(value) => () => value', { filename });
  return (make as (value: unknown) => () => unknown)(value);
}

test('what the program reaches comes before what its packages have', async () => {
  const sessions = new Map([['a', 1]]);
  const handler = (): unknown => sessions;
  const tables = Array.from({ length: 40 }, (_, i) => Array.from({ length: i }, (__, n) => n));
  const router = ofPackage([...tables, handler, ...tables.map((list) => new Set(list))]);
  using scopes = FunctionScopes.open() as FunctionScopes;
  const program = scopes.openedOf(handler)?.scriptId;
  const origins = (id: string): ScriptOrigin | undefined => (id === program ? 'program' : undefined);
  const all = await found(router, origins, 90);
  expect(pathOf(all, sessions)).toBe('"request" listener > variable value > [40] > variable sessions');
  // Packages have very many short lists.
  const short = all.filter(({ kind, object }) => kind === 'Array' && (object as unknown[]).length < 16);
  expect(short).toEqual([]);
  expect(pathOf(all, tables[20])).toBe('"request" listener > variable value > [20]');
  // The handler was found when half of the lists were still to come.
  expect(pathOf(all, (await found(router, origins, 50)).at(0)?.object)).toBeDefined();
  expect(all.filter(({ kind }) => kind === 'Set').length).toBeLessThan(24);
});

test('what packages reach first is looked into at once when the program reaches it, too', async () => {
  const sessions = new Map([['a', 1]]);
  const app = { plugins: { sessions } };
  const handler = ofPackage(app, '/app/server.js');
  const tables = Array.from({ length: 60 }, (_, i) => ({ i, of: { i } }));
  using scopes = FunctionScopes.open() as FunctionScopes;
  const program = scopes.openedOf(handler)?.scriptId;
  const origins = (id: string): ScriptOrigin | undefined => (id === program ? 'program' : 'package');
  const all = await found(ofPackage([app, ...tables, handler]), origins, 75);
  expect(pathOf(all, sessions)).toBe(
    '"request" listener > variable value > [61] > variable value > plugins > sessions',
  );
});

test('what weak maps keep is found by keys that something else keeps', async () => {
  const app = { name: 'app' };
  const notes: string[] = [];
  const perApp = new WeakMap<object, object>([[app, { notes }]]);
  // The key is reached after the weak map, and the walk ends before all else is seen.
  const others = Array.from({ length: 60 }, () => new Set());
  const all = await found(ofPackage([perApp, app, ...others]), undefined, 20);
  expect(pathOf(all, notes)).toBe('"request" listener > variable value > [0] > [Object] > notes');
  expect(pathOf(await found(ofPackage([perApp])), notes)).toBeUndefined();
});

function withGetter(value: unknown): object {
  return {
    get router(): unknown {
      return value;
    },
  };
}

test('bound functions and getters lead on by what they hold', async () => {
  const app = withGetter(new Set([1]));
  const all = await found(ofPackage(ofPackage(new Map([['a', 1]])).bind(app)));
  const bound = '"request" listener > variable value';
  // The walk finds what the test runner has, too.
  expect(all.map(({ path }) => path.map(({ via }) => via).join(' > '))).toEqual(
    expect.arrayContaining([
      `${bound} > [[TargetFunction]] > variable value`,
      `${bound} > [[BoundThis]] > router > variable value`,
    ]),
  );
});

test('no getter of the program runs and proxies are left alone', async () => {
  let ran = 0;
  const trap = (): never => {
    ran++;
    throw new Error('not ours to call');
  };
  const state = {
    get list(): unknown[] {
      return trap();
    },
    proxy: new Proxy({}, { get: trap, ownKeys: trap, getOwnPropertyDescriptor: trap }),
    entries: new Set([1]),
  };
  const all = await found(() => state);
  expect(pathOf(all, state.entries)).toBe('"request" listener > variable state > entries');
  expect(ran).toBe(0);
});

test('data in a large container is not walked, and the walk ends after so many objects', async () => {
  const rows = Array.from({ length: 1000 }, (_, i) => ({ tags: new Set([i]) }));
  const all = await found(() => rows);
  expect(pathOf(all, rows)).toBe('"request" listener > variable rows');
  const below = all.filter(({ path }) => path.length > 2 && path[1]?.via === 'variable rows');
  expect(below.map(({ kind }) => kind).filter((kind) => kind === 'Set')).toEqual([]);
  const deep = { list: [] as unknown[] };
  expect(await found(() => deep, undefined, 1)).toEqual([]);
});

test('a walk keeps nothing alive, leaves no global and does not stop a sampler', async () => {
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.startSampling', { samplingInterval: 1024 });
  const refs = await (async () => {
    const sessions = new Map([['a', {}]]);
    await found(() => sessions);
    return new WeakRef(sessions);
  })();
  expect(Object.getOwnPropertySymbols(globalThis).map(String)).not.toContain('Symbol(plimsoll.scopes.v1)');
  await expect
    .poll(
      () => {
        session.post('HeapProfiler.collectGarbage');
        return refs.deref() === undefined;
      },
      { timeout: 50_000 },
    )
    .toBe(true);
  let samples = 0;
  session.post('HeapProfiler.getSamplingProfile', (error, answer) => {
    if (error === null) samples = (answer.profile as unknown as { samples: unknown[] }).samples.length;
  });
  expect(samples).toBeGreaterThan(0);
  session.disconnect();
});

test('chains of objects and of closures are found by their second link', async () => {
  type Link = { next: Link | null };
  const journal: { head: Link | null } = { head: null };
  let onDone = (): number => 0;
  for (let i = 0; i < 200; i++) {
    journal.head = { next: journal.head };
    const previous = onDone;
    onDone = () => previous() + i;
  }
  const all = await found(() => [journal, onDone]);
  expect(all.find(({ kind }) => kind === 'chain')).toMatchObject({
    object: journal,
    links: { first: 'head', next: 'next' },
  });
  expect(all.find(({ kind }) => kind === 'closures')).toMatchObject({ count: 120 });
  expect(all.find(({ kind }) => kind === 'closures')?.path.at(-1)?.via).toBe('variable previous');
});

class Queue {
  #head: { next: unknown } | null = null;
  add(): void {
    this.#head = { next: this.#head };
  }
}

test('a chain that hangs on a private field is counted from its first link', async () => {
  const queue = new Queue();
  for (let i = 0; i < 200; i++) queue.add();
  const all = await found(() => queue);
  const chain = all.find(({ kind }) => kind === 'chain');
  expect(chain).toMatchObject({ links: { first: undefined, next: 'next' } });
  expect(chain?.path.map(({ via }) => via)).toEqual([
    '"request" listener',
    'variable queue',
    '#head',
    'next',
  ]);
  const counts = new ContainerCounts();
  for (let i = 0; i < 10; i++) {
    for (let n = 0; n < 100; n++) queue.add();
    counts.add(await found(() => queue), 1e6 * i, 1e6 * i);
  }
  expect(counts.grown()[0]).toMatchObject({ kind: 'chain', count: 1200, gained: 900 });
});

/** A function that reaches another one by a variable of this name; the innermost reaches itself. */
function knowing(other?: () => unknown): () => unknown {
  const cors: () => unknown = other ?? (() => cors);
  return other === undefined ? cors : () => cors;
}

test('functions that know one another in a circle are no chain', async () => {
  const first = knowing(knowing(knowing()));
  const all = await found(() => first);
  expect(all.map(({ kind }) => kind)).not.toContain('closures');
});

class Conversation {
  readonly #turns: string[] = [];
  add(turn: string): void {
    this.#turns.push(turn);
  }
}

test('lists in the entries of a container are found as one', async () => {
  const byUser = new Map(Array.from({ length: 300 }, (_, i) => [`u${i}`, [i, i]] as [string, number[]]));
  const tenants = new Map(
    Array.from({ length: 300 }, (_, i) => [i, { events: new Set([i]), name: `t${i}` }] as const),
  );
  const open = new Map(
    Array.from({ length: 300 }, (_, i) => {
      const conversation = new Conversation();
      for (let n = 0; n < 5; n++) conversation.add(`turn ${n}`);
      return [i, conversation] as const;
    }),
  );
  const scores = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`user-${i}`, [i]]));
  const ids = new Map(Array.from({ length: 300 }, (_, i) => [i, `id ${i}`] as const));
  const all = await found(() => [byUser, tenants, open, scores, ids]);
  const lists = all
    .filter(({ kind }) => kind === 'lists')
    .map(({ path, count }) => [
      path
        .slice(1)
        .map(({ via }) => via)
        .join(' > '),
      count,
    ])
    // The walk finds the lists of the test runner, too.
    .filter(([path]) => /^variable (?:byUser|tenants|open|scores|ids) /.test(String(path)));
  expect(lists).toEqual([
    ['variable byUser > any entry', undefined],
    ['variable tenants > any entry > events', undefined],
    ['variable open > any entry > #turns', 1500],
    ['variable scores > any entry', undefined],
  ]);
});

test('an object with very many keys is listed once and sampled, and no getter of it runs', async () => {
  const nodes = Object.fromEntries(Array.from({ length: 100_001 }, (_, i) => [`key ${i}`, { edges: [i] }]));
  Object.defineProperty(nodes, 'key 0', {
    enumerable: true,
    get: (): never => {
      throw new Error('not ours to call');
    },
  });
  using scopes = FunctionScopes.open() as FunctionScopes;
  const huge = new WeakSet();
  const walk = async (): Promise<FoundContainer | undefined> => {
    const roots = [{ via: 'listener', value: () => nodes }];
    const all = await walkContainers(roots, { scopes, originOf: () => 'program', huge });
    return all.find(({ object, kind }) => object === nodes && kind === 'object');
  };
  expect((await walk())?.sample).toMatchObject({ size: 100_001 });
  expect(huge.has(nodes)).toBe(true);
  expect((await walk())?.sample).toBeUndefined();
});

test('a walk between two heap snapshots leaves the ids of objects as they are', () => {
  const from = (file: string): string => JSON.stringify(import.meta.resolve(file));
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-walk-'));
  const script = `
    import v8 from 'node:v8';
    import { FunctionScopes } from ${from('./function-scopes.ts')};
    import { walkContainers } from ${from('./container-walk.ts')};
    const sessions = new Map([[1, {}]]);
    let done = Array.from({ length: 5000 }, (_, i) => ({ i }));
    v8.writeHeapSnapshot('1.heapsnapshot');
    done = undefined;
    {
      using scopes = FunctionScopes.open();
      await walkContainers([{ via: 'listener', value: () => sessions }], { scopes, originOf: () => 'program' });
    }
    v8.writeHeapSnapshot('2.heapsnapshot');`;
  const args = ['--conditions=plimsoll-source', '--input-type=module', '--eval', script];
  expect(spawnSync(process.execPath, args, { cwd: dir, encoding: 'utf8' }).stderr).toBe('');
  // V8 counts ids up, and 5,000 objects are gone. Numbered anew, the newest object would have a number as low as the first time.
  const [first, second] = ['1', '2'].map((name) => {
    const { nodes } = JSON.parse(readFileSync(join(dir, `${name}.heapsnapshot`), 'utf8')) as {
      nodes: number[];
    };
    const ids = nodes.filter((_, i) => i % 6 === 2);
    return { count: ids.length, most: ids.reduce((a, b) => Math.max(a, b), 0) };
  }) as [{ count: number; most: number }, { count: number; most: number }];
  rmSync(dir, { recursive: true });
  expect(first.most).toBeLessThanOrEqual(2 * first.count);
  expect(second.most).toBeGreaterThan(2 * second.count + 5000);
});
