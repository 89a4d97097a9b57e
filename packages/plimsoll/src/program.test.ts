import { expect, test } from 'vitest';
import { commandsFor } from './commands/commands-for.ts';
import { TestIo } from './io.fixture.ts';
import { runProgram } from './program.ts';

test('a mistyped verb or option gets a suggestion and exit code 1', async () => {
  const io = new TestIo('.');
  expect(await io.plimsoll('tpo')).toBe(1);
  expect(io.err).toContain('Did you mean top?');
  const option = new TestIo('.');
  expect(await option.plimsoll('top', '--jsno')).toBe(1);
  expect(option.err).toContain('Did you mean --json?');
});

test('help and version are fine, every verb has an example', async () => {
  const io = new TestIo('.');
  expect(await io.plimsoll('--version')).toBe(0);
  expect(io.out).toBe('0.0.0-test\n');
  const help = new TestIo('.');
  expect(await help.plimsoll('--help')).toBe(0);
  const verbs = [...help.out.matchAll(/^ {2}([a-z]+) /gm)]
    .map((match) => match[1] as string)
    .filter((verb) => verb !== 'help');
  expect(verbs).toContain('run');
  for (const verb of verbs) {
    const page = new TestIo('.');
    expect(await page.plimsoll(verb, '--help')).toBe(0);
    expect(page.out, verb).toMatch(/Examples?:/);
  }
});

test('a help page made without loading the commands is the one that they make', async () => {
  const loaded = new TestIo('.');
  await loaded.plimsoll('--help');
  const lines = new TestIo('.');
  await runProgram(['--help'], lines, await commandsFor(['--help']), '0.0.0-test');
  expect(lines.out).toBe(loaded.out);
});

test.each([['top', '--help'], ['help', 'top'], ['constructor'], ['tpo']])(
  'of %j only the asked command is loaded, and the answer is the same',
  async (...argv) => {
    const loaded = new TestIo('.');
    const code = await loaded.plimsoll(...argv);
    const alone = new TestIo('.');
    expect(await runProgram(argv, alone, await commandsFor(argv), '0.0.0-test')).toBe(code);
    expect([alone.out, alone.err]).toEqual([loaded.out, loaded.err]);
  },
);

test('a bug of ours exits with 70 and asks for the stack', async () => {
  const io = new TestIo('.');
  const broken = await runProgram(
    ['broken'],
    io,
    [
      (program) => {
        program.command('broken').action(() => {
          throw new TypeError('cannot read');
        });
      },
    ],
    '1',
  );
  expect(broken).toBe(70);
  expect(io.err).toMatch(/TypeError: cannot read[^]*This is a bug in Plimsoll/);
});
