/** What the census says of values that no rule of it was made on, held against snapshots of each version of Node.js. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { open } from '@plimsoll/heap';
import { installOnce } from '../install-once.ts';
import { root, workFolder } from './plimsoll.ts';

interface Kind {
  readonly recipe: string;
  readonly scopes: readonly {
    readonly path: string;
    readonly bytes: number;
    readonly low: number;
    readonly high: number;
  }[];
}

interface Judged {
  readonly recipe: string;
  /** Of the bytes that a snapshot shows. */
  readonly point: number;
  readonly low: number;
  readonly high: number;
}

const runtimes = join(root, 'test/runtimes');
const fixture = join(import.meta.dirname, 'fixtures/random-values.mjs');
const tolerance = 0.05;

async function judgedOn(node: string, seed: number): Promise<readonly Judged[]> {
  const dir = workFolder();
  const file = join(dir, 'values.heapsnapshot');
  const { stdout } = await promisify(execFile)(node, [fixture, file, String(seed), '100'], {
    maxBuffer: 1e8,
    env: { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: '' },
  });
  using snapshot = await open(file);
  rmSync(dir, { recursive: true });
  const truth = new Map(snapshot.scopes().map(({ path, retainedBytes }) => [path, retainedBytes]));
  return (JSON.parse(stdout) as { kinds: readonly Kind[] }).kinds.map(({ recipe, scopes }) => {
    const sum = (of: (scope: Kind['scopes'][number]) => number): number =>
      scopes.reduce((bytes, scope) => bytes + of(scope), 0);
    const real = sum(({ path }) => truth.get(path) as number);
    return {
      recipe,
      point: sum(({ bytes }) => bytes) / real,
      low: sum(({ low }) => low) / real,
      high: sum(({ high }) => high) / real,
    };
  });
}

beforeAll(() => installOnce(runtimes));

// The built packages: Node.js 22 reads no TypeScript.
test.each([
  { version: 22, node: join(runtimes, 'node_modules/node-22/bin/node'), seed: 31 },
  { version: 24, node: process.execPath, seed: 32 },
  { version: 26, node: join(runtimes, 'node_modules/node-26/bin/node'), seed: 33 },
])('95 of 100 random kinds are inside the range that is told, Node.js $version', async ({ node, seed }) => {
  const judged = await judgedOn(node, seed);
  const outside = judged.filter(({ low, high }) => low > 1 + tolerance || high < 1 - tolerance);
  expect(outside.length, JSON.stringify(outside)).toBeLessThanOrEqual(5);
  // A range that holds everything would say nothing.
  const close = judged.filter(({ point }) => Math.abs(point - 1) <= tolerance);
  expect(close.length).toBeGreaterThanOrEqual(70);
  const widths = judged.map(({ low, high }) => high - low).toSorted((a, b) => a - b);
  expect(widths[50]).toBeLessThan(0.7);
});
