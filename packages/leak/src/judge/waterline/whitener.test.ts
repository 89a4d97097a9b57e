import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Whitener } from './whitener.ts';

const noise = new Whitener();

const series = fc.record({
  gaps: fc.array(fc.double({ min: 60, max: 20_000, noNaN: true }), { minLength: 3, maxLength: 40 }),
  tau: fc.double({ min: 1000, max: 30_000, noNaN: true }),
  white: fc.double({ min: 0.05, max: 3, noNaN: true }),
});

function prepare(gaps: readonly number[], tau: number, white: number): number {
  const t = Float64Array.from(gaps);
  for (let i = 1; i < t.length; i++) t[i] = (t[i] as number) + (t[i - 1] as number);
  const level = Uint8Array.from(gaps, (_, i) => (i < gaps.length / 2 ? 2 : 0));
  noise.prepare({ tau, white }, t, level, t.length, 600);
  return t.length;
}

const dot = (a: Float64Array, b: Float64Array): number =>
  a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);

describe('the whitening filter', () => {
  it('knows the product of any column with every whitened step', () => {
    fc.assert(
      fc.property(series, fc.integer(), ({ gaps, tau, white }, seed) => {
        const n = prepare(gaps, tau, white);
        const column = Float64Array.from(gaps, (_, i) => Math.sin(seed + i * 1.7));
        const products = new Float64Array(n);
        noise.alongSteps(column, products);
        for (let row = 0; row < n; row++) {
          const step = new Float64Array(n).fill(1, row);
          noise.whiten(step);
          expect(products[row]).toBeCloseTo(dot(column, step), 6);
          expect(noise.stepLength[row]).toBeCloseTo(dot(step, step), 6);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('leaves independent noise of unit variance', () => {
    const n = 160;
    let sum = 0;
    let next = 0;
    let seed = 7;
    const normal = (): number => {
      let total = -6;
      for (let k = 0; k < 12; k++) total += (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
      return total;
    };
    const rounds = 60;
    for (let round = 0; round < rounds; round++) {
      const t = Float64Array.from({ length: n }, (_, i) => i * 600);
      noise.prepare({ tau: 3600, white: 0.5 }, t, new Uint8Array(n), n, 600);
      const keep = Math.exp(-600 / 3600);
      let state = normal();
      const column = Float64Array.from({ length: n }, () => {
        const seen = state + Math.sqrt(0.5) * normal();
        state = keep * state + Math.sqrt(1 - keep * keep) * normal();
        return seen;
      });
      noise.whiten(column);
      for (let i = 0; i < n; i++) sum += (column[i] as number) ** 2;
      for (let i = 1; i < n; i++) next += (column[i] as number) * (column[i - 1] as number);
    }
    expect(sum / (rounds * n)).toBeCloseTo(1, 1);
    expect(next / (rounds * n)).toBeCloseTo(0, 1);
  });
});
