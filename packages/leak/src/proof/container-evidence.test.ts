import { expect, test } from 'vitest';
import type { GrownContainer } from '../containers/container-counts.ts';
import { growthRecordOf, judgementOf } from './growth-record.fixture.ts';
import type { FunctionPlace } from './growth-record.ts';
import { proofOf, type Proof } from './proof.ts';

const MiB = 1024 * 1024;

const sessions: GrownContainer = {
  path: [
    { via: '"request" listener', name: '(anonymous)()' },
    { via: 'variable hub', name: 'Hub' },
    { via: '#streams', name: 'Map' },
  ],
  kind: 'Map',
  count: 2700,
  gained: 2500,
  entryBytes: 1740,
  isLight: false,
  hasTexts: true,
  shape: 'growing',
  odds: 9,
  formerPace: 0,
};

const refused = {
  objects: 600_000,
  neededBytes: 1e8,
  stopMs: 45_000,
  freeBytes: 4e9,
  maxStopMs: 2000,
  for: 'pause',
} as const;

test('a container that rises with the floors is named where no snapshot fits', () => {
  const record = growthRecordOf(
    { heap: judgementOf('growing', 16 * MiB) },
    { containers: [sessions], refused },
  );
  const { verdict, why, findings } = proofOf(record, undefined);
  expect(verdict).toBe('leak');
  expect(why).toContain(
    'hub.#streams (Map) gained 2,500 entries of about 1.7 KiB each while it was watched and holds 2,700.',
  );
  expect(findings).toMatchObject([
    {
      kind: 'growth',
      severity: 'medium',
      subject: 'entries of hub.#streams',
      bytes: 2500 * 1740,
      fix: 'remove entries from hub.#streams when their work ends, or give it a bound (a keeper of @plimsoll/keep).',
    },
  ]);
  expect(findings[0]?.trace?.map(({ via, name }) => `${via} ${name}`)).toEqual([
    ' a server of the program',
    '"request" listener (anonymous)',
    'variable hub Hub',
    '#streams Map',
  ]);
});

test('a cache that knows its bound and is below it accuses nobody', () => {
  const bounded = { ...sessions, shape: 'filling', bound: 3500 } as const;
  const of = (container: GrownContainer, shape: 'growing' | 'ended' | 'unclear' = 'growing') =>
    proofOf(
      growthRecordOf({ heap: judgementOf(shape, 4 * MiB) }, { containers: [container], refused }),
      undefined,
    );
  expect(of(bounded)).toMatchObject({ verdict: 'undecided', findings: [] });
  expect(of(bounded).why).toContain(
    'hub.#streams accounts for it and is a cache that fills: 2,700 of at most 3,500 entries.',
  );
  expect(of({ ...bounded, count: 3500 }).why).toContain(
    'hub.#streams accounts for it and is a cache that is full: 3,500 of at most 3,500 entries.',
  );
  expect(of({ ...bounded, isLight: true, entryBytes: 0 }).why).toContain('a cache that fills');
  // Its name says more than the class of its keys in the snapshots.
  const keys = { counts: [9, 99], bytes: [0, 9 * MiB], fresh: 90, keptBytes: 0, newBytes: 0, trace: [] };
  const growth = [{ ...keys, name: '(string)', bound: { limit: 3500 }, summary: '(string) 9 → 99' }];
  const found = proofOf(
    growthRecordOf({ heap: judgementOf('growing', 4 * MiB) }, { containers: [bounded] }),
    { growth, swollen: [], suspects: [], wrappers: [] } as never,
  );
  expect(found.why).toContain('hub.#streams accounts for it and is a cache that fills: 2,700 of at most');
  // A few entries of unknown size do not account for it.
  const few = { ...bounded, isLight: true, entryBytes: 0, gained: 70 };
  expect(of(few).why).not.toContain('a cache that fills');
  // The floors alone leave it open, too, and the reason still says what it is.
  expect(of(bounded, 'unclear')).toMatchObject({ verdict: 'undecided', findings: [] });
  expect(of(bounded, 'unclear').why).toContain('a cache that fills: 2,700 of at most 3,500 entries.');
  // lru-cache keeps its values in another list than its keys.
  expect(of({ ...bounded, count: 3500, entryBytes: 90, hasTexts: false }, 'unclear').why).toContain(
    'hub.#streams is a cache that is full: 3,500 of at most 3,500 entries; run it longer to see whether anything else grows.',
  );
  expect(of(bounded, 'ended').verdict).toBe('clean');
  const young = { ...sessions, shape: 'filling', keepsMs: 300_000 } as const;
  expect(of(young)).toMatchObject({ verdict: 'undecided', findings: [] });
  expect(of(young).why).toContain(
    'is a cache that fills: it keeps each entry for 5 m, longer than it was watched.',
  );
});

