/** Starts everything that ticks, prints a reading, and has nothing else to do: the process must end by itself. */
import { open, roster } from '../scope/index.ts';
import { Census } from './census/census.ts';
import { Sampler } from './sampler.ts';

open('session', '1', { root: { messages: ['hello'] } });
const sampler = new Sampler();
sampler.start();
sampler.hurry();
new Census({ roster, self: sampler.self }).start();
process.stdout.write(JSON.stringify(sampler.latest));
