import { expect, test } from 'vitest';
import type { GrownContainer } from '../containers/container-counts.ts';
import { holderOf } from './cure.ts';
import type { GrowthExplanation } from './explanation.ts';
import { withLocalName } from './local-name.ts';

const byId: GrownContainer = {
  path: [
    { via: 'module server.mjs', name: 'Part' },
    { via: 'variable byId', name: 'Map' },
  ],
  kind: 'Map',
  count: 5226,
  gained: 2767,
  entryBytes: 1432,
  isLight: false,
  hasTexts: true,
  shape: 'growing',
  odds: 12,
  formerPace: 0.5,
};
const step = (via: string, name: string, suspect = false): object => ({ type: 'object', via, name, suspect });
const explanationOf = (more: object): GrowthExplanation =>
  ({
    trace: [
      step('', 'global'),
      step('captured value', 'Generator of consume()'),
      step('local variable', 'Map', true),
      step('get("a")', '{key, value}', true),
    ],
    summary: 'Map holds 5,226 × {key, value}, 1.2 KiB each.',
    ...more,
  }) as never;

test('the variable of a function that waits has the name that the walk knows', () => {
  const suspect = withLocalName(explanationOf({ count: 5226 }), [byId]);
  expect(suspect.summary).toBe('byId (Map) holds 5,226 × {key, value}, 1.2 KiB each.');
  expect(holderOf(suspect.trace)).toEqual({ holder: 'byId' });
  const growth = { newBytes: 1, counts: [2000, 5200], summary: '{key, value} 2,000 → 5,200' };
  expect(holderOf(withLocalName(explanationOf(growth), [byId]).trace)).toEqual({ holder: 'byId' });
});

test('a container of another kind or size, and two that are alike, give no name', () => {
  const found = explanationOf({ count: 5226 });
  for (const containers of [
    [],
    [{ ...byId, kind: 'Array' as const }],
    [{ ...byId, count: 4000 }],
    [byId, { ...byId, path: [{ via: 'variable other', name: 'Map' }] }],
    [{ ...byId, path: [...byId.path, { via: 'inner', name: 'Map' }] }],
  ])
    expect(withLocalName(found, containers)).toBe(found);
  const named = { ...found, trace: found.trace.slice(0, 2) } as GrowthExplanation;
  expect(withLocalName(named, [byId])).toBe(named);
});
