/** The layout rules against V8: values of 100 kinds made at random in a real process, and the retained bytes of its snapshot. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { open } from '@plimsoll/heap';

interface Measured {
  readonly bytes: number;
  readonly lo: number;
  readonly hi: number;
  readonly unknown: number;
}

/** Retained bytes of each value by its name. */
async function truths(file: string): Promise<Map<string, number>> {
  using snapshot = await open(file, { showStrings: true });
  const { graph } = snapshot;
  const dominators = graph.dominators();
  const found = new Map<string, number>();
  for (let node = 0; node < graph.nodeCount; node++) {
    if (graph.nodeType(node) !== 'object' || graph.nodeName(node) !== 'Held') continue;
    let name = '';
    let value = -1;
    graph.forEachEdge(node, (edge, to) => {
      if (graph.edgeName(edge) === 'name') name = graph.nodeName(to);
      else if (graph.edgeName(edge) === 'value') value = to;
    });
    if (value >= 0) found.set(name, dominators.retainedBytes(value));
  }
  return found;
}

/** Kinds in order of how far they are off, as `name estimate/truth`. */
function verdicts(
  measured: Readonly<Record<string, Measured>>,
  truth: Map<string, number>,
): { readonly exact: string[]; readonly declared: string[]; readonly wrong: string[] } {
  const kinds = Map.groupBy(Object.keys(measured), (name) => name.replace(/ \d+$/, ''));
  const result = { exact: [] as string[], declared: [] as string[], wrong: [] as string[] };
  for (const [kind, names] of kinds) {
    const values = names.map((name) => ({ ...(measured[name] as Measured), truth: truth.get(name) ?? 0 }));
    const share = (isRight: (value: Measured & { truth: number }) => boolean): number =>
      values.filter(isRight).length / values.length;
    const mean = (of: (value: Measured & { truth: number }) => number): number =>
      Math.round(values.reduce((sum, value) => sum + of(value), 0) / values.length);
    const line = `${kind} ${mean(({ bytes }) => bytes)}/${mean((value) => value.truth)}`;
    if (share(({ bytes, truth: is }) => Math.abs(bytes - is) <= 0.05 * is) >= 0.8) result.exact.push(line);
    else if (share(({ lo, hi, unknown, truth: is }) => unknown > 0 || (lo <= is && is <= hi)) >= 0.8)
      result.declared.push(line);
    else result.wrong.push(line);
  }
  return result;
}

test('95 of 100 kinds are within 5 % or say that they may not be', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-layout-'));
  try {
    const seed = String(1 + Math.floor(Math.random() * 1e6));
    const program = join(import.meta.dirname, 'fixtures/heap/layout.ts');
    const node = process.env['PLIMSOLL_LAYOUT_NODE'] ?? process.execPath;
    const done = spawnSync(
      node,
      ['--conditions=plimsoll-source', '--expose-gc', '--no-warnings', program, folder, seed],
      { encoding: 'utf8' },
    );
    expect(done.stderr).toBe('');
    const measured = JSON.parse(readFileSync(join(folder, 'layout.json'), 'utf8')) as Record<
      string,
      Measured
    >;
    const { exact, declared, wrong } = verdicts(measured, await truths(join(folder, 'layout.heapsnapshot')));
    const all = exact.length + declared.length + wrong.length;
    const told = `seed ${seed}, exact ${exact.length}, declared:\n${declared.join('\n')}\nwrong:\n${wrong.join('\n')}`;
    expect(all, told).toBeGreaterThanOrEqual(98);
    expect(wrong.length, told).toBeLessThanOrEqual(0.05 * all);
    expect(exact.length, told).toBeGreaterThanOrEqual(0.35 * all);
    if (process.env['PLIMSOLL_LAYOUT_NODE'] !== undefined) process.stderr.write(`${node}: ${told}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
