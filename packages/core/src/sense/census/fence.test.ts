import { expect, test } from 'vitest';
import { Fence } from './fence.ts';

const scope = (): { state: 'open' | 'closed' } => ({ state: 'open' });

test('a root bars every scope but its own, and the first claim stands until its scope closes', () => {
  const fence = new Fence();
  const [first, second] = [scope(), scope()];
  const root = {};
  fence.claim(root, first);
  fence.claim(root, second);
  expect([fence.bars(root, first), fence.bars(root, second)]).toEqual([false, true]);
  fence.share(root);
  expect(fence.bars(root, first)).toBe(false);
  expect(fence.objects).toBe(0);
  first.state = 'closed';
  expect(fence.bars(root, second)).toBe(false);
  fence.claim(root, second);
  expect(fence.bars(root, scope())).toBe(true);
});

test('a shared object bars all, until nobody found it shared for eight generations', () => {
  const fence = new Fence();
  const anyone = scope();
  const shared = {};
  expect(fence.bars(shared, anyone)).toBe(false);
  fence.share(shared);
  for (let i = 0; i < 8; i++) {
    fence.turn();
    expect(fence.bars(shared, anyone)).toBe(true);
  }
  fence.turn();
  expect(fence.bars(shared, anyone)).toBe(false);
  fence.share(shared);
  expect(fence.bars(shared, anyone)).toBe(true);
  expect(fence.objects).toBe(1);
  fence.claim(shared, anyone);
  expect(fence.bars(shared, anyone)).toBe(false);
});

test('texts count from the next generation on and are bounded in number and length', () => {
  const fence = new Fence();
  fence.shareText('prompt');
  expect(fence.barsText('prompt')).toBe(false);
  fence.turn();
  expect(fence.barsText('prompt')).toBe(true);
  expect(fence.barsText('pr0mpt')).toBe(false);
  fence.shareText('x'.repeat(600_000));
  for (let i = 0; i < 1000; i++) fence.shareText(`text ${i}`);
  fence.turn();
  expect(fence.textCount).toBe(256);
  expect(fence.retainedBytes).toBeLessThan(512 * 1024);
  fence.turn();
  expect(fence.textCount).toBe(0);
});

test('the list of shared objects is bounded: full, it is forgotten and begun again', () => {
  const fence = new Fence();
  const objects = Array.from({ length: 20_001 }, () => ({}));
  for (const object of objects) fence.share(object);
  expect(fence.objects).toBe(1);
  expect(fence.bars(objects[0] as object, scope())).toBe(false);
  expect(fence.bars(objects[20_000] as object, scope())).toBe(true);
});

test('a slab of buffers is a scope’s while it alone has pieces of it and Buffer takes no more', () => {
  const fence = new Fence();
  const [one, other] = [scope(), scope()];
  const slab = Buffer.allocUnsafe(8).buffer;
  // Buffer goes on to the next slab.
  while (Buffer.allocUnsafe(64).buffer === slab) {
    expect(fence.isOnlyUser(slab, one)).toBe(false);
    Buffer.allocUnsafe(Buffer.poolSize / 4);
  }
  expect(fence.isOnlyUser(slab, one)).toBe(true);
  expect(fence.isOnlyUser(slab, other)).toBe(false);
  expect(fence.isOnlyUser(slab, one)).toBe(false);
  expect([fence.bars(globalThis, one), fence.bars(process, one)]).toEqual([true, true]);
});
