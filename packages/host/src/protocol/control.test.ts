import { mkdtempSync, statSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { failure } from '@plimsoll/core/internal/errors';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ControlAnswer } from './control.ts';
import { LineReader, ask, longestAsk, parseAnswer } from './control.ts';
import { watchFeed } from './feed-client.ts';
import { FeedServer } from '../feed/feed-server.ts';
import { frameOf } from './frame.fixture.ts';
import type { Frame } from './frame.ts';

/** Waits for what a busy machine may take seconds for. */
const soon = (check: () => void): Promise<void> => vi.waitFor(check);

let path: string;
let server: FeedServer;
const open: { destroy(): void }[] = [];

beforeEach(async () => {
  path = join(mkdtempSync(join(tmpdir(), 'plimsoll-control-')), 'feed.sock');
  server = new FeedServer(path, { askWithinMs: 100, handlerMs: 100 });
  server.answer('echo', (args) => args);
  server.listen((error) => {
    throw error;
  });
  await soon(() => expect(statSync(path).mode & 0o777).toBe(0o600));
});

afterEach(() => {
  for (const each of open.splice(0)) each.destroy();
  server.close();
});

/** A hand-made client: what it is told, and the answers that came back. */
function dial(): { socket: Socket; answers: ControlAnswer[]; closed: () => boolean } {
  const socket = connect(path);
  const answers: ControlAnswer[] = [];
  const lines = new LineReader(10_000_000);
  let isClosed = false;
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    for (const line of lines.take(chunk) ?? []) {
      const answer = parseAnswer(line);
      if (answer !== undefined) answers.push(answer);
    }
  });
  socket.on('error', () => undefined);
  socket.on('close', () => (isClosed = true));
  open.push(socket);
  return { socket, answers, closed: () => isClosed };
}

describe('asking', () => {
  test('an operation is answered with its value, from an async handler too', async () => {
    server.answer('later', async () => {
      await wait(5);
      return [1, 2];
    });
    server.answer('nothing', () => undefined);
    expect(await ask(path, 'echo', { text: 'ünïcode\n' })).toEqual({ text: 'ünïcode\n' });
    expect(await ask(path, 'echo')).toEqual({});
    expect(await ask(path, 'later')).toEqual([1, 2]);
    expect(await ask(path, 'nothing')).toBeNull();
    await soon(() => expect(server.connections).toBe(0));
  });

  test('what a handler throws comes back as a code and a sentence, without a stack', async () => {
    server.answer('coded', () => {
      throw failure('PLM_CLI_NO_COMMAND', { verb: 'run' });
    });
    server.answer('plain', () => Promise.reject(new Error('out of cheese')));
    server.answer('odd', () => {
      // oxlint-disable-next-line no-throw-literal -- user code may throw anything
      throw 'text' as unknown as Error;
    });
    server.answer('circle', () => {
      const circle: Record<string, unknown> = {};
      circle['self'] = circle;
      return circle;
    });
    await expect(ask(path, 'coded')).rejects.toThrowErrorMatchingInlineSnapshot(
      `[PlimsollError: there is no command to run.]`,
    );
    await expect(ask(path, 'plain')).rejects.toThrowErrorMatchingInlineSnapshot(
      `[PlimsollError: "plain" failed: out of cheese.]`,
    );
    await expect(ask(path, 'odd')).rejects.toMatchObject({ code: 'PLM_CONTROL_FAILED' });
    await expect(ask(path, 'circle')).rejects.toMatchObject({ code: 'PLM_CONTROL_FAILED' });
    await expect(ask(path, 'ecko')).rejects.toThrowErrorMatchingInlineSnapshot(
      `[PlimsollError: "ecko" is no operation of this process.]`,
    );
  });

  test('a handler that hangs is answered for, an answer that is too large is refused by name', async () => {
    server.answer('hang', () => new Promise(() => undefined));
    server.answer('large', () => 'x'.repeat(5 * 1024 * 1024));
    await expect(ask(path, 'hang')).rejects.toMatchObject({ code: 'PLM_CONTROL_TIMEOUT' });
    await expect(ask(path, 'large')).rejects.toThrowErrorMatchingInlineSnapshot(
      `[PlimsollError: the answer to "large" has 5.0 MiB, the most is 4.0 MiB.]`,
    );
    expect(await ask(path, 'echo', { still: 'here' })).toEqual({ still: 'here' });
  });

  test('nobody there, no answer, a broken answer, a cancelled request: each says which', async () => {
    await expect(ask(`${path}.gone`, 'echo')).rejects.toMatchObject({ code: 'PLM_CONTROL_UNREACHABLE' });
    let behaviour = (socket: Socket): void => void socket;
    const odd = createServer((socket) => {
      socket.on('error', () => undefined);
      open.push(socket);
      behaviour(socket);
    });
    await new Promise<void>((done) => odd.listen(`${path}.odd`, done));
    await expect(ask(`${path}.odd`, 'echo', {}, { timeoutMs: 30 })).rejects.toMatchObject({
      code: 'PLM_CONTROL_TIMEOUT',
    });
    behaviour = (socket) => socket.end();
    await expect(ask(`${path}.odd`, 'echo')).rejects.toThrow('it closed the connection');
    behaviour = (socket) => socket.write('x'.repeat(9 * 1024 * 1024));
    await expect(ask(`${path}.odd`, 'echo')).rejects.toThrow('a line without an end');
    behaviour = (socket) => socket.end('{"answer":1,"ok":"perhaps"}\n{"answer":1,\nfoo\n');
    await expect(ask(`${path}.odd`, 'echo')).rejects.toThrow('it closed the connection');
    behaviour = () => undefined;
    const cancel = new AbortController();
    const asked = ask(`${path}.odd`, 'echo', {}, { signal: cancel.signal });
    cancel.abort();
    await expect(asked).rejects.toThrow('the request was cancelled');
    await expect(ask(path, 'echo', {}, { signal: cancel.signal })).rejects.toThrow('was cancelled');
    odd.close();
  });

  test('groups of operations are registered together and listed', async () => {
    server.offer([{ 'a.list': () => 1 }, { 'b.do': () => 2 }]);
    expect(await ask(path, 'ops')).toEqual(['a.list', 'b.do', 'ops']);
    expect(await ask(path, 'b.do')).toBe(2);
  });
});

