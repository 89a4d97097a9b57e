import { expect, test } from 'vitest';
import { homeOf, keepers, registerKeeper } from './keeper.ts';
import type { Keeper } from './keeper.ts';

function fake(name: string): Keeper {
  return { name, kind: 'fake', bytes: 1, stats: () => ({}), shed: () => Promise.resolve(0) };
}

test('the roster lists keepers until they are removed', () => {
  const keeper = fake('one');
  const remove = registerKeeper(keeper);
  expect(keepers()).toContain(keeper);
  remove();
  expect(keepers()).not.toContain(keeper);
});

test('keepers that nobody holds leave by themselves, and the roster stays small', async () => {
  for (let i = 0; i < 500; i++) registerKeeper(fake(`dropped ${i}`));
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  expect(keepers().filter((keeper) => keeper.name.startsWith('dropped'))).toHaveLength(0);
});

test('a keeper may say which scope it charges', () => {
  const [here, nowhere] = [fake('here'), fake('nowhere')];
  const removes = [registerKeeper(here, 'process/agent:a'), registerKeeper(nowhere)];
  expect([homeOf(here), homeOf(nowhere)]).toEqual(['process/agent:a', undefined]);
  for (const remove of removes) remove();
});
