import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { analyze, type Analysis } from '../analysis.ts';
import { isHeapError } from '../errors.ts';
import { HeapFixture } from '../trace/heap.fixture.ts';
import { isStructuralNode, traitsOf } from './name-policy.ts';
import { isPlaceholder, redactedMark } from './placeholder.ts';
import { openSnapshot } from '../snapshot.ts';
import { redact } from './redact.ts';

interface Snapshot {
  readonly snapshot: { meta: { node_fields: string[]; node_types: [string[]] }; node_count: number };
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  readonly strings: readonly string[];
  readonly locations: readonly number[];
  readonly trace_function_infos: readonly number[];
}

const program = `
  class Session { constructor(i) { this.id = 'sess-' + i; this.note = 'Patient ' + i + ' said: it hurts, call me at 0170-' + i; } }
  class Registry { constructor() { this.sessions = new Map(); this.byMail = {}; } }
  class PlimsollScopeRoot { constructor(path, state, roots) { this.path = path; this.state = state; this.roots = roots; } }
  const registry = (globalThis.registry = new Registry());
  globalThis.meta = new WeakMap();
  globalThis.pattern = /secret-pattern-[0-9]+/;
  for (let i = 0; i < 800; i++) {
    const session = new Session(i);
    registry.sessions.set(session.id, session);
    registry.byMail['person' + i + '@example.com'] = session;
    meta.set(session, 'weakly secret ' + i);
  }
  globalThis.marks = [new PlimsollScopeRoot('process/session:7', 'closed', [registry.sessions.get('sess-7')])];
  const session = new (require('node:inspector').Session)();
  session.connect();
  const chunks = [];
  session.on('HeapProfiler.addHeapSnapshotChunk', (m) => chunks.push(m.params.chunk));
  session.post('HeapProfiler.enable');
  setImmediate(() => {
    const tracked = process.argv[2] === 'track';
    if (tracked) session.post('HeapProfiler.startTrackingHeapObjects', { trackAllocations: true });
    globalThis.more = Array.from({ length: 50 }, (_, i) => ({ told: 'after tracking ' + i }));
    session.post(tracked ? 'HeapProfiler.stopTrackingHeapObjects' : 'HeapProfiler.takeHeapSnapshot', {}, () =>
      require('node:fs').writeFileSync(process.argv[1], chunks.join('')),
    );
  });
`;

let dir: string;
const file = (name: string): string => join(dir, name);
const read = (name: string): Snapshot => JSON.parse(readFileSync(file(name), 'utf8')) as Snapshot;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-redact-'));
  execFileSync(process.execPath, ['-e', program, file('in.heapsnapshot')]);
  execFileSync(process.execPath, ['-e', program, file('tracked.heapsnapshot'), 'track']);
  await redact(file('in.heapsnapshot'), file('out.heapsnapshot'));
});

/** The contents of all text nodes and patterns, and the names that edges and all other nodes have. */
function textsOf({ nodes, edges, strings, snapshot }: Snapshot): {
  contents: Set<string>;
  names: Set<string>;
} {
  const width = snapshot.meta.node_fields.length;
  const [types] = snapshot.meta.node_types;
  const contents = new Set<string>();
  const names = new Set<string>();
  for (let i = 0; i < nodes.length; i += width) {
    const text = strings[nodes[i + 1] as number] as string;
    (/^(?:string|regexp)$/.test(types[nodes[i] as number] as string) ? contents : names).add(text);
  }
  // Edges of the types element and hidden are numbered.
  for (let i = 0; i < edges.length; i += 3) {
    if (edges[i] !== 1 && edges[i] !== 4) names.add(strings[edges[i + 1] as number] as string);
  }
  return { contents, names };
}

/** Those of many texts, each of at least so many characters, that occur in another one. */
function occurring(texts: readonly string[], least: number, within: string): ReadonlySet<string> {
  const byStart = Map.groupBy(texts, (text) => text.slice(0, least));
  const found = new Set<string>();
  for (let i = 0; i + least <= within.length; i++) {
    for (const text of byStart.get(within.slice(i, i + least)) ?? []) {
      if (within.startsWith(text, i)) found.add(text);
    }
  }
  return found;
}

test('no content of any string is left, except where it is the name of something else too', () => {
  const { contents, names } = textsOf(read('in.heapsnapshot'));
  const text = readFileSync(file('out.heapsnapshot'), 'utf8');
  const output = text.slice(text.indexOf('"strings":['));
  const allNames = [...names].join('\n');
  const kept = new Set(read('out.heapsnapshot').strings);
  const labels = new Set(['process/session:7', 'closed']);
  const written = (content: string): string => JSON.stringify(content).slice(1, -1);
  const long = [...contents].filter((content) => content.length >= 12);
  const inside = occurring(long.map(written), 12, output);
  const leaked = [...contents].filter(
    (content) =>
      content.length >= 4 &&
      (kept.has(content) || (content.length >= 12 && inside.has(written(content)))) &&
      !labels.has(content) &&
      !allNames.includes(content),
  );
  // Names of Node's events are the only values that stay.
  expect(leaked.filter((content) => !isStructuralNode('string', traitsOf(content)))).toEqual([]);
  expect(leaked.length).toBeLessThan(60);
  expect(contents.size).toBeGreaterThan(5000);
  for (const secret of ['Patient', 'it hurts', '@example.com', 'sess-1', 'weakly secret', 'secret-pattern']) {
    expect(text.includes(secret), secret).toBe(false);
  }
});

