import { afterEach, expect, test } from 'vitest';
import { slots } from '@plimsoll/core/internal/slots';
import { SiteSampler } from './site-sampler.ts';

const sampler = new SiteSampler();
afterEach(() => sampler[Symbol.dispose]());

test('one sampler per isolate: while another one runs it does not start', async () => {
  slots().sampling = { since: 0 };
  expect(await sampler.start()).toBe(false);
  slots().sampling = undefined;
  expect(await sampler.start()).toBe(true);
  expect(await sampler.start()).toBe(true);
  sampler[Symbol.dispose]();
  expect(slots().sampling).toBeUndefined();
  expect(sampler.read()).toBe(false);
});

test('reads are bounded and keep the first one', async () => {
  await sampler.start();
  for (let i = 0; i < 25; i++) sampler.read(i);
  expect(sampler.reads.length).toBeLessThanOrEqual(10);
  expect(sampler.reads[0]?.at).toBe(0);
  expect(sampler.reads.at(-1)?.at).toBe(24);
});

test('growth is that after the start of the program, once there are enough reads', async () => {
  using eager = new SiteSampler(512, () => false);
  await eager.start();
  const hourMs = 3_600_000;
  const perHourOf = (): number => {
    const { rows = [] } = eager.growth() ?? {};
    return rows.find(({ site }) => eager.site(site)?.function === 'keepOfTest')?.perHour ?? 0;
  };
  // The first read is a hundred hours older than the others.
  for (let i = 0; i < 6; i++) {
    for (let n = 0; n < 500; n++) keepOfTest(n);
    eager.read(i === 0 ? 0 : (100 + i) * hourMs);
  }
  const withStart = perHourOf();
  eager.read(106 * hourMs);
  expect(perHourOf()).toBeGreaterThan(5 * withStart);
  kept.length = 0;
});

const kept: object[] = [];
function keepOfTest(i: number): void {
  kept.push({ i, list: [i, `${i}`] });
}

function keepOtherwiseOfTest(i: number): void {
  kept.push({ text: `${i}`, list: [i, i] });
}

test('functions of the program are known by what they keep allocating, and their scripts by whose they are', async () => {
  using eager = new SiteSampler(512, () => false);
  await eager.start();
  for (let i = 0; i < 20_000; i++) keepOfTest(i);
  expect(eager.read()).toBe(true);
  const busy = eager.busyFunctions().find((each) => each.function === 'keepOfTest');
  expect(eager.scripts.of(busy?.scriptId ?? '')).toBe('program');
  expect(eager.scripts.isKnown).toBe(true);
  // What was added since comes first.
  for (let i = 0; i < 2000; i++) keepOtherwiseOfTest(i);
  eager.read();
  const names = eager.busyFunctions().map((each) => each.function);
  expect(names.indexOf('keepOtherwiseOfTest')).toBeLessThan(names.indexOf('keepOfTest'));
  expect(names.indexOf('keepOfTest')).toBeGreaterThan(0);
  kept.length = 0;
});
