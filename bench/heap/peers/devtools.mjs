/** Chrome DevTools' worker: the same questions. Its distances give the path: always to the nearest strong retainer. */
import { devtoolsBundle, loadWithDevtools } from '../devtools.ts';

const [file] = process.argv.slice(2);
const snapshot = await loadWithDevtools(await devtoolsBundle(), file);
const rows = Object.values(snapshot.aggregatesWithFilter({})).sort((a, b) => b.maxRet - a.maxRet);
const node = snapshot.createNode(0);
let largest = -1;
for (let n = 0; n < snapshot.nodeCount; n++) {
  node.nodeIndex = n * snapshot.nodeFieldCount;
  if (node.type() !== 'object' || node.className() !== 'Session') continue;
  if (largest < 0 || snapshot.retainedSizes[n] > snapshot.retainedSizes[largest]) largest = n;
}
const path = [];
let at = snapshot.createNode(largest * snapshot.nodeFieldCount);
while (path.length < 100 && at.nodeIndex !== snapshot.rootNodeIndex) {
  let best = null;
  for (let it = at.retainers(); it.hasNext(); it.next()) {
    const edge = it.item();
    if (edge.type() === 'weak') continue;
    const from = edge.node();
    if (best === null || from.distance() < best.distance) {
      best = { distance: from.distance(), name: edge.name(), index: from.nodeIndex };
    }
  }
  // Distances count from the global objects; they are where a path begins.
  if (best === null || best.distance >= at.distance()) break;
  path.unshift(best.name);
  at = snapshot.createNode(best.index);
}
const session = rows.find((row) => row.name === 'Session');
process.stdout.write(
  JSON.stringify({
    session: session?.maxRet,
    path,
    top: rows.slice(0, 20).map((row) => [row.name, row.maxRet]),
  }),
);
process.exit(0);
