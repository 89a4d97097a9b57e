/**
 * Opens and closes sessions, each with a tool, and prints what the process holds after so many:
 * `node --expose-gc million-sessions.ts governed|bare N N ...`. `bare` makes the same objects without scopes.
 */
import { setImmediate as immediate } from 'node:timers/promises';

const [mode, ...marks] = process.argv.slice(2);
const collect = globalThis.gc as () => void;

/** Heap and everything outside it that V8 knows of, right after a collection. */
async function held(): Promise<number> {
  for (let i = 0; i < 5; i += 1) {
    collect();
    await immediate();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function governedSession(): Promise<(id: number) => void> {
  const { open } = await import('../../packages/core/src/scope/index.ts');
  const agent = open('agent', 'planner');
  return (id) => {
    const session = open('session', String(id), { parent: agent, root: { history: [id] } });
    const tool = open('tool', `tool-${id % 7}`, { parent: session });
    tool.charge(4096);
    void tool.close('done');
    void session.close('done');
  };
}

const roots: object[] = [];
const session =
  mode === 'governed'
    ? await governedSession()
    : (id: number): void => {
        roots[id % 16] = { name: `tool-${id % 7}`, root: { history: [id] } };
      };

const course: number[] = [];
let opened = 0;
for (const mark of marks.map(Number)) {
  while (opened < mark) {
    const end = Math.min(opened + 1000, mark);
    while (opened < end) session((opened += 1));
    await immediate();
  }
  course.push(await held());
}
process.stdout.write(JSON.stringify(course));