describe('a hostile client', () => {
  test('garbage is refused line by line and harms nobody', async () => {
    const { socket, answers } = dial();
    socket.write(
      'nonsense\n[]\nnull\n1\n{"ask":1}\n{"ask":{},"op":"echo"}\n{"ask":1,"op":"echo","args":[]}\n\n  \n',
    );
    socket.write(`${JSON.stringify({ ask: 'x'.repeat(101), op: 'echo' })}\n{"ask":"ok","op":"echo"}\n`);
    await soon(() => expect(answers).toHaveLength(9));
    expect(answers.slice(0, 8).map((each) => (each.ok ? 'ok' : each.code))).toEqual(
      Array.from({ length: 8 }, () => 'PLM_CONTROL_BAD_REQUEST'),
    );
    expect(answers[8]).toEqual({ answer: 'ok', ok: true, value: {} });
  });

  test('random bytes never end the process or another connection', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }), async (chunks) => {
        const { socket } = dial();
        for (const chunk of chunks) socket.write(chunk);
        socket.end();
        expect(await ask(path, 'echo', { n: 1 })).toEqual({ n: 1 });
      }),
      { seed: 816, numRuns: 50 },
    );
  });

  test('a huge line ends the connection, in one piece or dripped', async () => {
    const whole = dial();
    whole.socket.write(`{"ask":1,"op":"echo","args":{"x":"${'x'.repeat(longestAsk)}"}}\n`);
    const dripped = dial();
    for (let i = 0; i < 70; i++) dripped.socket.write('y'.repeat(1024));
    await soon(() => expect([whole.closed(), dripped.closed()]).toEqual([true, true]));
    expect(whole.answers).toEqual([]);
    expect(await ask(path, 'echo', { n: 1 })).toEqual({ n: 1 });
  });

  test('half a line waits for its other half and is then answered', async () => {
    const { socket, answers } = dial();
    socket.write('{"ask":7,"op":"ec');
    await wait(20);
    expect(answers).toEqual([]);
    socket.write('ho","args":{"a":1}}\n');
    await soon(() => expect(answers).toEqual([{ answer: 7, ok: true, value: { a: 1 } }]));
  });

  test('a flood is taken at a bounded rate while others are served', async () => {
    let calls = 0;
    server.answer('count', () => ++calls);
    const { socket } = dial();
    socket.on('data', () => undefined);
    socket.write('{"ask":1,"op":"count"}\n'.repeat(100_000));
    const began = performance.now();
    await wait(120);
    expect(await ask(path, 'echo', { n: 1 })).toEqual({ n: 1 });
    const turns = (performance.now() - began) / 50 + 2;
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThanOrEqual(turns * 32);
  });

  test('more at once than one connection may have are refused as busy', async () => {
    const release: (() => void)[] = [];
    server.answer('slow', () => new Promise<void>((done) => release.push(done)));
    const { socket, answers } = dial();
    for (let i = 0; i < 12; i++) socket.write(`{"ask":${i},"op":"slow"}\n`);
    await soon(() => expect(answers).toHaveLength(4));
    expect(answers.map((each) => (each.ok ? '' : each.code))).toEqual(
      Array.from({ length: 4 }, () => 'PLM_CONTROL_BUSY'),
    );
    for (const done of release) done();
    await soon(() => expect(answers).toHaveLength(12));
  });

  test('an asker that does not read its answers is given up', async () => {
    server.answer('big', () => 'x'.repeat(3 * 1024 * 1024));
    const { socket, closed } = dial();
    socket.pause();
    for (let i = 0; i < 20; i++) socket.write(`{"ask":${i},"op":"big"}\n`);
    await soon(() => expect(server.connections).toBe(0));
    socket.resume();
    await soon(() => expect(closed()).toBe(true));
  });

  test('a connection that asks gets no frames, and can ask when every place to watch is taken', async () => {
    const seen: Frame[] = [];
    const watch = Array.from({ length: 16 }, () => watchFeed(path, { onFrame: (frame) => seen.push(frame) }));
    await soon(() => expect(server.watchers).toBe(16));
    const { socket, answers } = dial();
    let heard = '';
    socket.on('data', (chunk: string) => (heard += chunk));
    socket.write('{"ask":1,"op":"echo"}\n');
    await soon(() => expect(answers).toHaveLength(1));
    server.push(() => JSON.stringify(frameOf()));
    await soon(() => expect(seen).toHaveLength(16));
    await wait(150);
    expect(heard).not.toContain('"pid"');
    expect(socket.destroyed).toBe(false);
    for (const each of watch) each.close();
  });

  test('connections beyond the bound are turned away', async () => {
    const all = Array.from({ length: 60 }, () => dial());
    await soon(() => expect(all.filter((each) => each.closed()).length).toBe(44));
    expect(server.connections).toBe(16);
  });
});
