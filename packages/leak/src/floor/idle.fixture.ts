/** Starts all timers of Plimsoll, prints a reading, and does nothing else. The process must end by itself. */
import { open, roster } from '@plimsoll/core/internal/scope/index';
import { Census } from '@plimsoll/core/internal/sense/census/census';
import { processSensor } from './floor-watch.ts';
import { Sampler } from '@plimsoll/core/internal/sense/sampler';

open('session', '1', { root: { messages: ['hello'] } });
const sampler = new Sampler({ sensor: processSensor() });
sampler.start();
sampler.hurry();
new Census({ roster, self: sampler.self }).start();
process.stdout.write(JSON.stringify(sampler.latest));
