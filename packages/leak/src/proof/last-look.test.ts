import { spawnSync } from 'node:child_process';
import { describe, expect, test, vi } from 'vitest';
import { handledSignals, lookBeforeSignals } from './last-look.ts';

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
    const looked = signal === 'SIGHUP' ? '' : 'looked ';
    expect(ended(body, signal)).toEqual({ said: `${looked}own`, signal: null, code: 3 });
  });
});

test('a framework that leaves the end to others where it is not the only listener ends the process', () => {
  const body = `process.on('SIGTERM', async () => {
    await new Promise((done) => setTimeout(done, 20));
    if (process.listeners('SIGTERM').length === 1) process.exit(0);
  });`;
  expect(ended(body, 'SIGTERM')).toEqual({ said: 'looked', signal: null, code: 0 });
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

test('in a process that goes on, a signal is looked at once and comes again without us', async () => {
  const events: string[] = [];
  const remove = lookBeforeSignals(
    () => events.push('looked'),
    // The program would end here; this process takes the signal that is sent again.
    () => process.once('SIGHUP', () => events.push('came again')),
  );
  expect(handledSignals()).toEqual([]);
  process.emit('SIGHUP', 'SIGHUP');
  await vi.waitFor(() => expect(events).toEqual(['looked', 'came again']));
  const own = (): void => void events.push('own');
  process.on('SIGTERM', own);
  expect(handledSignals()).toEqual(['SIGTERM']);
  process.emit('SIGTERM', 'SIGTERM');
  expect(events.splice(2)).toEqual(['looked', 'own']);
  process.off('SIGTERM', own);
  remove();
  expect(process.listenerCount('SIGTERM') + process.listenerCount('SIGINT')).toBe(0);
});