test('lists per key as short as a window of messages accuse nobody yet; longer ones do', () => {
  const path = [...sessions.path, { via: '[…]', name: 'Array' }];
  const windows: GrownContainer = { ...sessions, path, kind: 'lists', count: 3150, lists: 150 };
  const proofWith = (container: GrownContainer) =>
    proofOf(
      growthRecordOf({ heap: judgementOf('growing', 4 * MiB) }, { containers: [container] }),
      undefined,
    );
  const { verdict, why, findings } = proofWith(windows);
  expect([verdict, findings]).toEqual(['undecided', []]);
  expect(why).toContain('21 each: windows that are not full yet look the same, so run it longer.');
  expect(proofWith({ ...windows, count: 9000 }).verdict).toBe('leak');
});

test('the same container has the same fingerprint in every run', () => {
  const of = (each: GrownContainer): string | undefined =>
    proofOf(growthRecordOf({ heap: judgementOf('growing', 16 * MiB) }, { containers: [each] }), undefined)
      .findings[0]?.fingerprint;
  expect(of(sessions)).toBe(of({ ...sessions, count: 9, gained: 8000 }));
});

test.each(['unclear', 'slowing'] as const)(
  '%s floors are decided by a container beyond doubt only',
  (shape) => {
    const verdictOf = (container: Partial<GrownContainer>): string =>
      proofOf(
        growthRecordOf(
          { heap: judgementOf(shape, 6 * MiB) },
          { containers: [{ ...sessions, ...container }] },
        ),
        undefined,
      ).verdict;
    expect(verdictOf({})).toBe('leak');
    expect(verdictOf({ odds: 1 })).toBe('undecided');
    expect(verdictOf({ entryBytes: 100 })).toBe('undecided');
    expect(verdictOf({ shape: 'ended' })).toBe('undecided');
  },
);

test('a table that was found half full and gains less than before is no leak where the floors slow down', () => {
  const verdictOf = (shape: 'unclear' | 'slowing', formerPace: number): string => {
    const containers = [{ ...sessions, formerPace }];
    return proofOf(growthRecordOf({ heap: judgementOf(shape, 6 * MiB) }, { containers }), undefined).verdict;
  };
  expect(verdictOf('slowing', 2.5)).toBe('undecided');
  expect(verdictOf('slowing', 1.1)).toBe('leak');
  expect(verdictOf('unclear', 2.5)).toBe('leak');
});

test('growth whose container came to rest accuses nobody', () => {
  const record = growthRecordOf(
    { heap: judgementOf('growing', 6 * MiB) },
    { containers: [{ ...sessions, shape: 'ended' }] },
  );
  expect(proofOf(record, undefined)).toMatchObject({
    verdict: 'undecided',
    why: expect.stringContaining(
      'hub.#streams accounts for it and has come to rest at 2,700 entries.',
    ) as string,
    findings: [],
  });
});

test('floors that do not grow are clean, whatever a container does', () => {
  const record = growthRecordOf({}, { containers: [sessions] });
  expect(proofOf(record, undefined).verdict).toBe('clean');
});

