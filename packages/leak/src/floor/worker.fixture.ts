/** Takes readings inside a worker thread and sends them to the parent. */
import { parentPort } from 'node:worker_threads';
import { open, roster } from '@plimsoll/core/internal/scope/index';
import { Census } from '@plimsoll/core/internal/sense/census/census';
import { limits } from '@plimsoll/core/internal/sense/limits';
import { processSensor } from './floor-watch.ts';
import { Sampler } from '@plimsoll/core/internal/sense/sampler';

const session = { text: Buffer.from('x'.repeat(100_000)).toString(), turns: [1.5, 2.5] };
const scope = open('session', '1', { root: session });
const census = new Census({ roster });
const sampler = new Sampler({ sensor: processSensor(), intervalMs: 100 });
globalThis.gc?.();
census.completeRotation();
const reading = sampler.sample();
const { binding, all } = limits();
parentPort?.postMessage({
  floor: reading?.floor,
  binding: binding.source,
  limit: all[0]?.bytes,
  scopeBytes: census.bytesOf(scope)?.bytes,
});
sampler.stop();
