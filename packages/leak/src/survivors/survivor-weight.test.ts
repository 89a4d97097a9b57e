import { expect, it } from 'vitest';
import { weighSurvivors } from './survivor-weight.ts';

const MiB = 1024 ** 2;
const day = 86_400_000;
const facts = {
  bytesEach: 100 * 1024,
  alive: 50,
  gained: 40,
  overMs: 3_600_000,
  roomBytes: 1000 * MiB,
  usedRatio: 0.2,
};

it('weighs all of them by the one that was measured, and foresees the limit by their pace', () => {
  const weight = weighSurvivors(facts);
  expect(weight).toMatchObject({ bytes: 5_120_000, rate: 4_096_000, severity: 'medium' });
  expect(weight.exhaustsIn?.ms).toBeCloseTo(10.67 * day, -7);
});

it('is graver the sooner they meet the limit, never below medium', () => {
  expect(weighSurvivors({ ...facts, bytesEach: MiB }).severity).toBe('high');
  expect(weighSurvivors({ ...facts, bytesEach: 20 * MiB }).severity).toBe('critical');
  expect(weighSurvivors({ ...facts, bytesEach: 10 }).severity).toBe('medium');
  expect(weighSurvivors({ ...facts, usedRatio: 0.95 }).severity).toBe('critical');
});

it('foresees nothing from a moment or from a number that stands still', () => {
  for (const still of [{ overMs: 1000 }, { gained: 0 }])
    expect(weighSurvivors({ ...facts, ...still })).toEqual({ bytes: 5_120_000, severity: 'medium' });
});
