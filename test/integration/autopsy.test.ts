import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plimsoll, workFolder } from './plimsoll.ts';
import { untilRead } from '../../packages/plimsoll/src/run/program.fixture.ts';

interface Death {
  readonly cause: { readonly name: string; readonly sure: string; readonly text: string };
  readonly stack: readonly string[];
  readonly lastMinute: readonly unknown[];
}

const deathsOf = (dir: string): readonly Death[] =>
  (JSON.parse(readFileSync(join(dir, 'out.json'), 'utf8')) as { deaths: readonly Death[] }).deaths;

test.concurrent('a process that reaches the heap limit is told so, and the folder knows it later', async () => {
  const dir = workFolder({
    'server.mjs': `${untilRead()} const kept = []; setInterval(() => { for (let i = 0; i < 50_000; i++) kept.push({ i }); }, 1);`,
  });
  const args = [
    'run',
    '--no-proof',
    '--report',
    'out.json',
    '--',
    'node',
    '--max-old-space-size=40',
    'server.mjs',
  ];
  const end = await plimsoll(args, dir).ended;
  expect(end.code).not.toBe(0);
  expect(end.stderr).toContain('it reached the heap limit of V8 (v8-heap-limit, sure)');
  const [death] = deathsOf(dir);
  expect(death?.cause).toMatchObject({ name: 'v8-heap-limit', sure: 'sure' });
  expect(death?.lastMinute.length).toBeGreaterThan(0);
  const left = readdirSync(join(dir, '.plimsoll')).filter((name) => /^(?:fatal|black-box)/.test(name));
  expect(left).toEqual([]);
  const later = await plimsoll(['autopsy'], dir).ended;
  expect(later.stdout).toContain('it reached the heap limit of V8 (v8-heap-limit, sure)');
});

test.concurrent('errors that nobody caught, exits and kills are told with their place', async () => {
  const dir = workFolder({
    'throw.mjs': `${untilRead()} function boom() { throw new TypeError('the secret'); } setTimeout(boom, 1);`,
    'exit.mjs': `${untilRead()} function leave() { process.exit(3); } setTimeout(leave, 1);`,
    'kill.mjs': `${untilRead()} process.kill(process.pid, 'SIGKILL');`,
  });
  const causes: string[] = [];
  for (const name of ['throw', 'exit', 'kill']) {
    const args = ['run', '--no-proof', '--report', 'out.json', '--', 'node', `${name}.mjs`];
    await plimsoll(args, dir).ended;
    const [death] = deathsOf(dir);
    causes.push(death?.cause.name ?? 'none');
    if (name !== 'kill')
      expect(death?.stack[0]).toMatch(name === 'throw' ? /boom.*throw\.mjs/ : /leave.*exit\.mjs/);
    expect(JSON.stringify(death)).not.toContain('secret');
  }
  expect(causes).toEqual(['uncaught-error', 'exit-code', 'killed']);
  const all = await plimsoll(['autopsy', '--all'], dir).ended;
  expect(all.stdout).toMatch(/^died 3 times in /);
  expect(JSON.parse((await plimsoll(['autopsy', '--json'], dir).ended).stdout)).toHaveLength(1);
});