test('no node shows its content any more', () => {
  const { nodes, strings, snapshot } = read('out.heapsnapshot');
  const width = snapshot.meta.node_fields.length;
  const [types] = snapshot.meta.node_types;
  const scopes = new Set(['process/session:7', 'closed']);
  const shown = new Set<string>();
  for (let i = 0; i < nodes.length; i += width) {
    const type = types[nodes[i] as number] as string;
    const text = strings[nodes[i + 1] as number] as string;
    if (type !== 'string' || text === '' || scopes.has(text)) continue;
    if (!isPlaceholder(text) && !isStructuralNode(type, traitsOf(text))) shown.add(text);
  }
  expect([...shown]).toEqual([]);
});

/** Where two tables first differ, apart from the column at offset 1; -1 if nowhere. */
function firstDifference(a: readonly number[], b: readonly number[], width: number): number {
  if (a.length !== b.length) return Math.min(a.length, b.length);
  return a.findIndex((value, i) => i % width !== 1 && value !== b[i]);
}

test('structure, sizes and the names of code stay', () => {
  const before = read('in.heapsnapshot');
  const after = read('out.heapsnapshot');
  const width = before.snapshot.meta.node_fields.length;
  expect(after.snapshot.node_count).toBe(before.snapshot.node_count);
  expect(firstDifference(after.nodes, before.nodes, width)).toBe(-1);
  expect(firstDifference(after.edges, before.edges, 3)).toBe(-1);
  expect(after.strings).toEqual(
    expect.arrayContaining(['Registry', 'Session', 'sessions', 'byMail', redactedMark]),
  );
  expect(statSync(file('out.heapsnapshot')).size).toBeLessThan(statSync(file('in.heapsnapshot')).size);
  expect(statSync(file('out.heapsnapshot')).mode & 0o777).toBe(0o600);
});

const answers = ({ constructors, suspects, observations, scopes, heapBytes }: Analysis): unknown => ({
  constructors,
  suspects,
  observations,
  scopes,
  heapBytes,
});

test('an analysis of the result reads the same, tables, traces and scopes', async () => {
  const before = await analyze(file('in.heapsnapshot'), { top: 1000 });
  const after = await analyze(file('out.heapsnapshot'), { top: 1000 });
  expect(answers(after)).toEqual(answers(before));
  expect(before.suspects.length).toBeGreaterThan(0);
  expect(before.scopes).toEqual([
    expect.objectContaining({ path: 'process/session:7', state: 'closed', roots: 1 }),
  ]);
  expect(JSON.stringify(before)).not.toContain('Patient');
});

test('a redacted snapshot can be redacted again', async () => {
  await redact(file('out.heapsnapshot'), file('again.heapsnapshot'));
  expect(answers(await analyze(file('again.heapsnapshot')))).toEqual(
    answers(await analyze(file('out.heapsnapshot'))),
  );
});

test('snapshots with allocation tracking keep their functions and lose their strings', async () => {
  const done: number[] = [];
  const result = await redact(file('tracked.heapsnapshot'), file('tracked.out.heapsnapshot'), {
    onProgress: (bytes, total) => done.push(bytes / total),
  });
  expect(done.at(-1)).toBe(1);
  expect(result.replacedStrings).toBeGreaterThan(800);
  const before = read('tracked.heapsnapshot');
  const after = read('tracked.out.heapsnapshot');
  expect(before.trace_function_infos.length).toBeGreaterThan(0);
  expect(after.trace_function_infos.length).toBe(before.trace_function_infos.length);
  expect(readFileSync(file('tracked.out.heapsnapshot'), 'utf8').includes('after tracking')).toBe(false);
});

test('keepNames keeps property names that no code mentions', async () => {
  const heap = new HeapFixture();
  const list = heap.property(heap.global, 'byTenant', 'object', 'Object');
  heap.property(list, 'acme', 'object', 'Tenant');
  heap.property(list, 'initech', 'object', 'Tenant');
  writeFileSync(file('named.heapsnapshot'), heap.text());
  await redact(file('named.heapsnapshot'), file('named.out.heapsnapshot'), { keepNames: ['acme'] });
  const { strings } = read('named.out.heapsnapshot');
  expect(strings).toContain('acme');
  expect(strings).not.toContain('initech');
});

