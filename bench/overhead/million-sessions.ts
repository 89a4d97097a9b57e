/** Opens and closes sessions, each with a tool, and prints what the process retains after so many: `node --expose-gc million-sessions.ts N N ...`. */
import { setImmediate as immediate } from 'node:timers/promises';

const marks = process.argv.slice(2).map(Number);
const collect = globalThis.gc as () => void;

/** Live bytes of everything counted: heap, external and ArrayBuffers (which external contains). */
async function floor(): Promise<number> {
  for (let i = 0; i < 5; i += 1) {
    collect();
    await immediate();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const before = await floor();
const { open } = await import('../../packages/core/src/index.ts');
const agent = open('agent', 'planner');
const retained: number[] = [];
let opened = 0;
for (const mark of marks) {
  while (opened < mark) {
    const batch = Math.min(1000, mark - opened);
    for (let i = 0; i < batch; i += 1) {
      opened += 1;
      const session = open('session', String(opened), { parent: agent, root: { history: [opened] } });
      const tool = open('tool', `tool-${opened % 7}`, { parent: session });
      tool.charge(4096);
      void tool.close('done');
      void session.close('done');
    }
    await immediate();
  }
  retained.push((await floor()) - before);
}
process.stdout.write(JSON.stringify(retained));
