import { systemClock, type Clock } from '@plimsoll/core/internal/sense/clock';
import { ProcessSensor } from '@plimsoll/core/internal/sense/process-sensor';
import { FloorWatch } from './floor-watch.ts';

/** The sensor of this thread, with floors from the one reader of the collector. */
export function processSensor(clock: Clock = systemClock): ProcessSensor {
  return new ProcessSensor({ clock, floors: new FloorWatch(clock) });
}
