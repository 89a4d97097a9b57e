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

/** Arguments of a call that begins anew thousands of times, each after an answer, in which only the first ones change. */
const prepared = new WeakMap<GroupJob, { readonly classes: number[]; readonly search: number[] }>();

function argumentsOf(job: GroupJob): { readonly classes: number[]; readonly search: number[] } {
  let found = prepared.get(job);
  if (found === undefined) prepared.set(job, (found = { classes: ofClasses(job), search: ofSearch(job) }));
  return found;
}

function ofClasses({ nodes, search, answers, ...job }: GroupJob): number[] {
  const columns = [nodes.kind, nodes.name, nodes.plain, nodes.acts].map(at);
  const more = [job.order, search.roles, job.ids, job.known].map(at);
  const rest = [job.known.length, job.text, at(answers.pairs), answers.pairs.length / 2 - 1, at(job.records)];
  return [0, 0, ...columns, job.objectName, job.emptyName, job.scopeName, ...more, ...rest];
}

function ofSearch({ nodes, search, answers, groups, ...job }: GroupJob): number[] {
  const graph = [search.firstEdge, search.to, search.vertex, search.reached, search.pool];
  const views = [...graph, job.records, job.edgeWords, nodes.name, nodes.plain].map(at);
  const named = [job.objectName, at(answers.pairs), answers.pairs.length / 2 - 1, job.property, job.variable];
  const labels = [job.slot, job.element, job.internal, job.dictionaryEdges];
  const { parents, labels: via, classes, counts, fresh, samples, places, bytes, knownBytes, slots } = groups;
  const columns = [parents, via, classes, counts, fresh, samples, places, bytes, knownBytes, slots].map(at);
  const bounds = [slots.length - 1, groups.most, at(nodes.size)];
  return [0, 0, 0, 0, 0, 0, 0, ...views, ...named, ...labels, ...columns, ...bounds];
}

export function classWords(call: Exports, job: GroupJob, first: number): number {
  const run = call['classWords'] as Call;
  const args = argumentsOf(job).classes;
  const { count } = job.nodes;
  for (let node = first, step = firstStep; node < count; step = Math.min(step * 2, maxStep)) {
    const last = Math.min(node + step, count);
    args[0] = node;
    args[1] = last;
    node = run(...args) >>> 0;
    if (node < last) return node;
  }
  return count;
}

export function groupedPaths(call: Exports, job: GroupJob, state: GroupState): void {
  const run = call['groupedPaths'] as Call;
  const { groups } = job;
  const args = argumentsOf(job).search;
  do {
    args[0] = state.now;
    args[1] = state.waiting;
    args[2] = state.vertex;
    args[3] = state.edge;
    args[4] = groups.placed;
    args[5] = groups.count;
    args[6] = state.step;
    run(...args);
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
