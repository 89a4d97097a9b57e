import { expect, test } from 'vitest';
import { parseOptions, usage } from './options.ts';

test('without flags: no leak, no load, scopes on', () => {
  const options = parseOptions([]);
  expect(options).toMatchObject({ port: undefined, ungoverned: false, load: undefined, idleMs: 60_000 });
  expect(options.leaks.size).toBe(0);
});

test('leaks come from repeated flags and from the environment', () => {
  const options = parseOptions(['--leak', 'session-map', '--leak', 'checkpoints'], {
    AGENT_SERVER_LEAK: 'replay-buffer',
    AGENT_SERVER_UNGOVERNED: '1',
  });
  expect([...options.leaks]).toEqual(['session-map', 'checkpoints', 'replay-buffer']);
  expect(options.ungoverned).toBe(true);
});

test('speed divides every delay, not the duration of the load', () => {
  const options = parseOptions([
    '--load',
    '--speed',
    '10',
    '--think',
    '3s',
    '--duration',
    '30s',
    '--users',
    '5',
  ]);
  expect(options).toMatchObject({ tokenMs: 1.2, toolMs: 2, idleMs: 6000 });
  expect(options.load).toEqual({
    seed: 1,
    users: 5,
    thinkMs: 300,
    ratePerSecond: 0,
    abandonRatio: 0.15,
    durationMs: 30_000,
  });
});

test('what cannot be understood is refused with the accepted form', () => {
  const messages = [
    ['--leak', 'roof'],
    ['--payload', '64'],
    ['--idle', 'soon'],
    ['--users', 'many'],
    ['--abandon', '2'],
    ['--speed', '0'],
    ['--fast'],
  ].map((args) => {
    try {
      return parseOptions(['--load', ...args]);
    } catch (error) {
      return (error as Error).message;
    }
  });
  expect(messages).toMatchInlineSnapshot(`
    [
      "--leak roof: the leaks are session-map, abort-listener, replay-buffer, checkpoints.",
      "--payload 64: give a size with its unit, such as 64KiB.",
      "--idle soon: give a time with its unit, such as 500ms or 30s.",
      "--users many: give a number above 0.",
      "--abandon 2: give a number from 0 to 1.",
      "--speed 0: give a number above 0.",
      "Unknown option '--fast'",
    ]
  `);
});

test('every flag is in the usage text', () => {
  for (const flag of ['--port', '--leak', '--ungoverned', '--load', '--users', '--duration', '--speed']) {
    expect(usage).toContain(flag);
  }
});
