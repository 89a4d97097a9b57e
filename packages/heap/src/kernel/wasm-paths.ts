import { beginPaths, type SomePathsJob } from './typescript/paths.ts';
import { noEdge, type GroupJob, type GroupState } from './typescript/path-groups.ts';
import { at, counter, firstStep, maxStep, type Call, type Exports } from './wasm-call.ts';

/** How the kernel in WebAssembly searches for paths. */

export function cheapestPaths(call: Exports, job: SomePathsJob): void {
  const run = call['settlePaths'] as Call;
  const { firstEdge, to, vertex, roles, byEdge, reached, wanted, pool } = job;
  const views = [firstEdge, to, vertex, roles, byEdge, reached, wanted, pool].map(at);
  beginPaths(job);
  let [now, waiting, left] = [0, 1, job.wantedCount];
  for (let step = firstStep; waiting > 0 && left > 0; step = Math.min(step * 2, maxStep)) {
    run(now, waiting, left, step, ...views);
    now = counter(call, 'pathNow');
    waiting = counter(call, 'pathWaiting');
    left = counter(call, 'pathLeft');
  }
}

export function classWords(call: Exports, job: GroupJob, first: number): number {
  const run = call['classWords'] as Call;
  const { nodes, search, answers } = job;
  const columns = [nodes.kind, nodes.name, nodes.plain, nodes.acts].map(at);
  const more = [job.order, search.roles, job.ids, job.known].map(at);
  const mask = answers.pairs.length / 2 - 1;
  for (let node = first, step = firstStep; node < nodes.count; step = Math.min(step * 2, maxStep)) {
    const last = Math.min(node + step, nodes.count);
    const rest = [job.known.length, job.text, at(answers.pairs), mask, at(job.records)];
    node = run(node, last, ...columns, job.objectName, ...more, ...rest) >>> 0;
    if (node < last) return node;
  }
  return nodes.count;
}

export function groupedPaths(call: Exports, job: GroupJob, state: GroupState): void {
  const run = call['groupedPaths'] as Call;
  const { nodes, search, answers, groups } = job;
  const graph = [search.firstEdge, search.to, search.vertex, search.reached, search.pool];
  const views = [...graph, job.records, job.edgeWords, nodes.name, nodes.plain].map(at);
  const named = [job.objectName, at(answers.pairs), answers.pairs.length / 2 - 1, job.property, job.variable];
  const labels = [job.slot, job.element, job.internal, job.dictionaryEdges];
  const { parents, labels: via, classes, counts, fresh, samples, places, bytes, knownBytes, slots } = groups;
  const columns = [parents, via, classes, counts, fresh, samples, places, bytes, knownBytes, slots].map(at);
  const bounds = [slots.length - 1, groups.most, at(nodes.size)];
  do {
    const here = [
      state.now,
      state.waiting,
      state.vertex,
      state.edge,
      groups.placed,
      groups.count,
      state.step,
    ];
    run(...here, ...views, ...named, ...labels, ...columns, ...bounds);
    state.now = counter(call, 'groupNow');
    state.waiting = counter(call, 'groupWaiting');
    state.vertex = counter(call, 'groupVertex');
    state.edge = counter(call, 'groupEdge');
    state.key = counter(call, 'groupKey');
    groups.count = counter(call, 'groupCount');
    groups.placed = counter(call, 'groupsPlaced');
    state.step = Math.min(state.step * 2, maxStep);
  } while (state.waiting > 0 && state.edge === noEdge);
}
