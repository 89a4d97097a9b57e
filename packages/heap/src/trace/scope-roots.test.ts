import { expect, test } from 'vitest';
import { openSnapshot } from '../snapshot.ts';
import { HeapFixture } from './heap.fixture.ts';
import { scopeRoots } from './scope-roots.ts';

function mark(
  heap: HeapFixture,
  path: string | undefined,
  state: string | undefined,
  roots: readonly number[],
): void {
  const marker = heap.node('object', 'PlimsollScopeRoot');
  heap.edge(heap.global, 'property', 'marks', marker);
  if (path !== undefined) heap.edge(marker, 'property', 'path', heap.string(path));
  if (state !== undefined) heap.edge(marker, 'property', 'state', heap.string(state));
  if (roots.length > 0) heap.array(marker, 'roots', roots);
}

test('a scope holds what its roots alone and together keep alive, and not what others hold too', async () => {
  const heap = new HeapFixture().mention('sessions', 'history', 'cache');
  const [history, cache] = [heap.node('object', 'History', 1000), heap.node('object', 'Cache', 2000)];
  heap.array(heap.global, 'sessions', [history, cache]);
  const together = heap.property(history, 'index', 'object', 'Index', 400);
  heap.edge(cache, 'property', 'index', together);
  heap.edge(together, 'property', 'self', together);
  const outside = heap.property(heap.global, 'tools', 'object', 'Tools', 50_000);
  const schema = heap.property(outside, 'schema', 'object', 'Schema', 10_000);
  heap.edge(history, 'property', 'schema', schema);
  heap.edge(cache, 'property', 'schema', schema);
  mark(heap, 'process/session:1', 'open', [history, cache]);
  mark(heap, 'process/session:2', 'closed', [history]);
  mark(heap, 'process/session:2', 'closed', []);
  mark(heap, undefined, undefined, []);
  mark(heap, 'process/session:3', undefined, []);
  const scopes = scopeRoots(await openSnapshot(heap.stream()));
  expect(scopes.rows).toEqual([
    { path: 'process/session:1', state: 'open', retainedBytes: 3400, roots: 2 },
    { path: 'process/session:2', state: 'closed', retainedBytes: 1000, roots: 1 },
    { path: 'process/session:3', state: 'open', retainedBytes: 0, roots: 0 },
  ]);
  expect(scopes.of(cache)).toEqual({ path: 'process/session:1', state: 'open' });
  expect(scopes.rootsOf('process/session:1')).toEqual([history, cache]);
  expect(scopes.rootsOf('nobody')).toEqual([]);
});
