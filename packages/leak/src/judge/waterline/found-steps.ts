/** Steps that a test has found so far under one kind of noise: columns of the design, each with the row at which it begins. */
import { parameters as p } from './parameters.ts';
import { addStep, bestStep, chosen, fit } from './regression.ts';

/** Row of each column that is a step. */
export const stepAt = new Int32Array(64);
let firstStep = 0;

/** Columns added from here on are steps. */
export function beginSteps(): void {
  firstStep = fit.columns;
}

/** The column of the step that helps most beyond the first `terms` chosen columns; -1 when there is none. */
export function nextStep(terms: number): number {
  const row = bestStep(terms);
  if (row < 0) return -1;
  for (let column = firstStep; column < fit.columns; column++) if (stepAt[column] === row) return column;
  const column = addStep(row);
  if (column >= 0) stepAt[column] = row;
  return column;
}

/** How many of the chosen steps stand apart: one inside a wide bucket shows as two or three in neighbouring rows. */
export function stepsApart(terms: number): number {
  let count = 0;
  for (let i = 0; i < terms; i++) if (!followsAnother(i, terms)) count++;
  return count;
}

function followsAnother(i: number, terms: number): boolean {
  const own = stepAt[chosen[i] as number] as number;
  for (let j = 0; j < terms; j++) {
    const gap = own - (stepAt[chosen[j] as number] as number);
    if (gap > 0 && gap <= p.stepSmear) return true;
  }
  return false;
}
