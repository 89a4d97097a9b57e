/** Prints nanoseconds per operation of scopes, repeated: `node --expose-gc scope-cost.ts REPEATS`. In its own process, so that nothing else shapes the inline caches. */
import { setImmediate as immediate } from 'node:timers/promises';
import { open } from '../../packages/core/src/scope/index.ts';

const repeats = Number(process.argv[2]);
const agent = open('agent', 'planner');
const session = open('session', '42', { parent: agent });

// Fewer per block than the closed scopes that are followed between two collections: beyond that the cheaper path would be timed.
const block = 2000;

function openClose(count: number): number {
  const started = process.hrtime.bigint();
  for (let i = 0; i < count; i += 1) void open('tool', 'search', { parent: session }).close();
  return Number(process.hrtime.bigint() - started) / count;
}

function charge(count: number): number {
  const started = process.hrtime.bigint();
  for (let i = 0; i < count; i += 2) {
    session.charge(64);
    session.credit(64);
  }
  return Number(process.hrtime.bigint() - started) / count;
}

const samples: { openClose: number[]; charge: number[] } = { openClose: [], charge: [] };
for (let i = -20; i < repeats; i += 1) {
  const opened = openClose(block);
  (globalThis.gc as () => void)();
  await immediate();
  const charged = charge(1_000_000);
  if (i < 0) continue;
  samples.openClose.push(opened);
  samples.charge.push(charged);
}
process.stdout.write(JSON.stringify(samples));