test('listeners, timers and chains are named by what holds them', () => {
  const whyOf = (container: Partial<GrownContainer>): string => {
    const each = { ...sessions, isLight: true, entryBytes: 0, ...container };
    const record = growthRecordOf({ heap: judgementOf('growing', 16 * MiB) }, { containers: [each] });
    const { why, findings } = proofOf(record, undefined);
    return `${why.slice(why.indexOf('; ') + 2)} ${findings[0]?.fix}`;
  };
  const listeners = [
    { via: '"request" listener', name: '(anonymous)()' },
    { via: 'variable shutdown', name: 'AbortController' },
    { via: '#signal', name: 'AbortSignal' },
    { via: 'kEvents', name: 'SafeMap' },
    { via: '[abort]', name: 'Object' },
  ];
  expect(whyOf({ kind: 'listeners', path: listeners })).toMatchInlineSnapshot(
    `"shutdown.#signal ("abort" listeners) gained 2,500 listeners while it was watched and holds 2,700. remove the abort listener when the work ends, or give the work a signal of its own (scope.signal forwards a long-lived one and drops it on close)."`,
  );
  const lists = [
    { via: 'variable events', name: 'Map' },
    { via: 'any entry', name: 'Object' },
    { via: 'items', name: 'Array' },
  ];
  expect(whyOf({ kind: 'lists', path: lists, entryBytes: 1740, isLight: false })).toMatchInlineSnapshot(
    `"the lists events[…].items gained 2,500 entries of about 1.7 KiB each while they were watched and hold 2,700 together. give each list events[…].items a bound, or remove entries from it when their work ends."`,
  );
  expect(
    whyOf({ kind: 'resources', path: [{ via: 'timers that wait', name: 'Timeout' }] }),
  ).toMatchInlineSnapshot(
    `"2,700 timers wait, 2,500 more than when they were first counted. clear the timer when the work ends (clearTimeout in finally, or scope.own(() => clearTimeout(timer)))."`,
  );
  const chain = [
    { via: 'variable journal', name: 'Object' },
    { via: 'head', name: 'Object' },
    { via: 'next', name: 'Object' },
  ];
  expect(whyOf({ kind: 'chain', path: chain })).toMatchInlineSnapshot(
    `"journal.head gained 2,500 links while it was watched and holds 2,700. drop old links of journal.head: each one keeps the one before it by "next"."`,
  );
  const closures = [
    { via: 'variable onDone', name: 'onDone()' },
    { via: 'variable previous', name: 'onDone()' },
  ];
  expect(whyOf({ kind: 'closures', path: closures, count: 120, gained: 120 })).toMatchInlineSnapshot(
    `"onDone leads to a chain of 120 closures or more. drop old links of onDone: each one keeps the one before it by "previous"."`,
  );
});

test('timers of requests that wait on a busy machine accuse nobody', () => {
  const timers: GrownContainer = {
    ...sessions,
    kind: 'resources',
    path: [{ via: 'timers that wait', name: 'Timeout' }],
    count: 162,
    gained: 162,
    entryBytes: 0,
    isLight: true,
  };
  const text: GrownContainer = { ...sessions, shape: 'unclear', odds: 0.5 };
  const whyOf = (containers: readonly GrownContainer[]): string =>
    proofOf(growthRecordOf({ heap: judgementOf('growing', 16 * MiB) }, { containers }), undefined).why;
  expect(whyOf([timers])).toContain('no snapshot was taken');
  // Many timers are accused alone, but not those of the sessions that a rising load has.
  const many = { ...timers, count: 2700, gained: 2500 };
  expect(whyOf([many])).toContain('2,700 timers wait');
  const live: GrownContainer = { ...sessions, shape: 'leaving', entryBytes: 4000 };
  expect(whyOf([live, many])).toContain('lets go of old entries');
  expect(whyOf([timers, text])).toContain('hub.#streams');
});

test('a run that native memory leaves open names the container that rises', () => {
  const native = { ...judgementOf('unclear', 130 * MiB), odds: 0.3 };
  const container: GrownContainer = { ...sessions, isLight: true, entryBytes: 0 };
  const { verdict, why } = proofOf(growthRecordOf({ native }, { containers: [container] }), undefined);
  expect(verdict).toBe('undecided');
  expect(why).toContain(
    '; hub.#streams (Map) gained 2,500 entries while it was watched and holds 2,700: run it longer to see whether it goes on.',
  );
});

test('clean is not said of floors that rest while a container still gains', () => {
  const of = (shape: GrownContainer['shape']): string =>
    proofOf(
      growthRecordOf({ heap: judgementOf('ended', 4 * MiB) }, { containers: [{ ...sessions, shape }] }),
      undefined,
    ).verdict;
  expect(of('growing')).toBe('undecided');
  expect(of('ended')).toBe('clean');
});

