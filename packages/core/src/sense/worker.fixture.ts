/** Senses inside a worker thread and tells the parent. */
import { parentPort } from 'node:worker_threads';
import { open, roster } from '../scope/index.ts';
import { Census } from './census/census.ts';
import { limits } from './limits.ts';
import { Sampler } from './sampler.ts';

const session = { text: Buffer.from('x'.repeat(100_000)).toString(), turns: [1.5, 2.5] };
const scope = open('session', '1', { root: session });
const census = new Census({ roster });
const sampler = new Sampler({ intervalMs: 100 });
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
