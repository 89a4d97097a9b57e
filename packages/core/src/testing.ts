/** What a test of a program needs that uses Plimsoll: a clock it moves itself, and readings it writes itself. */
export { FakeClock } from './sense/fake-clock.ts';
export { FakeSensor } from './sense/fake-sensor.ts';
export type { Clock } from './sense/clock.ts';
export type { Sensor, Vitals } from './sense/sensor.ts';
