import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { kernelFile } from '../../scripts/build-kernel.ts';
import { FileSource } from '../graph/file-source.ts';
import { scan } from '../graph/scan.ts';
import { surveyNames } from '../redact/survey.ts';
import { ScratchFiles } from '../snapshot-builder.fixture.ts';
import { openSnapshot, type HeapGraph } from '../snapshot.ts';
import { ObjectIds } from '../diff/object-ids.ts';
import { buildPathTree } from '../diff/path-tree.ts';
import { Names } from '../trace/names.ts';
import { PlainArena, type SharedMemory } from './arena.ts';
import { chooseKernel } from './choose.ts';
import { hasWasm } from './wasm-kernel.ts';
import { webAssembly, type WasmMemory } from './web-assembly.ts';

/** Every number that an analysis yields, as few arrays. */
function columnsOf(graph: HeapGraph): Float64Array[] {
  const tree = graph.dominators();
  const by = (value: (n: number) => number): Float64Array =>
    Float64Array.from({ length: graph.nodeCount }, (_, n) => value(n));
  return [
    by((n) => graph.nodeId(n)),
    by((n) => graph.nodeNameIndex(n)),
    by((n) => graph.selfBytes(n)),
    by((n) => tree.idom(n)),
    by((n) => tree.retainedBytes(n)),
    by((n) => (graph.isVisible(n) ? 1 : 0)),
    Float64Array.from(graph.survey().roles),
    Float64Array.from(graph.pinnedTexts().parents),
    Float64Array.from(graph.retainersOfFew([5, 50, 500]), ({ edge }) => edge),
    Float64Array.from(graph.retainers(500), ({ edge }) => edge),
    Float64Array.from({ length: graph.edgeCount }, (_, e) => graph.edgeTo(e)),
    Float64Array.from({ length: graph.edgeCount }, (_, e) => (graph.isEssentialEdge(0, e) ? 1 : 0)),
  ];
}

/** A digest of each column: arrays of a million numbers take seconds to be compared one by one. */
const digestsOf = (graph: HeapGraph): string[] =>
  columnsOf(graph).map((column) => `${column.length} ${createHash('sha1').update(column).digest('hex')}`);

/** The groups of all objects, of which some were there before, and the path to one of each group. */
async function groupsOf(file: string, kernel: 'typescript' | 'wasm', knownWords?: number): Promise<unknown> {
  const graph = await openSnapshot(file, { kernel, keepRows: true });
  const { bits } = new ObjectIds(graph);
  const known = new Uint32Array(knownWords ?? bits.length);
  known.set(bits.map((word, k) => (k % 3 === 0 ? word : 0)));
  const { groups } = buildPathTree(graph, new Names(graph, {}), known);
  const forest = graph.groupedPaths();
  const paths = groups.map(({ sample }) => forest.pathTo(sample));
  graph.close();
  return { groups, paths };
}

