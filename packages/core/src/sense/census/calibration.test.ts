import { afterEach, describe, expect, test } from 'vitest';
import { open, roster } from '../../scope/index.ts';
import type { Scope } from '../../scope/scope.ts';
import { Calibration } from './calibration.ts';
import { Census } from './census.ts';
import type { CensusResult } from './scope-walk.ts';

describe('Calibration', () => {
  const pairs = (
    group: string,
    count: number,
    ratio: number,
  ): { group: string; walked: number; retained: number }[] =>
    Array.from({ length: count }, (_, i) => ({ group, walked: 1000 + i, retained: ratio * (1000 + i) }));

  test('learns the ratio of a kind from three of its scopes on', () => {
    const calibration = new Calibration();
    calibration.learn([...pairs('slices', 3, 8), ...pairs('rare', 2, 8)]);
    expect(calibration.of('slices')?.ratio).toBeCloseTo(8);
    calibration.learn(pairs('pieces of pages', 3, 60));
    expect(calibration.of('pieces of pages')?.ratio).toBeCloseTo(60);
    expect(calibration.of('rare')).toBeUndefined();
  });

  test('takes small differences for noise, forgets what no longer holds, and believes no wild ratio', () => {
    const calibration = new Calibration();
    calibration.learn(pairs('chat', 5, 1.02));
    calibration.learn(pairs('held elsewhere, too', 5, 0.3));
    calibration.learn(pairs('wild', 5, 5000));
    expect(calibration.size).toBe(0);
    calibration.learn(pairs('slices', 5, 3));
    expect(calibration.size).toBe(1);
    calibration.learn(pairs('slices', 5, 1));
    expect(calibration.size).toBe(0);
  });

  test('knows how far single scopes are off', () => {
    const calibration = new Calibration();
    calibration.learn([
      { group: 'mixed', walked: 1000, retained: 2000 },
      { group: 'mixed', walked: 1000, retained: 4000 },
      { group: 'mixed', walked: 1000, retained: 3000 },
    ]);
    expect(calibration.of('mixed')?.ratio).toBeCloseTo(3);
    expect(calibration.of('mixed')?.spread).toBeCloseTo(Math.sqrt(2 / 3) / 3);
  });

  test('stays bounded however many kinds there are', () => {
    const calibration = new Calibration();
    for (let i = 0; i < 3000; i++) calibration.learn(pairs(`kind ${i}`, 3, 2));
    expect(calibration.size).toBeLessThanOrEqual(1000);
  });
});

/** Keeps a short piece of every page, and with it the page. */
class Slices {
  readonly fields: string[] = [];

  constructor(count: number) {
    for (let i = 0; i < count; i++)
      this.fields.push(
        Buffer.from(`page ${i} ${'of many words '.repeat(20)}`)
          .toString()
          .slice(5, 45),
      );
  }
}

class Plain {
  readonly text = Buffer.from('something else of a certain length').toString();
}

describe('a census that was told of a snapshot', () => {
  const scopes: Scope[] = [];
  const census = new Census({ roster, lookInside: false });
  const bytesOf = (scope: Scope): CensusResult => census.bytesOf(scope) as CensusResult;
  const session = (name: string, root: object): Scope => {
    const scope = open('session', name, { root });
    scopes.push(scope);
    return scope;
  };
  afterEach(async () => {
    census[Symbol.dispose]();
    for (const scope of scopes.splice(0)) await scope.close();
  });

  test('corrects the scopes of the same kinds by it, and their sum', () => {
    const known = [10, 20, 30].map((count, i) => session(`known-${i}`, new Slices(count)));
    const other = session('other', new Slices(25));
    const plain = session('plain', new Plain());
    census.completeRotation();
    const before = { other: bytesOf(other), plain: bytesOf(plain), total: census.total().bytes };
    const rows = known.map((scope) => ({ path: scope.path, retainedBytes: 5 * bytesOf(scope).bytes }));
    census.calibrate(rows, Date.now() - 600_000);
    expect(bytesOf(other)).toEqual(before.other);
    census.calibrate([...rows, { path: 'process/session:gone', retainedBytes: 1e6 }], Date.now());
    const after = bytesOf(other);
    expect(after.bytes / before.other.bytes).toBeCloseTo(5, 2);
    expect(after.low).toBeLessThan(after.bytes);
    expect(after.high).toBeGreaterThan(after.bytes);
    expect(bytesOf(plain)).toEqual(before.plain);
    expect(census.total().bytes / (5 * (before.total - before.plain.bytes) + before.plain.bytes)).toBeCloseTo(
      1,
      2,
    );
  });
});
