import { expect, test } from 'vitest';
import { analyze, analyzeOpened, isAtLeast } from '../analysis.ts';
import { open } from '../opened-snapshot.ts';
import { HeapFixture } from '../trace/heap.fixture.ts';
import { analysisText } from './analysis-text.ts';
import { bytesText, countText, msText } from '../byte-text.ts';
import { colours } from './paint.ts';
import { classText, nodeText, scopeText } from './question-text.ts';
import { renderHtml } from './analysis-html.ts';
import { sparkline } from './sparkline.ts';
import { textTable } from './table.ts';

/** Two scopes, one closed and still held by a registry; a replay buffer; a known leak. */
function heap(): HeapFixture {
  const built = new HeapFixture().mention('registry', 'runs', 'embeddingCache', 'output', 'chunks');
  const registry = built.property(built.global, 'registry', 'object', 'RunRegistry', 100);
  const runs = Array.from({ length: 40 }, (_, i) => {
    const run = built.node('object', 'Run', 200);
    const output = built.property(run, 'output', 'object', 'ReplayBuffer', 3000);
    built.array(output, 'chunks', [built.string(`<b>chunk ${i}</b>`, 500)]);
    return [built.string(`run-${i}`), run] as const;
  });
  built.map(registry, 'runs', runs);
  const memory = built.property(built.global, 'memory', 'object', 'Memory');
  const cached = Array.from(
    { length: 30 },
    (_, i) => [built.string(`k${i}`), built.node('object', 'Vector', 3000)] as const,
  );
  built.map(memory, 'embeddingCache', cached);
  const marks = Array.from({ length: 22 }, (_, i) => {
    const mark = built.node('object', 'PlimsollScopeRoot');
    built.edge(mark, 'property', 'path', built.string(`process/run:${i}`));
    built.edge(mark, 'property', 'state', built.string(i === 7 ? 'closed' : 'open'));
    built.array(
      mark,
      'roots',
      i === 3 ? runs.slice(30, 33).map(([, run]) => run) : [(runs[i] as (typeof runs)[0])[1]],
    );
    return mark;
  });
  built.array(built.global, 'marks', marks);
  built.array(
    built.global,
    'textCopies',
    Array.from({ length: 60 }, () => built.string('the same text', 100)),
  );
  return built;
}

const stable = (text: string): string =>
  text.replace(/^read .*$/m, 'read # ms').replaceAll(/peak memory [\d.]+ \w+/g, 'peak memory #');

test('the analysis as text', async () => {
  const analysis = await analyze(heap().stream(), { top: 6 });
  expect(stable(analysisText(analysis))).toMatchInlineSnapshot(`
    "stream  248.4 KiB heap, 489 nodes, 658 edges
    read # ms

    suspect 1 of 2   fingerprint 7c7f527c5f85   high
      RunRegistry.runs (Map) holds 40 × Run, 3.7 KiB each, 146.7 KiB (59 % of the heap); 3 % are over: their scopes are closed
      ┬ root: global                     not leaking: the global object
      │    ↓ registry
      ├─ RunRegistry
      │    ↓ runs : Map → get(<serial:5>) 40 entries
      │      ~~~~~~~~~~~~~~~~~~~~~~~~~~~~
      ├─ Run                             leaking: its scope process/run:7 is closed   scope process/run:7
      │    ↓ output
      ╰→ ReplayBuffer
      code: registry.runs.get(<serial:5>)
      keys: generated (serial); a collection keyed so is never full by itself

    suspect 2 of 2   fingerprint 58401fd7282b   high
      Memory.embeddingCache (Map) holds 30 × Vector, 2.9 KiB each, 87.9 KiB (35 % of the heap)
      ┬ root: global                     not leaking: the global object
      │    ↓ memory
      ├─ Memory
      │    ↓ embeddingCache : Map → get(<serial:3>) 30 entries
      │      ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
      ╰→ Vector                          one of 30 alike
      code: memory.embeddingCache.get(<serial:3>)
      keys: generated (serial); a collection keyed so is never full by itself
      known leak: @mastra/memory < 1.20.5: the embedding cache has no bound
      cure: update to 1.20.5 or later.
      link: https://github.com/mastra-ai/mastra/issues/17924

    scope            state  retained
    process/run:3     open  11.0 KiB
    process/run:0     open   3.7 KiB
    process/run:1     open   3.7 KiB
    process/run:10    open   3.7 KiB
    process/run:11    open   3.7 KiB
    process/run:12    open   3.7 KiB
    process/run:13    open   3.7 KiB
    process/run:14    open   3.7 KiB
    process/run:15    open   3.7 KiB
    process/run:16    open   3.7 KiB
    process/run:17    open   3.7 KiB
    process/run:18    open   3.7 KiB
    process/run:19    open   3.7 KiB
    process/run:2     open   3.7 KiB
    process/run:20    open   3.7 KiB
    process/run:21    open   3.7 KiB
    process/run:4     open   3.7 KiB
    process/run:5     open   3.7 KiB
    process/run:6     open   3.7 KiB
    process/run:7   closed   3.7 KiB
    … and 2 more scopes

    also seen
      59 strings repeat 1 others, 5.8 KiB; most: <text:13> 60 times

    constructor   count        own   retained
    global            1       32 B  248.4 KiB
    Map               2    1.7 KiB  150.5 KiB
    Run              40    7.8 KiB  146.7 KiB
    ReplayBuffer     40  117.2 KiB  138.9 KiB
    Memory            1       16 B   89.6 KiB
    Vector           30   87.9 KiB   87.9 KiB
    "
  `);
});

