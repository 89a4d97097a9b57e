/** Plimsoll: parse, dominators, retained sizes, constructors, one shortest path. Runs the built package. */
import { openSnapshot } from '../../../packages/heap/dist/snapshot.js';
import { classHistogram } from '../../../packages/heap/dist/histogram.js';

const [file, kernel = 'auto'] = process.argv.slice(2);
if (kernel === 'histogram') {
  const rows = await classHistogram(file);
  process.stdout.write(JSON.stringify({ top: rows.slice(0, 20).map((row) => [row.name, row.shallowBytes]) }));
} else {
  const graph = await openSnapshot(file, { kernel });
  const tree = graph.dominators();
  const rows = graph.constructors();
  let largest = -1;
  const name = sessionName(graph);
  for (let n = 0; n < graph.nodeCount; n++) {
    if (graph.nodeNameIndex(n) !== name || graph.nodeType(n) !== 'object') continue;
    if (largest < 0 || tree.retainedBytes(n) > tree.retainedBytes(largest)) largest = n;
  }
  const path = graph.shortestPath(largest).map((edge) => graph.edgeName(edge));
  if (path.length === 0) throw new Error('no path to a session');
  const session = rows.find((row) => row.name === 'Session');
  process.stdout.write(
    JSON.stringify({
      nodes: graph.nodeCount,
      edges: graph.edgeCount,
      session: session?.retainedBytes,
      path,
      top: rows.slice(0, 20).map((row) => [row.name, row.retainedBytes]),
    }),
  );
}

/** String index of "Session": that of the first object with this name. */
function sessionName(graph) {
  const tried = new Uint8Array(graph.meta.stringCount);
  for (let n = 0; n < graph.nodeCount; n++) {
    const index = graph.nodeNameIndex(n);
    if (tried[index] === 1 || graph.nodeType(n) !== 'object') continue;
    tried[index] = 1;
    if (graph.nodeName(n) === 'Session') return index;
  }
  return -1;
}
