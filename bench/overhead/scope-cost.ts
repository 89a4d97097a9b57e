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

/** As a tool call uses a scope: with its signal handed on and its work inside it. */
function wholeScope(count: number): number {
  const started = process.hrtime.bigint();
  for (let i = 0; i < count; i += 1) {
    const scope = open('tool', 'search', { parent: session });
    signals[i % signals.length] = scope.signal;
    scope.run(work);
    void scope.close();
  }
  return Number(process.hrtime.bigint() - started) / count;
}

/** The part of it that Node.js takes for any signal. */
function bareSignal(count: number): number {
  const started = process.hrtime.bigint();
  for (let i = 0; i < count; i += 1) {
    const controller = new AbortController();
    signals[i % signals.length] = controller.signal;
    controller.abort(signals);
  }
  return Number(process.hrtime.bigint() - started) / count;
}

const signals: AbortSignal[] = [new AbortController().signal];
const work = (): number => signals.length;

function charge(count: number): number {
  const started = process.hrtime.bigint();
  for (let i = 0; i < count; i += 2) {
    session.charge(64);
    session.credit(64);
  }
  return Number(process.hrtime.bigint() - started) / count;
}

const samples: Record<'openClose' | 'whole' | 'bare' | 'charge', number[]> = {
  openClose: [],
  whole: [],
  bare: [],
  charge: [],
};
for (let i = -20; i < repeats; i += 1) {
  const opened = openClose(block);
  (globalThis.gc as () => void)();
  await immediate();
  const whole = wholeScope(block);
  (globalThis.gc as () => void)();
  await immediate();
  const bare = bareSignal(block);
  const charged = charge(1_000_000);
  if (i < 0) continue;
  samples.openClose.push(opened);
  samples.whole.push(whole);
  samples.bare.push(bare);
  samples.charge.push(charged);
}
process.stdout.write(JSON.stringify(samples));
