import { beforeEach, expect, test } from 'vitest';
import { PairSchedule, type GrowingChannel } from './pair.ts';
import type { Taken } from './capture.ts';

const MiB = 1024 ** 2;
const minute = 60_000;
const heap: GrowingChannel = { fingerprint: 'growth-heap', channel: 'heap' };
const external: GrowingChannel = { fingerprint: 'growth-external', channel: 'external' };

let taken: string[];
let removed: string[];
let refuse: boolean;
let pair: PairSchedule;

beforeEach(() => {
  taken = [];
  removed = [];
  refuse = false;
  pair = new PairSchedule({
    take: (name, heapBytes): Taken => {
      if (refuse) return { capture: null, refusal: {} as never };
      taken.push(name);
      return {
        capture: { file: `${taken.length}.${name}`, at: 0, stopMs: 5, heapBytes },
        refusal: null,
        heaviness: 1,
      };
    },
    remove: ({ file }) => removed.push(file),
  });
});

const at = (
  minutes: number,
  growing: readonly GrowingChannel[],
  floorMiB = 100,
): ReturnType<PairSchedule['next']> =>
  pair.next(growing, minutes * minute, 1e12 + minutes * minute, floorMiB * MiB);

test('a leak that begins on day 3 is looked at twice, when it is suspected and when it has grown', () => {
  for (let day = 0; day < 3; day++) expect(at(day * 1440 + 40, [])).toBeUndefined();
  at(4400, [heap]);
  expect(taken).toEqual(['pair-first']);
  expect(at(4405, [heap], 120)).toBeUndefined();
  expect(at(4420, [heap], 100.5)).toBeUndefined();
  const pair = at(4440, [heap], 103);
  expect(taken).toEqual(['pair-first', 'pair-last']);
  expect(pair).toMatchObject({
    suspect: heap,
    suspectedAt: 1e12 + 4400 * minute,
    first: { heapBytes: 100 * MiB },
    last: { heapBytes: 103 * MiB, at: 1e12 + 4440 * minute },
  });
});

test('never twice for one fingerprint, and another only after the cooldown', () => {
  at(40, [heap]);
  at(60, [heap], 110);
  expect(taken).toHaveLength(2);
  at(70, [heap, external], 120);
  expect(taken).toHaveLength(2);
  at(121, [heap, external], 130);
  at(135, [heap, external], 130);
  expect(taken).toHaveLength(4);
  for (let i = 2; i < 100; i++) at(i * 120, [heap, external], 130 + i);
  expect(taken).toHaveLength(4);
});

test('the first half hour belongs to the recorder', () => {
  at(10, [heap]);
  expect(taken).toEqual([]);
});

test('a suspicion that is dropped takes its snapshot with it, and may come again', () => {
  at(40, [heap]);
  at(50, []);
  expect(removed).toEqual(['1.pair-first']);
  at(60, [heap]);
  expect(taken).toHaveLength(1);
  at(120, [heap]);
  expect(taken).toHaveLength(2);
});

test('growth that does not come is not waited for without end', () => {
  at(40, [heap]);
  at(40 + 12 * 60 + 1, [heap]);
  expect(removed).toHaveLength(1);
});

test('a refusal leaves nothing behind', () => {
  refuse = true;
  at(40, [heap]);
  refuse = false;
  at(50, [heap]);
  expect(taken).toEqual([]);
  at(101, [heap]);
  refuse = true;
  at(121, [heap], 150);
  expect(removed).toEqual(['1.pair-first']);
  refuse = false;
  at(300, [external]);
  pair.stop();
  pair.stop();
  expect(removed).toEqual(['1.pair-first', '2.pair-first']);
});