describe('both kernels', () => {
  const files = new ScratchFiles();
  let file = '';
  // A process of its own has a third of the objects of this one, where every step over them is counted for coverage.
  beforeAll(() => {
    file = join(files.dir, 'live.heapsnapshot');
    const program = `
      class Held {
        list = Array.from({ length: 50 }, (_, i) => ({ role: 'r' + i, text: String(i).repeat(i) }));
        map = new Map([[this.list, { a: 1 }]]);
      }
      globalThis.held = Array.from({ length: 200 }, () => new Held());
      globalThis.meta = new WeakMap(held.map((one, i) => [one, { i, one }]));
      v8.writeHeapSnapshot(${JSON.stringify(file)});`;
    execFileSync(process.execPath, ['-e', program], { env: { ...process.env, NODE_OPTIONS: '' } });
    return () => files[Symbol.dispose]();
  });

  it('give the same bits for a snapshot of a real process', async () => {
    const plain = await openSnapshot(file, { kernel: 'typescript' });
    const wasm = await openSnapshot(file, { kernel: 'wasm' });
    expect(digestsOf(wasm)).toEqual(digestsOf(plain));
    expect(wasm.survey()).toEqual(plain.survey());
    expect(wasm.texts()).toEqual(plain.texts());
    expect(wasm.paths([100, 1000, 5000])).toEqual(plain.paths([100, 1000, 5000]));
    expect(wasm.constructors()).toEqual(plain.constructors());
    expect(plain.constructors().find((row) => row.name === 'Held')).toMatchObject({ count: 200 });
    plain.close();
    wasm.close();
  });

  it('give the same groups of paths, also where the ids do not fit beside them', async () => {
    const plain = await groupsOf(file, 'typescript');
    expect(await groupsOf(file, 'wasm')).toEqual(plain);
    expect(await groupsOf(file, 'wasm', 2 ** 22)).toEqual(plain);
  });

  it('give the same names to redaction', async () => {
    const [plain, wasm] = await Promise.all(
      (['typescript', 'wasm'] as const).map(async (kernel) => {
        const source = new FileSource(file);
        const options = { kernel, breath: () => undefined, keepRows: true, withoutShapes: true };
        const { uses, nodes, edges } = surveyNames(await scan(source, options), new Set());
        source.close();
        // What differs in a million numbers is not worth its printing.
        return [uses, nodes, edges].map((of) => createHash('sha1').update(of).digest('hex'));
      }),
    );
    expect(wasm).toEqual(plain);
  });

  it('give the same bits whatever a shared memory holds', async () => {
    const memory: SharedMemory = {};
    for (const keepRows of [true, false]) {
      const first = await openSnapshot(file, { keepRows }, memory);
      const expected = [digestsOf(first), first.constructors(), first.texts()];
      first.close();
      new Uint8Array(memory.wasm?.buffer ?? new ArrayBuffer()).fill(0xff);
      const second = await openSnapshot(file, { keepRows }, memory);
      expect([digestsOf(second), second.constructors(), second.texts()]).toEqual(expected);
      second.close();
      expect(() => second.dominators()).toThrow(expect.objectContaining({ code: 'PLM_HEAP_CLOSED' }));
    }
  });

  it('works in a memory that never grows, made for the largest of its files', async () => {
    const { Memory } = webAssembly as unknown as { Memory: { prototype: WasmMemory } };
    const grown = vi.spyOn(Memory.prototype, 'grow');
    onTestFinished(() => grown.mockRestore());
    const bytesOf = async (memory: SharedMemory): Promise<number> => {
      (await openSnapshot(file, {}, memory)).close();
      return (memory.wasm as WasmMemory).buffer.byteLength;
    };
    const alone = await bytesOf({});
    const memory = { largestBytes: 3 * statSync(file).size };
    expect(await bytesOf(memory)).toBeGreaterThan(2.9 * alone);
    expect(await bytesOf(memory)).toBeGreaterThan(2.9 * alone);
    expect(grown).not.toHaveBeenCalled();
  });
});

describe('the kernel', () => {
  it('is committed as its sources give it', async () => {
    const committed = readFileSync(new URL('./kernel-bytes.ts', import.meta.url), 'utf8');
    expect(await kernelFile()).toBe(committed);
  });

  it('is WebAssembly where it runs and fits, and plain otherwise', () => {
    expect(hasWasm()).toBe(true);
    expect(chooseKernel('auto', 1000).name).toBe('wasm');
    expect(chooseKernel('auto', 5 * 1024 ** 3).name).toBe('typescript');
    expect(chooseKernel('typescript', 1000).name).toBe('typescript');
    const memory: SharedMemory = {};
    chooseKernel('wasm', 100_000, memory, 50_000);
    expect(memory.wasm?.buffer.byteLength).toBe(2 * 65_536);
    expect(new PlainArena().floats(3)).toEqual(new Float64Array(3));
  });
});
