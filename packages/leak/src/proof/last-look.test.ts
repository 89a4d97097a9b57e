import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';

const module = new URL('./last-look.ts', import.meta.url).href;

/** A program that is asked to end by a signal, and what it says and how it ended. */
function ended(
  body: string,
  signal: string,
): { readonly said: string; readonly signal: string | null; readonly code: number | null } {
  const code = `
    import { writeSync } from 'node:fs';
    import { handledSignals, lookBeforeSignals } from ${JSON.stringify(module)};
    const say = (text) => writeSync(1, text + ' ');
    lookBeforeSignals(() => say('looked'), () => say('left'));
    ${body}
    setInterval(() => undefined, 1000);
    setTimeout(() => process.kill(process.pid, '${signal}'), 10);`;
  const {
    stdout,
    signal: by,
    status,
  } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { said: stdout.trim(), signal: by, code: status };
}

describe.each(['SIGTERM', 'SIGINT', 'SIGHUP'])('%s', (signal) => {
  test('ends a program without a listener as it always did, after one look', () => {
    expect(ended('', signal)).toEqual({ said: 'looked left', signal, code: null });
  });

  test('is left to the listeners of the program, which come after the look', () => {
    const body = `process.on('${signal}', () => { say('own'); process.exit(3); });`;
    expect(ended(body, signal)).toEqual({ said: 'looked own', signal: null, code: 3 });
  });
});

test("a listener that is called once is still the program's own", () => {
  const body = `process.once('SIGTERM', () => { say('once'); process.exit(0); });`;
  expect(ended(body, 'SIGTERM')).toEqual({ said: 'looked once', signal: null, code: 0 });
});

test("the program's own listeners are told from ours", () => {
  const body = `process.once('SIGTERM', () => { say(handledSignals().join()); process.exit(0); });
    process.on('SIGINT', () => undefined); say(handledSignals().join());`;
  expect(ended(body, 'SIGTERM').said).toBe('SIGTERM,SIGINT looked SIGINT');
});
