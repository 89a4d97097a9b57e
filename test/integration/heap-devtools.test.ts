/**
 * Our answers against those of Chrome DevTools, recorded by bench/heap/record-golden.ts: the 200 objects that retain most
 * and the whole constructor table, without tolerance. There is no difference to explain.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSnapshot } from '../../packages/heap/src/snapshot.ts';

const fixtures = join(import.meta.dirname, 'fixtures/heap');

interface Golden {
  readonly nodeCount: number;
  /** Node, id, self size, retained size, immediate dominator. */
  readonly top: readonly (readonly [number, number, number, number, number])[];
  /** Key, name, count, self size, retained size. */
  readonly constructors: readonly (readonly [string, string, number, number, number])[];
}

describe.each(['node-22', 'node-24', 'node-26', 'chromium-153'])('%s', (name) => {
  const golden = JSON.parse(readFileSync(join(fixtures, `${name}.golden`), 'utf8')) as Golden;

  it.each(['typescript', 'wasm'] as const)(
    'is as in Chrome DevTools, %s',

    async (kernel) => {
      const graph = await openSnapshot(join(fixtures, `${name}.heapsnapshot.gz`), { kernel });
      const tree = graph.dominators();
      const describeNode = (n: number): Golden['top'][number] => [
        n,
        graph.nodeId(n),
        graph.selfBytes(n),
        tree.retainedBytes(n),
        tree.idom(n),
      ];
      expect(graph.nodeCount).toBe(golden.nodeCount);
      expect(golden.top.map(([n]) => describeNode(n))).toEqual(golden.top);
      const largest = Array.from({ length: graph.nodeCount }, (_, n) => tree.retainedBytes(n)).sort(
        (a, b) => b - a,
      );
      expect(largest.slice(0, 200)).toEqual(golden.top.map(([, , , retained]) => retained));
      const order = (rows: readonly (readonly [string, number, number, number])[]): string[] =>
        rows.map((row) => row.join('\t')).sort();
      expect(
        order(graph.constructors().map((row) => [row.name, row.count, row.shallowBytes, row.retainedBytes])),
      ).toEqual(order(golden.constructors.map(([, ...row]) => row)));
      graph.close();
    },
  );
});