test('a container that rises beyond doubt is a leak where the floors are too wide apart to show or deny it', () => {
  const wide = { perHour: 100 * MiB, low: -300 * MiB, high: 500 * MiB };
  const proofWith = (rate: typeof wide, container: Partial<GrownContainer> = {}): Proof => {
    const heap = { ...judgementOf('ended', 4 * MiB), rate };
    return proofOf(growthRecordOf({ heap }, { containers: [{ ...sessions, ...container }] }), undefined);
  };
  const of = (...given: Parameters<typeof proofWith>): string => proofWith(...given).verdict;
  expect(of(wide)).toBe('leak');
  expect(proofWith(wide).why).toMatch(
    /^the live heap grew by 4\.0 MiB over \d+ floors, which alone do not show that it goes on; hub\.#streams/,
  );
  expect(of({ ...wide, high: 200 * MiB })).toBe('undecided');
  expect(of(wide, { odds: 2 })).toBe('undecided');
  expect(of(wide, { formerPace: 2 })).toBe('undecided');
  expect(of(wide, { entryBytes: 80 })).toBe('undecided');
});

test('a container whose entries weigh a fraction of the growth is accused only where they hold texts', () => {
  const verdictOf = (container: Partial<GrownContainer>): string =>
    proofOf(
      growthRecordOf(
        { heap: judgementOf('growing', 16 * MiB) },
        { containers: [{ ...sessions, entryBytes: 300, ...container }] },
      ),
      undefined,
    ).verdict;
  expect(verdictOf({ hasTexts: true })).toBe('leak');
  expect(verdictOf({ hasTexts: false })).toBe('undecided');
  expect(verdictOf({ hasTexts: true, entryBytes: 100 })).toBe('undecided');
  expect(verdictOf({ hasTexts: false, entryBytes: 700 })).toBe('leak');
});

test('a container that was found too late to be judged names the holder of a leak whose functions are known', () => {
  const site = { function: 'record', file: '/app/server.ts', line: 41, perHour: 1e9, low: 9e8, high: 1.1e9 };
  const late: GrownContainer = { ...sessions, shape: 'few', odds: 0 };
  const heap = judgementOf('growing', 16 * MiB);
  const known = proofOf(growthRecordOf({ heap }, { containers: [late], sites: [site], refused }), undefined);
  expect(known).toMatchObject({ verdict: 'leak', findings: [{ holder: 'hub.#streams' }] });
  const unknown = proofOf(growthRecordOf({ heap }, { containers: [late], refused }), undefined);
  expect(unknown.verdict).toBe('undecided');
});

test('a dependency that allocates is said with the function of the program that called it', () => {
  const place = (name: string, file: string, line: number): FunctionPlace => ({ function: name, file, line });
  const site = {
    ...place('json', '/app/node_modules/hono/dist/cjs/request.js', 106),
    perHour: 1e9,
    low: 9e8,
    high: 1.1e9,
  };
  const proofWith = (callers: readonly FunctionPlace[]): ReturnType<typeof proofOf> =>
    proofOf(
      growthRecordOf({ heap: judgementOf('growing', 16 * MiB) }, { sites: [{ ...site, callers }], refused }),
      undefined,
    );
  const called = proofWith([
    place('dispatch', '/app/node_modules/hono/dist/cjs/hono-base.js', 207),
    place('chat', '/app/server.mjs', 14),
    place('main', '/app/server.mjs', 40),
  ]);
  expect(called.why).toContain(
    '; what stays is allocated by json (/app/node_modules/hono/dist/cjs/request.js:106), called from chat (/app/server.mjs:14), and ',
  );
  expect(called.findings[0]).toMatchObject({ site: 'chat (/app/server.mjs:14)' });
  expect(called.findings[0]?.fix).toContain('find who keeps what chat allocates');
  expect(proofWith([]).why).toContain('request.js:106), which is no code of the program, and ');
});

test('a helper of the program that allocates is said with the function that called it', () => {
  const site = { function: 'prose', file: '/app/text.mjs', line: 3, perHour: 1e9, low: 9e8, high: 1.1e9 };
  const callers: readonly FunctionPlace[] = [{ function: 'heartbeat', file: '/app/server.mjs', line: 4 }];
  const heap = judgementOf('growing', 16 * MiB);
  const proof = proofOf(growthRecordOf({ heap }, { sites: [{ ...site, callers }], refused }), undefined);
  expect(proof.why).toContain(
    '; what stays is allocated by prose (/app/text.mjs:3), called from heartbeat (/app/server.mjs:4), and ',
  );
  expect(proof.findings[0]).toMatchObject({ site: 'prose (/app/text.mjs:3)' });
});

