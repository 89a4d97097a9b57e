/** Before a container is accused it is asked whether its entries are replaced, on real snapshots of real processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { GrowthRecord } from '../../packages/leak/src/proof/growth-record.ts';
import { growthRecordOf, judgementOf } from '../../packages/leak/src/proof/growth-record.fixture.ts';
import { proofOf } from '../../packages/leak/src/proof/proof.ts';
import type { Proof } from '../../packages/leak/src/proof/proof.ts';
import { analyzeSnapshots } from '../../packages/leak/src/proof/snapshot-analysis.ts';
import { workFolder } from './plimsoll.ts';

const MiB = 1024 ** 2;

/** A program with a cache that has 350 entries at its first snapshot, and answers 2,000 more requests before the second. */
const program = (bound: number): string => `
import { writeHeapSnapshot } from 'node:v8';
class Page { constructor(n) { this.rows = Array.from({ length: 60 }, (_, i) => ({ i, text: ['row', i, n].join(' ') })); } }
class PageCache { pages = new Map(); }
const cache = (globalThis.cache = new PageCache());
let n = 0;
const answer = () => {
  cache.pages.set('page ' + n, new Page(n++));
  if (cache.pages.size > ${bound}) cache.pages.delete(cache.pages.keys().next().value);
};
while (n < 350) answer();
writeHeapSnapshot('first.heapsnapshot');
while (n < 2350) answer();
writeHeapSnapshot('last.heapsnapshot');
`;

/** What a run concludes whose floors looked like growth, from the two snapshots of the program. */
async function conclude(bound: number): Promise<Proof> {
  const dir = workFolder({ 'server.mjs': program(bound) });
  const child = spawn(process.execPath, ['server.mjs'], { cwd: dir, stdio: 'ignore' });
  await once(child, 'exit');
  const [first, last] = ['first', 'last'].map((name) => join(dir, `${name}.heapsnapshot`)) as [
    string,
    string,
  ];
  const capture = (file: string, heapBytes: number): GrowthRecord['first'] => ({
    file,
    at: 1,
    stopMs: 1,
    heapBytes,
  });
  // The floors of a Map capped at 500 that was full after a fifth of its run of 45 s.
  const floors = [21.6, 24.6, 25.6, 26.5, 27.8, 27.5, 27.5, 27.7, 28.3, 28.3].map((size) => size * MiB);
  const record = growthRecordOf(
    { heap: judgementOf('growing', 2 * MiB, floors.length) },
    { floors, first: capture(first, 26.5 * MiB), last: capture(last, 28.3 * MiB) },
  );
  return proofOf(record, await analyzeSnapshots(last, first));
}

test('a Map at its bound is no leak, although it gained entries between the snapshots', async () => {
  const { verdict, why, findings } = await conclude(500);
  expect(findings).toEqual([]);
  expect(verdict).toBe('undecided');
  expect(why).toMatch(/the 500 × Page that it consists of were replaced between the snapshots/);
});

test('the same Map without a bound is a leak', async () => {
  const { verdict, findings } = await conclude(Number.MAX_SAFE_INTEGER);
  expect(verdict).toBe('leak');
  expect(findings[0]?.trace?.map(({ name }) => name)).toContain('PageCache');
});
