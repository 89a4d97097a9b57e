/** One tool asked about one function in a fresh process: `peer-worker.ts TOOL NAME`. Prints `{ verdict, isNamed }`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import v8 from 'node:v8';
import { growthOf } from '@plimsoll/testkit';
import { clean, leaky, type Case } from './cases.ts';

export interface Answer {
  readonly verdict: 'leak' | 'clean';
  readonly isNamed: boolean;
}

type Tool = (one: Case, dir: string) => Promise<Answer>;

const collect = (globalThis as { gc?: () => void }).gc as () => void;

async function floor(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    await turn();
    collect();
  }
  return process.memoryUsage().heapUsed;
}

const tools: Readonly<Record<string, Tool>> = {
  plimsoll: async ({ make, holder = '' }, dir) => {
    const { verdict, leaks } = await growthOf(make(), { dir });
    const text = leaks[0]?.trace.map(({ via, name }) => `${via} ${name}`).join(' ') ?? '';
    return { verdict, isNamed: verdict === 'leak' && text.includes(holder) };
  },
  // The test that people write: 100 calls, gc, heapUsed must not have grown by more than 10 KB.
  'gc and heapUsed': async ({ make }) => {
    const work = make();
    for (let call = 0; call < 20; call++) await work(call);
    const before = await floor();
    for (let call = 20; call < 120; call++) await work(call);
    const grown = (await floor()) - before;
    return { verdict: grown > 10_240 ? 'leak' : 'clean', isNamed: false };
  },
  // It knows whether one object is collected.
  'jest-leak-detector': async ({ make }) => {
    const { default: LeakDetector } = (await import('jest-leak-detector')) as unknown as {
      default: new (value: unknown) => { isLeaking(): Promise<boolean> };
    };
    const work = make();
    for (let call = 0; call < 20; call++) await work(call);
    const detector = new LeakDetector(await work(20));
    return { verdict: (await detector.isLeaking()) ? 'leak' : 'clean', isNamed: false };
  },
  // Objects of the second snapshot that the first does not have and the third still has, clustered by their path.
  'memlab API': async ({ make, holder = '' }, dir) => {
    const { findLeaksBySnapshotFilePaths } = (await import('@memlab/api')) as unknown as {
      findLeaksBySnapshotFilePaths: (...files: string[]) => Promise<readonly object[]>;
    };
    const work = make();
    const file = (name: string): string => join(dir, `${name}.heapsnapshot`);
    let call = 0;
    for (const name of ['baseline', 'target', 'final']) {
      for (let i = 0; i < 100; i++) await work(call++);
      await floor();
      v8.writeHeapSnapshot(file(name));
    }
    const log = console.log;
    console.log = () => undefined;
    const found = await findLeaksBySnapshotFilePaths(file('baseline'), file('target'), file('final')).finally(
      () => {
        console.log = log;
      },
    );
    return {
      verdict: found.length > 0 ? 'leak' : 'clean',
      isNamed: found.length > 0 && JSON.stringify(found).includes(holder),
    };
  },
};

export const toolNames: readonly string[] = Object.keys(tools);

const [tool, name] = process.argv.slice(2);
const one = [...leaky, ...clean].find((each) => each.name === name);
if (tool !== undefined && one !== undefined && process.argv[1] === import.meta.filename) {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-peers-'));
  const answer = await (tools[tool] as Tool)(one, dir);
  rmSync(dir, { recursive: true, force: true });
  process.stdout.write(`answer ${JSON.stringify(answer)}\n`);
  process.exit();
}