test('where the floors are too few to show any growth no container is accused', () => {
  const verdictOf = (growthBytes: number): string =>
    proofOf(
      growthRecordOf(
        { heap: judgementOf('few', growthBytes, 2) },
        { containers: [{ ...sessions, odds: 29 }] },
      ),
      undefined,
    ).verdict;
  expect(verdictOf(0)).toBe('undecided');
  expect(verdictOf(4 * MiB)).toBe('leak');
});

test('the class of the entries is said where they have one of their own', () => {
  const { why, findings } = proofOf(
    growthRecordOf(
      { heap: judgementOf('growing', 16 * MiB) },
      { containers: [{ ...sessions, entryClass: 'Upload' }] },
    ),
    undefined,
  );
  expect(why).toContain(' entries (Upload) of about ');
  expect(findings[0]?.trace?.at(-1)).toMatchObject({ name: 'Upload', via: 'any entry' });
});

test('a function whose objects are replaced by larger ones is not accused alone', () => {
  const site = { function: 'text', file: '/app/server.ts', line: 11, perHour: 1e9, low: 9e8, high: 1.1e9 };
  const proofWith = (replaced: number): ReturnType<typeof proofOf> =>
    proofOf(
      growthRecordOf({ heap: judgementOf('growing', 16 * MiB) }, { sites: [{ ...site, replaced }], refused }),
      undefined,
    );
  expect(proofWith(0.02).verdict).toBe('leak');
  const open = proofWith(0.48);
  expect(open.verdict).toBe('undecided');
  expect(open.why).toContain('allocates 48 % takes the place of older objects');
});

test('a known leak of a framework is told by its container, with its cure and without a snapshot', () => {
  const path = [
    { via: 'variable shutdown', name: 'AbortController' },
    { via: '#signal', name: 'AbortSignal' },
    { via: 'kEvents', name: 'Map' },
    { via: '[abort]', name: 'Object' },
  ];
  const file = 'file:///app/node_modules/ai/dist/index.js';
  const listeners = { ...sessions, path, kind: 'listeners', entryBytes: 0, isLight: true } as const;
  const proofWith = (container: GrownContainer): ReturnType<typeof proofOf> =>
    proofOf(
      growthRecordOf({ heap: judgementOf('growing', 16 * MiB) }, { containers: [container], refused }),
      undefined,
    );
  const { why, findings } = proofWith({ ...listeners, listener: { name: 'cancelOnAbort()', file } });
  expect(why).toContain('shutdown.#signal ("abort" listeners) gained 2,500 listeners (cancelOnAbort())');
  expect(findings[0]).toMatchObject({
    knownLeak: { name: expect.stringContaining('streamText keeps a listener') },
    fix: expect.stringContaining('pass a signal that lives as long as the call'),
  });
  expect(findings[0]?.trace?.at(-1)).toMatchObject({ type: 'function', name: 'cancelOnAbort' });
  // The same name in a file of somebody else, or in one that is not known, is no known leak.
  const other = { name: 'cancelOnAbort()', file: 'file:///app/node_modules/other/index.js' };
  expect(proofWith({ ...listeners, listener: other }).findings[0]?.knownLeak).toBeUndefined();
  expect(proofWith({ ...listeners, listener: { name: other.name } }).findings[0]?.knownLeak).toBeUndefined();
  const runs = [
    { via: 'variable mastra', name: 'Mastra' },
    { via: '#workflows', name: 'Object' },
    { via: 'flow', name: 'Workflow' },
    { via: '#runs', name: 'Map' },
  ];
  expect(proofWith({ ...sessions, path: runs, entryClass: 'Run' }).findings[0]?.knownLeak?.name).toContain(
    'every run that was created and never started',
  );
});

test('small views of large buffers are to be copied', () => {
  const heads: GrownContainer = { ...sessions, slicedBytes: 64 * 1024 };
  const record = growthRecordOf({ heap: judgementOf('growing', 16 * MiB) }, { containers: [heads], refused });
  expect(proofOf(record, undefined).findings[0]?.fix).toBe(
    'copy what hub.#streams keeps (Buffer.from(view)): each small view keeps its whole buffer of about 64.0 KiB.',
  );
});
