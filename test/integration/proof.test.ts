/** The verdict of a governed run, and that proving it never ends the program. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plimsoll, workFolder } from './plimsoll.ts';
import { untilRead } from '../../packages/plimsoll/src/run/program.fixture.ts';

interface Written {
  readonly verdict: string;
  readonly why: string;
  readonly exit: { readonly code: number | null; readonly signal: string | null };
  readonly findings: readonly {
    readonly severity: string;
    readonly fix: string;
    readonly trace?: readonly { readonly name: string; readonly via: string }[];
  }[];
  readonly proof: { readonly snapshots: readonly { readonly stopMs: number }[] };
}

const reportOf = (dir: string): Written => JSON.parse(readFileSync(join(dir, 'out.json'), 'utf8')) as Written;

/** A program that calls a function in a loop and collects now and then, as a driver of a leak test does; once its host has been loaded and at work, whose own code would be growth too. */
const driver = (setUp: string, step: string): string => `
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
${untilRead(2)}
${setUp}
for (let round = 0; round < 30; round++) {
  for (let i = 0; i < 1500; i++) { ${step} }
  await turn(); gc(); await sleep(20); gc(); await turn();
}
`;

test('a bounded cache is clean, and nothing is left behind', { timeout: 300_000 }, async () => {
  const dir = workFolder({
    'fixed.mjs': driver(
      'const cache = new Map(); let n = 0;',
      'cache.set(n, ["turn", n, String(n++)]); if (cache.size > 500) cache.delete(n - 501);',
    ),
  });
  const end = await plimsoll(
    ['run', '--report', 'out.json', '--fail-on', 'low', '--', 'node', '--expose-gc', 'fixed.mjs'],
    dir,
  ).ended;
  // On a slow machine the code of the host creeps in for longer than the program lives; then a last snapshot decides.
  expect(reportOf(dir)).toMatchObject({ verdict: 'clean', findings: [] });
  expect(end.code).toBe(0);
  expect(readdirSync(join(dir, '.plimsoll'))).toEqual(['ledger']);
});

test.concurrent(
  'a registry that is never cleaned is a leak, with the path that holds it',
  { timeout: 300_000 },
  async () => {
    const dir = workFolder({
      'leaky.mjs': driver(
        'class Turn { constructor(i) { this.text = ["turn", i, String(i)]; } }\nclass Registry { turns = new Map(); }\nconst registry = (globalThis.registry = new Registry()); let n = 0;',
        'registry.turns.set(n, new Turn(n++));',
      ),
    });
    // The path needs a snapshot, and beside other tests one takes longer than a server is stopped for by default.
    const options = ['--report', 'out.json', '--fail-on', 'medium', '--max-pause', '60s'];
    const end = await plimsoll(['run', ...options, '--', 'node', '--expose-gc', 'leaky.mjs'], dir).ended;
    const report = reportOf(dir);
    expect(report.verdict, report.why).toBe('leak');
    expect(report.findings[0], JSON.stringify(report.proof)).toHaveProperty('trace');
    const path = report.findings[0]?.trace?.map((step) => `${step.via}:${step.name}`).join(' ');
    expect(path).toContain('Registry');
    expect(path).toContain('turns:Map');
    expect(end.code).toBe(2);
    expect(end.stderr).toMatch(/verdict {3}leak: the live heap grew by/);
    expect(end.stderr).toContain('Turn');
    expect(readdirSync(join(dir, '.plimsoll'))).toEqual(['ledger']);
  },
);

test.concurrent.each([70, 95])(
  'the proof does not end a program at %i percent of the usable limit',
  { timeout: 300_000 },
  async (percent) => {
    // Live objects up to the given part of what 40 MiB of old space can hold before V8 gives up (80 % of it).
    const dir = workFolder({
      'full.mjs': `
import v8 from 'node:v8';
import { setTimeout as sleep } from 'node:timers/promises';
const usable = 0.8 * 40 * 1024 * 1024; const kept = [];
const live = () => { gc(); return v8.getHeapStatistics().used_heap_size; };
const keep = () => kept.push(Array.from({ length: 4000 }, (_, i) => ({ i, text: 'kept ' + kept.length })));
// Measured, but no less than 80 bytes an object: V8 may let go of code between the two looks.
const before = live(); keep(); const each = Math.max(live() - before, 4000 * 80);
for (let round = 1; round <= 14; round++) {
  const target = usable * ${percent / 100} * round / 14;
  for (let room = target - live(); room > each; room -= each) keep();
  while (live() < target) keep();
  await sleep(120);
}
await sleep(500);
console.log('done', kept.length > 0);`,
    });
    const end = await plimsoll(
      [
        'run',
        '--report',
        'out.json',
        '--max-pause',
        '60s',
        '--',
        'node',
        '--expose-gc',
        '--max-old-space-size=40',
        'full.mjs',
      ],
      dir,
    ).ended;
    expect(end.stdout).toBe('done true\n');
    const report = reportOf(dir);
    expect(report.exit).toMatchObject({ code: 0, signal: null });
    expect(report.proof.snapshots.length).toBeGreaterThan(0);
    expect(report.proof.snapshots.every(({ stopMs }) => stopMs > 0)).toBe(true);
  },
);
