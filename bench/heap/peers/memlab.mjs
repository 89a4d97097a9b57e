/** memlab: full heap (dominators, retained sizes, path finder), classes summed on its API, one path. */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const peers = createRequire(resolve(import.meta.dirname, '../../package.json'));
const log = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;
const { getFullHeapFromFile } = peers('@memlab/heap-analysis');
const [file] = process.argv.slice(2);
const heap = await getFullHeapFromFile(file);
const classes = new Map();
let largest = null;
heap.nodes.forEach((node) => {
  const name = node.type === 'object' || node.type === 'native' ? node.name : `(${node.type})`;
  let above = node.dominatorNode;
  // An instance below another of its class is not counted again; the chain is cut to keep the walk linear.
  for (let steps = 0; above !== null && steps < 3 && above.name !== node.name; steps++)
    above = above.dominatorNode;
  const sum = classes.get(name) ?? 0;
  classes.set(name, above !== null && above.name === node.name ? sum : sum + node.retainedSize);
  if (node.name === 'Session' && (largest === null || node.retainedSize > largest.retainedSize))
    largest = node;
});
const path = [];
for (
  let node = largest;
  node !== null && node.hasPathEdge && path.length < 100;
  node = node.pathEdge.fromNode
) {
  path.unshift(node.pathEdge.name_or_index);
}
const top = [...classes].sort((a, b) => b[1] - a[1]).slice(0, 20);
log(JSON.stringify({ session: classes.get('Session'), path, top }), () => process.exit(0));
