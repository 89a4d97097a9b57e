/**
 * Records what Chrome DevTools says about a snapshot, for test/integration/heap-devtools.test.ts:
 * `node bench/heap/record-golden.ts NAME FILE.heapsnapshot`. Writes NAME.heapsnapshot.gz and NAME.golden (JSON).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { devtoolsBundle, loadWithDevtools } from './devtools.ts';

const [name, file] = process.argv.slice(2);
if (name === undefined || file === undefined) throw new Error('usage: record-golden.ts NAME FILE');
const target = resolve(import.meta.dirname, '../../test/integration/fixtures/heap', name);
const { version } = createRequire(resolve(import.meta.dirname, '../package.json'))(
  'chrome-devtools-frontend/package.json',
) as { version: string };

const snapshot = await loadWithDevtools(await devtoolsBundle(), file);
const node = snapshot.createNode(0);
const ordinals = Uint32Array.from({ length: snapshot.nodeCount }, (_, n) => n).sort(
  (a, b) => (snapshot.retainedSizes[b] as number) - (snapshot.retainedSizes[a] as number) || a - b,
);
const top = Array.from(ordinals.subarray(0, 200), (n) => {
  node.nodeIndex = n * snapshot.nodeFieldCount;
  return [n, node.id(), node.selfSize(), node.retainedSize(), snapshot.dominatorsTree[n]];
});
const constructors = Object.entries(snapshot.aggregatesWithFilter({}))
  .map(([key, row]) => [key, row.name, row.count, row.self, row.maxRet])
  .sort((a, b) => (b[4] as number) - (a[4] as number) || ((a[0] as string) < (b[0] as string) ? -1 : 1));
const golden = { devtools: version, nodeCount: snapshot.nodeCount, top, constructors };
writeFileSync(`${target}.golden`, `${JSON.stringify(golden).replaceAll('],[', '],\n[')}\n`);
writeFileSync(`${target}.heapsnapshot.gz`, gzipSync(readFileSync(file), { level: 9 }));
process.stdout.write(`${name}: ${snapshot.nodeCount} nodes, ${constructors.length} constructors\n`);
process.exit(0);
