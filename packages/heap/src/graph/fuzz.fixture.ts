/** A seeded fuzzer of snapshot files: the same seed always gives the same damage. */
import { isHeapError } from '../errors.ts';
import { buildSnapshot, chunksOf, ScratchFiles, type BuiltNode } from '../snapshot-builder.fixture.ts';
import { openSnapshot, type HeapGraph } from '../snapshot.ts';

/** A small generator of numbers below `limit` (xorshift32). */
export function random(seed: number): (limit: number) => number {
  let state = seed || 1;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

/** A snapshot with something of everything. */
export function variedSnapshot(seed: number): Buffer {
  const below = random(seed);
  const count = 60 + below(200);
  const types = [
    'object',
    'array',
    'string',
    'closure',
    'hidden',
    'native',
    'object shape',
    'concatenated string',
  ];
  const names = [
    'Object',
    'Session',
    'system / Context',
    '<div id="a">',
    'Map',
    '(map descriptors)',
    'é "q" \\ \n',
  ];
  const nodes: BuiltNode[] = Array.from({ length: count }, (_, n) => ({
    type: n === 0 ? 'synthetic' : (types[below(types.length)] as string),
    name: names[below(names.length)] as string,
    size: below(7) === 0 ? 0 : below(2000),
    detachedness: below(20) === 0 ? below(3) : 0,
    edges: Array.from({ length: n === 0 ? 8 : below(5) }, () => {
      const type = ['property', 'property', 'element', 'internal', 'weak', 'shortcut', 'hidden'][
        below(7)
      ] as string;
      const to = below(count);
      const pair = `${below(9)} / part of key (K @${2 * to + 1}) -> value (V @3) pair in WeakMap (table @${2 * n + 1})`;
      const name = type === 'internal' && below(4) === 0 ? pair : `name ${below(40)}`;
      return { type, to, name: type === 'element' || type === 'hidden' ? below(1000) : name };
    }),
  }));
  const style = (['node24', 'node22', 'node24', 'pretty'] as const)[below(4)] as 'node24';
  const locations = Array.from(
    { length: below(12) },
    () => [below(count), 1 + below(3), below(90), below(9)] as const,
  );
  return Buffer.from(buildSnapshot(nodes, { style, locations }));
}

const alphabet = Buffer.from('0123456789,,,"[]{}:\\ \nxé-.');

/** Damages a file in one to three places. */
export function mutate(bytes: Buffer, seed: number): Buffer {
  const below = random(seed);
  let result = bytes;
  for (let times = 1 + below(3); times > 0; times--) {
    const at = below(result.length + 1);
    const length = 1 + below(below(4) === 0 ? 200 : 6);
    const [before, after] = [result.subarray(0, at), result.subarray(at)];
    const noise = Buffer.from(Array.from({ length }, () => alphabet[below(alphabet.length)] as number));
    switch (below(10)) {
      case 0:
        result = before;
        break;
      case 1:
        result = Buffer.concat([before, after.subarray(length)]);
        break;
      case 2:
        result = Buffer.concat([before, noise, after]);
        break;
      case 3:
        result = Buffer.concat([before, noise, after.subarray(length)]);
        break;
      case 4:
        result = Buffer.concat([before, after.subarray(0, length), after]);
        break;
      case 5: {
        const digits = /\d+/gu;
        digits.lastIndex = at;
        const text = result.toString('latin1');
        const found = digits.exec(text);
        if (found === null) break;
        const value = ['0', '1', '4294967295', '4294967296', '99999999999999999999', `${below(500)}`][
          below(6)
        ] as string;
        result = Buffer.from(
          text.slice(0, found.index) + value + text.slice(found.index + found[0].length),
          'latin1',
        );
        break;
      }
      case 6:
      case 7:
      case 8: {
        // Another digit in place of one: the text stays in form, what it says does not.
        const changed = Buffer.from(result);
        const from = changed.subarray(at).findIndex((c) => c >= 48 && c <= 57);
        if (from >= 0) changed[at + from] = 48 + below(10);
        result = changed;
        break;
      }
      default: {
        const flipped = Buffer.from(result);
        if (at < flipped.length) flipped[at] = (flipped[at] as number) ^ (1 << below(8));
        result = flipped;
      }
    }
  }
  return result;
}

/** What an analysis says, in short; a code when it refuses. */
async function outcome(open: () => Promise<HeapGraph>): Promise<string> {
  let graph: HeapGraph;
  try {
    graph = await open();
  } catch (error) {
    if (isHeapError(error) && typeof error.offset === 'number') return 'refused';
    throw error;
  }
  const tree = graph.dominators();
  const nodes = Array.from({ length: graph.nodeCount }, (_, n) => [
    graph.nodeId(n),
    tree.idom(n),
    tree.retainedBytes(n),
  ]);
  const edges = Array.from({ length: Math.min(50, graph.edgeCount) }, (_, e) => [
    graph.edgeType(e),
    graph.edgeName(e),
  ]);
  const said = JSON.stringify([graph.constructors(), nodes, edges]);
  graph.close();
  return said;
}

export interface FuzzResult {
  readonly refused: number;
  readonly answered: number;
  /** Seeds whose ways of reading disagree, or that failed otherwise. */
  readonly failures: readonly string[];
}

/**
 * Opens damaged files in three ways (file with each kernel, stream): each has to refuse with a code and an offset, or
 * all have to give the same answer.
 */
export async function fuzz(first: number, count: number): Promise<FuzzResult> {
  using files = new ScratchFiles();
  const result = { refused: 0, answered: 0, failures: [] as string[] };
  for (let seed = first; seed < first + count; seed++) {
    const bytes = mutate(variedSnapshot(1 + (seed % 97)), seed * 2_654_435_761);
    const path = files.write(bytes, 'fuzzed.heapsnapshot');
    try {
      const said = [
        await outcome(() => openSnapshot(path, { kernel: 'wasm' })),
        await outcome(() => openSnapshot(path, { kernel: 'typescript' })),
        await outcome(() =>
          openSnapshot(chunksOf(bytes, 3000), { kernel: seed % 2 === 0 ? 'wasm' : 'typescript' }),
        ),
      ];
      if (said.some((one) => one !== said[0]))
        result.failures.push(`seed ${seed}: ${said.map((s) => s.slice(0, 200)).join(' | ')}`);
      if (said[0] === 'refused') result.refused++;
      else result.answered++;
    } catch (error) {
      result.failures.push(`seed ${seed}: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  return result;
}
