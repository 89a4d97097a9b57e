import { describe, expect, it } from 'vitest';
import { NoiseMemory } from './shape-test.ts';
import { noiseShapes } from './whitener.ts';

describe('NoiseMemory', () => {
  it('begins with the kind that explained most, and leaves the hopeless out until all are tried again', () => {
    const memory = new NoiseMemory();
    const tried: number[] = [];
    for (let test = 0; test < 13; test++) {
      memory.begin();
      const kinds = noiseShapes.keys().filter((kind) => memory.isWorthTrying(kind));
      tried.push([...kinds].length);
      for (const kind of noiseShapes.keys()) memory.learn(kind, kind === 4 ? -1 : kind === 2 ? -3 : -20);
    }
    expect(memory.likeliest).toBe(4);
    expect(tried).toEqual([7, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 7]);
  });
});
