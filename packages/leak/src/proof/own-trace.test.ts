import { expect, test } from 'vitest';
import type { TraceStep } from '@plimsoll/heap';
import { isOwnTrace } from './own-trace.ts';

const step = (name: string, rest: Partial<TraceStep> = {}): TraceStep => ({
  type: 'object',
  name,
  via: 'x',
  id: 1,
  retainedBytes: 0,
  leaking: 'maybe',
  why: '',
  suspect: false,
  ...rest,
});
const global = step('global', { type: 'root' });

test.each([
  ['from a checkout', 'sense/census/scope-walk.ts:92'],
  ['as an installed package', '@plimsoll/core/dist/sense/census/scope-walk.js:92 (@plimsoll/core 0.1.0)'],
  ['from the bundle of the preload', '@plimsoll/host/bundle/host-Bx1.js:12 (@plimsoll/host 0.1.0)'],
])('what a container of ours holds is our cost: %s', (_, at) => {
  const trace = [
    global,
    step('Census', { at: at.replace('scope-walk', 'census') }),
    step('ScopeWalk', { at }),
    step('{marker, watches}', { via: '#seen : Set → member', suspect: true }),
  ];
  expect(isOwnTrace(trace)).toBe(true);
});

test('a container of the program is a leak of the program, also when it is reached through us or holds objects of ours', () => {
  const store = step('SessionStore', { at: 'src/session/session-store.ts:35' });
  const entry = step('Scope', { at: '@plimsoll/core/dist/scope/scope.js:20', suspect: true });
  expect(isOwnTrace([global, step('Census', { at: 'sense/census/census.ts:101' }), store, entry])).toBe(
    false,
  );
  const module = step('module server.mjs', { type: 'root' });
  const buffer = step('ReplayBuffer', { at: '@plimsoll/keep/dist/replay-buffer/replay-buffer.js:70' });
  expect(isOwnTrace([module, { ...buffer, suspect: true }])).toBe(false);
  expect(isOwnTrace([module, entry])).toBe(false);
});

test('modules of ours that Node.js loads while the program runs are our cost', () => {
  const loader = step('LoadCache', { at: 'node:internal/modules/esm/module_map:10' });
  const loaded = step('f', { at: '@plimsoll/govern/dist/alert/alert-router.js:3', suspect: true });
  expect(isOwnTrace([global, loader, loaded])).toBe(true);
  expect(isOwnTrace([global, loader, step('f', { at: 'app/lib/plugin.js:3', suspect: true })])).toBe(false);
});
