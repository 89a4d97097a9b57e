import { expect, test } from 'vitest';
import { lateOps, recordedOps } from './controls.ts';

test('operations are loaded with the first question, once, and answer by their names', async () => {
  let loads = 0;
  const ops = lateOps(['add', 'fail'], () => {
    loads++;
    return Promise.resolve({
      add: ({ a, b }) => Number(a) + Number(b),
      fail: () => {
        throw new Error('no');
      },
    });
  });
  expect([Object.keys(ops), loads]).toEqual([['add', 'fail'], 0]);
  expect(await Promise.all([ops['add']?.({ a: 1, b: 2 }), ops['add']?.({ a: 3, b: 4 })])).toEqual([3, 7]);
  await expect(ops['fail']?.({})).rejects.toThrow('no');
  expect(loads).toBe(1);
});

test('what could not be loaded is tried again with the next question', async () => {
  let loads = 0;
  const ops = lateOps(['ping'], () => {
    loads++;
    return loads === 1 ? Promise.reject(new Error('gone')) : Promise.resolve({ ping: () => 'pong' });
  });
  await expect(ops['ping']?.({})).rejects.toThrow('gone');
  expect(await ops['ping']?.({})).toBe('pong');
});

test('an answer waits until what was done is recorded', async () => {
  const order: string[] = [];
  let record: () => void = () => undefined;
  const recorded = (): Promise<void> =>
    new Promise((done) => {
      record = () => {
        order.push('recorded');
        done();
      };
    });
  const ops = recordedOps({ decide: () => 'approved', list: () => 'rows' }, ['decide'], recorded);
  expect(ops['list']?.({})).toBe('rows');
  const answered = Promise.resolve(ops['decide']?.({})).then((answer) => order.push(String(answer)));
  await new Promise((turn) => setImmediate(turn));
  expect(order).toEqual([]);
  record();
  await answered;
  expect(order).toEqual(['recorded', 'approved']);
});