test('the label of a scope stays where it labels the scope, and is content elsewhere', async () => {
  const heap = new HeapFixture();
  const marker = heap.property(heap.global, 'mark', 'object', 'PlimsollScopeRoot');
  const label = heap.string('process/session:ada');
  heap.edge(marker, 'property', 'path', label);
  heap.edge(marker, 'property', 'state', heap.string('half open'));
  const said = heap.string('process/session:ada');
  heap.edge(heap.global, 'property', 'said', said);
  writeFileSync(file('label.heapsnapshot'), heap.text());
  await redact(file('label.heapsnapshot'), file('label.out.heapsnapshot'));
  const { nodes, strings } = read('label.out.heapsnapshot');
  const nameOf = (node: number): string | undefined => strings[nodes[node * 6 + 1] as number];
  expect([nameOf(label), nameOf(said)]).toEqual(['process/session:ada', '<text:19>']);
  expect(strings).toContain('half open');
});

test('locations are copied as numbers, once', async () => {
  const heap = new HeapFixture();
  const made = heap.property(heap.global, 'made', 'object', 'Made');
  const text = heap.locate(made, 7, 3).text().replace(',7,3,0]', ', 7,-1 ,0]');
  writeFileSync(file('located.heapsnapshot'), text);
  await redact(file('located.heapsnapshot'), file('located.out.heapsnapshot'));
  expect(read('located.out.heapsnapshot').locations).toEqual([made * 6, 7, -1, 0]);
  // Nobody has read a second list.
  const twice = text.replace('"strings"', '"locations":["secret"],"strings"');
  writeFileSync(file('twice.heapsnapshot'), twice);
  await expect(redact(file('twice.heapsnapshot'), file('twice.out.heapsnapshot'))).rejects.toMatchObject({
    code: 'PLM_HEAP_SYNTAX',
  });
});

test('sections that nobody knows are left out, for they may hold anything', async () => {
  const text = new HeapFixture().text().replace('"strings"', '"scopes":["secret"],"strings"');
  writeFileSync(file('future.heapsnapshot'), text);
  await redact(file('future.heapsnapshot'), file('future.out.heapsnapshot'));
  expect(readFileSync(file('future.out.heapsnapshot'), 'utf8')).not.toContain('secret');
});

test('input and output are checked before anything is written', async () => {
  writeFileSync(file('cut.heapsnapshot'), readFileSync(file('in.heapsnapshot')).subarray(0, 100_000));
  const refused = async (input: string, output: string): Promise<string> =>
    redact(file(input), file(output)).then(
      () => 'done',
      (error: unknown) => String(error).replaceAll(dir, '…'),
    );
  expect(await refused('cut.heapsnapshot', 'cut.out')).toMatch(/^PLM_HEAP_HEADER/);
  expect(existsSync(file('cut.out'))).toBe(false);
  writeFileSync(file('packed.gz'), gzipSync(readFileSync(file('in.heapsnapshot'))));
  expect(await refused('packed.gz', 'x')).toMatch(/cannot be redacted: it is compressed/);
  expect(await refused('none', 'x')).toMatch(/^PLM_HEAP_NOT_FOUND/);
  expect(await refused('.', 'x')).toMatch(/^PLM_HEAP_NOT_A_FILE/);
  expect(await refused('in.heapsnapshot', 'in.heapsnapshot')).toMatch(/cannot be written: it is the input/);
  expect(await refused('in.heapsnapshot', 'out.heapsnapshot')).toMatch(
    /cannot be written: it exists already/,
  );
  expect(await refused('in.heapsnapshot', 'no/where')).toMatch(/^PLM_HEAP_REDACT_TARGET/);
});

test('a signal stops the work and removes the output', async () => {
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(redact(file('in.heapsnapshot'), file('stopped'), { signal })).rejects.toThrow();
  expect(existsSync(file('stopped'))).toBe(false);
});

test('a stop while the output is written removes what was written', async () => {
  const controller = new AbortController();
  const onProgress = (done: number, total: number): void => {
    if (done / total > 0.7) controller.abort(new Error('enough'));
  };
  const stopped = redact(file('in.heapsnapshot'), file('half'), { signal: controller.signal, onProgress });
  await expect(stopped).rejects.toThrow();
  expect(existsSync(file('half'))).toBe(false);
});

test('mutated files end in the error of an analysis or in a snapshot that can be parsed', async () => {
  const heap = new HeapFixture().mention('list');
  heap.array(heap.global, 'list', [heap.string('secret'), heap.node('object', 'Thing')]);
  const original = Buffer.from(heap.text());
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  for (let i = 0; i < 400; i++) {
    const mutated = Buffer.from(original);
    for (let k = 0; k <= random(4); k++) mutated[random(mutated.length)] = 32 + random(95);
    writeFileSync(file('mutated'), i % 5 === 0 ? mutated.subarray(0, random(mutated.length)) : mutated);
    rmSync(file('mutated.out'), { force: true });
    try {
      await redact(file('mutated'), file('mutated.out'));
      JSON.parse(readFileSync(file('mutated.out'), 'utf8'));
    } catch (error) {
      expect(isHeapError(error), `${i}: ${String(error)}`).toBe(true);
      const analysed = openSnapshot(file('mutated')).then(
        () => 'opened',
        (refusal: unknown) => String(refusal),
      );
      expect(String(error)).toBe(await analysed);
    }
  }
});
