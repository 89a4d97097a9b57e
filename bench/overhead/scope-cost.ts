/**
 * Prints nanoseconds of CPU per operation of scopes, repeated: `node scope-cost.ts REPEATS`. In its own process, so that nothing else shapes
 * the inline caches. Collections come by themselves and are counted: a forced one throws away what V8 has learnt and shrinks the young
 * generation, which doubled the figure of a signal.
 */
import { setImmediate as immediate } from 'node:timers/promises';
import { open } from '../../packages/core/src/scope/index.ts';
import { withoutStack } from '../../packages/core/src/without-stack.ts';

const repeats = Number(process.argv[2]);
const agent = open('agent', 'planner');
const session = open('session', '42', { parent: agent });

const block = 10_000;

const work = (): number => signals.length;
const works = {
  openClose: () => void open('tool', 'search', { parent: session }).close(),
  /** As a tool call uses a scope: with its signal handed on and its work inside it. */
  whole: (i: number): void => {
    const scope = open('tool', 'search', { parent: session });
    signals[i % signals.length] = scope.signal;
    scope.run(work);
    void scope.close();
  },
  /** The parts of it that Node.js takes for any signal whose reason is an error of its own. */
  bare: (i: number): void => {
    const controller = new AbortController();
    signals[i % signals.length] = controller.signal;
    controller.abort(withoutStack(() => new Error('the scope has closed (closed).')));
  },
  charge: (i: number): void => (i % 2 === 0 ? session.charge(64) : session.credit(64)),
};

const signals: AbortSignal[] = [new AbortController().signal];
const samples: Record<string, number[]> = {};
for (let repeat = -20; repeat < repeats; repeat += 1) {
  for (const [name, run] of Object.entries(works)) {
    await immediate();
    const before = process.cpuUsage();
    for (let i = 0; i < block; i += 1) run(i);
    const { user, system } = process.cpuUsage(before);
    if (repeat >= 0) (samples[name] ??= []).push(((user + system) * 1000) / block);
  }
}
process.stdout.write(JSON.stringify(samples));
