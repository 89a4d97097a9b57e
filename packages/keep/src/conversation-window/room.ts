import type { UnitList } from './unit-list.ts';

/** What a window holds, or may hold. */
export interface Extent {
  readonly bytes: number;
  readonly tokens: number;
}

/** What may stay; what is infinite does not count. */
interface Bounds extends Extent {
  readonly turns: number;
}

/** How many of the oldest units have to go to come under some bounds: whole turns, never the last one. `scale` corrects the tokens of units. */
export function turnsToDrop(
  units: UnitList<unknown>,
  held: Extent,
  bounds: Bounds,
  lastTurn: number,
  scale: number,
): number {
  let { bytes, tokens } = held;
  let count = 0;
  const { length } = units;
  while (count < length) {
    const unit = units.at(count);
    const isUnder =
      bytes <= bounds.bytes && tokens <= bounds.tokens && lastTurn - unit.turn + 1 <= bounds.turns;
    const isStart = count === 0 || unit.turn !== units.at(count - 1).turn;
    if ((isUnder && isStart) || unit.turn === lastTurn) break;
    bytes -= unit.bytes;
    tokens -= unit.tokens * scale;
    count++;
  }
  return count;
}

/** How many units of the last turn have to go, from an index on: the oldest exchanges that are answered, never the newest unit. */
export function exchangesToDrop(
  units: UnitList<unknown>,
  from: number,
  held: Extent,
  bounds: Extent,
  scale: number,
): number {
  let { bytes, tokens } = held;
  let count = 0;
  while (from + count < units.length - 1) {
    const unit = units.at(from + count);
    if ((bytes <= bounds.bytes && tokens <= bounds.tokens) || unit.open > 0) break;
    bytes -= unit.bytes;
    tokens -= unit.tokens * scale;
    count++;
  }
  return count;
}

/**
 * How many of some oldest units are whole turns without an open tool call. A result that is still to come must not be lost in a summary.
 */
export function answeredAmong(units: UnitList<unknown>, count: number): number {
  for (let i = 0; i < count; i++) {
    if (units.at(i).open === 0) continue;
    let start = i;
    while (start > 0 && units.at(start - 1).turn === units.at(i).turn) start--;
    return start;
  }
  return count;
}
