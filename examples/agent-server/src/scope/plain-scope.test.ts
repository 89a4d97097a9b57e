import { expect, test } from 'vitest';
import { PlainScope } from './plain-scope.ts';

test('closing aborts the signal, closes the children and disposes last owned first', async () => {
  const order: string[] = [];
  const parent = new PlainScope();
  const child = new PlainScope({ parent });
  child.own(() => order.push('child'));
  parent.own(() => order.push('first'));
  parent.own(() => order.push('second'));
  const { signal } = child;
  await parent.close('done');
  await parent.close('again');
  expect(order).toEqual(['child', 'second', 'first']);
  expect(signal.aborted).toBe(true);
  expect(parent.signal.aborted).toBe(true);
});

test('a longer-lived signal closes the scope, and is let go on close', async () => {
  const upstream = new AbortController();
  const open = new PlainScope({ signal: upstream.signal });
  const closed = new PlainScope({ signal: upstream.signal });
  let disposed = 0;
  open.own(() => (disposed += 1));
  closed.own(() => (disposed += 10));
  await closed.close();
  upstream.abort();
  expect([open.signal.aborted, disposed]).toEqual([true, 11]);
  expect(open.run(() => 7)).toBe(7);
});
