import inspector from 'node:inspector';
import { expect, test } from 'vitest';
import { SiteSampler, type Site } from '../sites/site-sampler.ts';
import { rememberer } from './entered-functions.fixture.ts';
import { enterFunctions } from './entered-functions.ts';
import { FunctionScopes } from './function-scopes.ts';

const gc = (globalThis as { gc?: () => void }).gc as () => void;

/** Works a thousand times in each turn while `wait` lasts. */
async function busy<T>(work: () => void, wait: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => {
    for (let i = 0; i < 1000; i++) work();
  }, 1);
  try {
    return await wait();
  } finally {
    clearInterval(timer);
  }
}

/** The functions that add to the containers, as the sampler has them. */
async function sitesOf(work: (n: number) => void): Promise<readonly Site[]> {
  using eager = new SiteSampler(512, (file) => !file.endsWith('.fixture.ts'));
  await eager.start();
  eager.read();
  for (let n = 0; n < 5000; n++) work(n);
  eager.read();
  return eager.busyFunctions().slice(0, 2);
}

test('a function that comes by a thousand times per turn is asked once, and nothing of it is kept', async () => {
  const remember = rememberer();
  const sites = await sitesOf(remember);
  using scopes = FunctionScopes.open() as FunctionScopes;
  const kept: number[] = [];
  const enter = async (): Promise<readonly WeakRef<object>[]> => {
    const own = { discount: (slice: () => void) => slice(), keep: (bytes: number) => void kept.push(bytes) };
    const found = await busy(
      () => remember(1),
      () => enterFunctions(sites, scopes, own),
    );
    expect(found.map(({ site }) => site)).toEqual(expect.arrayContaining([...sites]));
    expect(found).toHaveLength(sites.length);
    expect(found.some(({ variables }) => variables.has('answers'))).toBe(true);
    return found.map((each) => new WeakRef(each));
  };
  const refs = await enter();
  expect(kept).toHaveLength(1);
  expect(Object.getOwnPropertySymbols(globalThis).map(String)).not.toContain('Symbol(plimsoll.entered.v1)');
  await new Promise((done) => setImmediate(done));
  gc();
  expect(refs.map((ref) => ref.deref())).toEqual(sites.map(() => undefined));
});

test('nothing is entered while the process listens for a debugger', async () => {
  const remember = rememberer();
  const sites = await sitesOf(remember);
  using scopes = FunctionScopes.open() as FunctionScopes;
  const own = { discount: (slice: () => void) => slice(), keep: () => undefined };
  using listening = inspector.open(0, '127.0.0.1');
  expect(listening).toBeDefined();
  const found = await busy(
    () => remember(1),
    () => enterFunctions(sites, scopes, own),
  );
  expect(found).toEqual([]);
});
