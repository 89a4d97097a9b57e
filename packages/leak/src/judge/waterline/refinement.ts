/** Models around the best of the grid. They use columns beyond those of the grid and its steps, so they come last. */
import { shapeKind } from './dictionary.ts';
import type { ShapeColumn } from './dictionary.ts';
import type { Evidence } from './evidence.ts';
import { parameters as p } from './parameters.ts';

/** Rises and ended growth are tried beside the quickest saturations, which are the first columns. */
const partners = 4;
/** The eight directions around a point. */
const wayLater = [-1, 0, 1, -1, 1, -1, 0, 1] as const;
const wayWider = [-1, -1, -1, 0, 0, 1, 1, 1] as const;
/** Quiet ends of growth that is over, as shares of the time since its onset. */
const endShares = [0.06, 0.18, 0.45] as const;
const endRatio = 3;

/**
 * Looks for a better rise around the best of the grid, in three rounds of half the distance each. A round costs the logarithm of four,
 * because it divides a cell of the grid by two in each direction. It uses columns beyond the steps, so it must come last.
 */
export function refineRise(e: Evidence, rise: number, value: number): void {
  const { fit, dictionary: d } = e;
  const columns = fit.columns;
  let later = 0;
  let wider = 0;
  let most = value;
  let cost = Math.log(4);
  for (let distance = 0.5; distance > 0.1; distance /= 2, cost += Math.log(4)) {
    const fromLater = later;
    const fromWider = wider;
    for (let way = 0; way < 8; way++) {
      const ahead = (wayLater[way] as number) * distance + fromLater;
      const aside = (wayWider[way] as number) * distance + fromWider;
      const found = tryRise(e, d.nearRise(rise, ahead, aside), cost, columns);
      if (found <= most) continue;
      most = found;
      later = ahead;
      wider = aside;
    }
  }
}

function tryRise(e: Evidence, shape: ShapeColumn, cost: number, columns: number): number {
  const { fit, dictionary: d } = e;
  fit.columns = columns;
  fit.chosen[0] = fit.addColumn(shape.column, partners);
  if ((fit.chosen[0] as number) < 0) return Number.NEGATIVE_INFINITY;
  const value = e.enterRise(1, shape.cost + cost, shape.end, 'rise');
  for (let z = 0; z < 4; z++)
    if (e.choose(1, z)) {
      const pair = shape.cost + cost + (d.shapes[z] as ShapeColumn).cost + p.pairCost;
      e.enterRise(2, pair, shape.end, 'rise and saturation');
    }
  return value;
}

/**
 * Looks for a better onset around the best line of the grid, in three rounds of half the distance each, alone and beside what the grid
 * was tried with. Rises are refined, so lines must be, too: else a kink between two onsets of the grid looks like a rise.
 */
export function refineLine(e: Evidence, line: number, value: number, rise: number, step: number): void {
  const { fit, dictionary: d } = e;
  const columns = fit.columns;
  const stepCost = Math.log(fit.n) + p.stepCost;
  let rows = 0;
  let most = value;
  let cost = Math.log(2);
  for (let distance = d.lineGap / 2; distance >= 1; distance /= 2, cost += Math.log(2)) {
    const from = rows;
    for (let way = -1; way <= 1; way += 2) {
      const ahead = from + Math.round(way * distance);
      const shape = d.nearLine(line, ahead);
      if (shape === undefined) continue;
      fit.columns = columns;
      fit.chosen[0] = fit.addColumn(shape.column);
      if ((fit.chosen[0] as number) < 0) continue;
      const alone = e.judgeLeak(1, shape.cost + cost, shape, 'growth', false);
      if (step >= 0) {
        fit.chosen[1] = step;
        e.judgeLeak(2, shape.cost + cost + stepCost, shape, 'growth and step', false);
      }
      for (let z = 0; z < 3; z++)
        if (e.choose(1, z)) {
          const pair = shape.cost + cost + (d.shapes[z] as ShapeColumn).cost + p.pairCost;
          e.judgeLeak(2, pair, shape, 'growth and saturation', true);
        }
      if (rise >= 0 && e.choose(1, rise)) {
        const pair = shape.cost + cost + (d.shapes[rise] as ShapeColumn).cost + p.pairCost;
        e.judgeLeak(2, pair, shape, 'growth and rise', true);
      }
      if (alone <= most) continue;
      most = alone;
      rows = ahead;
    }
  }
}

/**
 * Growth in a straight line that is over, alone or beside a quick saturation from the start. It has the same prior as growth that has not
 * ended yet, times the chance that it ended within the time that an end of the grid stands for.
 */
export function endedGrowth(e: Evidence): void {
  const { fit, dictionary: d } = e;
  const columns = fit.columns;
  let row = -1;
  let share = 0;
  let most = Number.NEGATIVE_INFINITY;
  const attempt = (fromRow: number, quietShare: number, cost: number): void => {
    const value = tryEnded(e, fromRow, quietShare, cost, columns);
    if (value <= most) return;
    most = value;
    row = fromRow;
    share = quietShare;
  };
  for (let k = d.rises; k < d.lines; k++) {
    const { kind, row: from } = d.shapes[k] as ShapeColumn;
    if (kind === shapeKind.line) for (const quiet of endShares) attempt(from, quiet, 0);
  }
  if (row < 0) return;
  let cost = Math.log(4);
  for (let distance = 0.5; distance > 0.1; distance /= 2, cost += Math.log(4)) {
    const [fromRow, fromShare] = [row, share];
    for (let way = 0; way < 8; way++)
      attempt(
        fromRow + Math.round((wayLater[way] as number) * distance * d.lineGap),
        Math.min(0.9, fromShare * endRatio ** ((wayWider[way] as number) * distance)),
        cost,
      );
  }
}

function tryEnded(e: Evidence, row: number, share: number, refined: number, columns: number): number {
  const { fit, dictionary: d } = e;
  const shape = d.endedLine(row, share);
  if (shape === undefined) return Number.NEGATIVE_INFINITY;
  fit.columns = columns;
  fit.chosen[0] = fit.addColumn(shape.column, partners);
  if ((fit.chosen[0] as number) < 0) return Number.NEGATIVE_INFINITY;
  const quiet = share * (d.span - shape.onset);
  const cost = shape.cost + refined - Math.log(quiet / p.endureTime);
  const alone = enterEnded(e, 1, cost, shape, d.span - quiet);
  for (let z = 0; z < 3; z++)
    if (e.choose(1, z))
      enterEnded(e, 2, cost + (d.shapes[z] as ShapeColumn).cost + p.pairCost, shape, d.span - quiet);
  return alone;
}

function enterEnded(e: Evidence, terms: number, cost: number, { onset }: ShapeColumn, until: number): number {
  const fitted = e.logEvidence(terms) - cost;
  const growth = e.fit.beta[0] as number;
  if (growth <= 0) return Number.NEGATIVE_INFINITY;
  const value = fitted + e.endurance(growth, onset, until);
  e.believe(e.harmless, value, 'growth that has ended');
  return value;
}
