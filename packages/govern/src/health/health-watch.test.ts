import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HealthWatch } from './health-watch.ts';
import type { Trouble } from './trouble.ts';
import { troubleChannelName } from './trouble.ts';

let heard: Trouble[];
const listen = (message: unknown): void => void heard.push(message as Trouble);
beforeEach(() => {
  heard = [];
  subscribe(troubleChannelName, listen);
});
afterEach(() => void unsubscribe(troubleChannelName, listen));

test('GC effectiveness below 80 % for a minute alerts, and ends above 85 %', () => {
  const watch = new HealthWatch();
  const take = (second: number, gcEffectiveness: number | null): void =>
    watch.take({ nowMs: second * 1000, gcEffectiveness, survivors: 0 });
  take(0, null);
  take(1, 0.5);
  take(50, 0.7);
  take(55, 0.81);
  take(60, 0.7);
  take(119, 0.7);
  expect(heard).toEqual([]);
  take(121, 0.7);
  take(122, 0.7);
  take(123, 0.84);
  expect(heard.map(({ name, summary }) => `${name}: ${summary}`)).toEqual([
    'memory.gc: major GCs free 70 % of what they could for a minute; below 80 % live memory grows with the work.',
  ]);
  take(124, 0.86);
  expect(heard.at(-1)).toMatchObject({ name: 'memory.gc', summary: null });
});

test('five survivors alert once, and end when they are gone', () => {
  const watch = new HealthWatch();
  const take = (survivors: number): void => watch.take({ nowMs: 0, gcEffectiveness: null, survivors });
  for (const survivors of [0, 4, 5, 6, 100]) take(survivors);
  expect(heard.map(({ name, summary }) => `${name}: ${summary}`)).toEqual([
    'memory.survivors: 5 objects of closed scopes are still alive; the alert begins at 5.',
  ]);
  take(0);
  expect(heard.at(-1)?.summary).toBeNull();
});