test('a heap without suspects says so, colours do not change the words', async () => {
  const analysis = await analyze(new HeapFixture().stream());
  expect(stable(analysisText(analysis))).toMatchInlineSnapshot(`
    "stream  32 B heap, 3 nodes, 2 edges
    read # ms

    No suspects: nothing accumulates more than 1 % of the heap in one place.

    constructor  count   own  retained
    global           1  32 B      32 B
    "
  `);
  const big = await analyze(heap().stream());
  // oxlint-disable-next-line no-control-regex -- the colours are what is taken away
  const bare = analysisText(big, { paint: colours, traces: 1 }).replaceAll(/\u001B\[\d+m/g, '');
  expect(bare).toBe(analysisText(big, { traces: 1 }));
  expect(bare).toContain('more suspect');
});

test('the page holds everything it needs and shows no markup of the heap', async () => {
  using snapshot = await open(heap().stream());
  const html = renderHtml(snapshot, analyzeOpened(snapshot, 5));
  expect(html).not.toMatch(/<b>chunk/);
  expect(
    html.match(/(?:src|href)="[^"]*"/g)?.every((link) => link.startsWith('href="https://github.com/')),
  ).toBe(true);
  expect(html).toContain("default-src 'none'");
  expect(html).toContain('40 × Run');
  const data = JSON.parse(/id="data">(.*?)<\/script>/s.exec(html)?.[1] ?? '') as {
    tree: { n: string; b: number; c: unknown[] };
  };
  expect(data.tree.n).toBe('heap');
  expect(data.tree.c.length).toBeGreaterThan(1);
  expect(data.tree.b).toBe(snapshot.heapBytes);
});

test('the page says when it shows strings', async () => {
  using snapshot = await open(heap().stream(), { showStrings: true });
  const html = renderHtml(snapshot, analyzeOpened(snapshot, 5));
  expect(html).toContain('this file may hold secrets');
  expect(html).toContain('&quot;run-');
});

test('the page of an empty heap has no suspects', async () => {
  using snapshot = await open(new HeapFixture().stream());
  expect(renderHtml(snapshot, analyzeOpened(snapshot, 5))).toContain('<p>None:');
});

test('answers to --node, --retainers and --focus', async () => {
  const built = heap();
  using snapshot = await open(built.stream());
  const [run] = snapshot.find((object) => object.name === 'Run');
  const id = run?.id ?? 0;
  expect(nodeText(snapshot.object(id), snapshot.pathsTo(id))).toContain(
    'code: registry.runs.get(<serial:5>)',
  );
  expect(nodeText(snapshot.object(id), [])).toContain('nothing holds it but weak references');
  const ways = classText('Run', snapshot.retainersOf('Run'));
  expect(ways).toMatch(/^40 × Run, held in \d ways? \(40 looked at\)/);
  const scopes = snapshot.scopesMatching('run:7');
  expect(scopes).toEqual([expect.objectContaining({ path: 'process/run:7', state: 'closed', roots: 1 })]);
  const held = snapshot.rootsOf('process/run:7').flatMap((root) => snapshot.dominators({ under: root }));
  expect(scopeText(scopes, held)).toMatchInlineSnapshot(`
    "scope           state  roots  retained
    process/run:7  closed      1   3.7 KiB

    holds           id      own  retained
    ReplayBuffer  @107  2.9 KiB   3.5 KiB
    "
  `);
});

test('a scope with several roots counts what they hold together', async () => {
  using snapshot = await open(heap().stream());
  const bytes = (path: string): number =>
    snapshot.scopes().find((row) => row.path === path)?.retainedBytes ?? 0;
  expect(bytes('process/run:3')).toBe(3 * bytes('process/run:7'));
});

test('questions that have no answer are errors that help', async () => {
  using snapshot = await open(heap().stream());
  expect(() => snapshot.retainersOf('ReplayBufer')).toThrow(
    expect.objectContaining({ code: 'PLM_HEAP_NO_CLASS', fix: 'names that come close: ReplayBuffer.' }),
  );
  expect(() => snapshot.retainersOf('Zzz()')).toThrow(
    expect.objectContaining({ fix: expect.stringContaining('constructor table') }),
  );
  expect(() => snapshot.scopesMatching('session:1')).toThrow(
    expect.objectContaining({ code: 'PLM_HEAP_NO_SCOPE' }),
  );
});

test('the small parts', () => {
  expect([12, 1500, 3e6].map(bytesText)).toEqual(['12 B', '1.5 KiB', '2.9 MiB']);
  expect(bytesText(-2048)).toBe('-2.0 KiB');
  expect(countText(7496)).toBe('7,496');
  expect([12, 2500, 75_000].map(msText)).toEqual(['12 ms', '2.5 s', '75 s']);
  expect(sparkline([1, 2, 4, 8])).toBe('▁▂▄█');
  expect(sparkline([])).toBe('');
  expect(
    sparkline(
      Array.from({ length: 100 }, (_, i) => i),
      10,
    ),
  ).toHaveLength(10);
  expect(textTable(['a', 'b'], [['long name', '1']], 6)).toBe('a       b\nlong …  1');
  expect(isAtLeast('high', 'medium')).toBe(true);
  expect(isAtLeast('low', 'medium')).toBe(false);
});
