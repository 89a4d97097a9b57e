import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { afterAll, expect, test } from 'vitest';
import { Faults } from './inside/faults.ts';
import { measure } from './inside/measure.ts';
import { iterate, iterateOf } from './inside/module-runner.ts';
import type { FaultName } from './inside/protocol.ts';

const dir = mkdtempSync(join(tmpdir(), 'plimsoll-inside-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Code of a program outside of our own folders; faults reach it, but not this file. */
function outside(source: string): unknown {
  return runInThisContext(source, { filename: '/srv/app/server.js' });
}

const ask = { op: 'iterate', turns: 40, parallel: 4, forMs: 60_000, seed: 1, mode: 'plain' } as const;

async function during<Value>(
  name: FaultName,
  work: () => Value | Promise<Value>,
): Promise<{ value: Value; happened: number }> {
  const faults = new Faults();
  faults.begin(name);
  try {
    const value = await work();
    return { value, happened: faults.mend()[0]?.happened ?? -1 };
  } finally {
    faults.mend();
  }
}

test('a full disk refuses the writes of the program and none of ours', async () => {
  const write = outside(
    '(fs, file) => { try { fs.writeFileSync(file, "x"); return "written"; } catch (error) { return error.code; } }',
  ) as (fs: unknown, file: string) => string;
  const late = outside(
    '(fs, file) => new Promise((resolve) => fs.writeFile(file, "x", (error) => resolve(error ? error.code : "written")))',
  ) as (fs: unknown, file: string) => Promise<string>;
  const promised = outside(
    '(fs, file) => fs.promises.appendFile(file, "x").then(() => "written", (error) => error.code)',
  ) as (fs: unknown, file: string) => Promise<string>;
  const fs = (await import('node:fs')).default;
  const file = join(dir, 'out');
  const { value, happened } = await during('disk-full', async () => {
    writeFileSync(join(dir, 'ours'), 'x');
    return [write(fs, file), await late(fs, file), await promised(fs, file)];
  });
  expect(value).toEqual(['ENOSPC', 'ENOSPC', 'ENOSPC']);
  expect(happened).toBe(3);
  expect(write(fs, file)).toBe('written');
});

test('the clock jumps for the program and comes back', async () => {
  const read = outside('() => Date.now() + 0 * new Date().getTime()') as () => number;
  const before = Date.now();
  const forward = await during('clock-forward', read);
  const back = await during('clock-back', () => [read(), Date.now()] as const);
  expect(forward.value - before).toBeGreaterThan(3_500_000);
  expect(forward.happened).toBe(2);
  expect(before - back.value[0]).toBeGreaterThan(3_000_000);
  expect(Math.abs(back.value[1] - before)).toBeLessThan(3_000_000);
  expect(Math.abs(read() - Date.now())).toBeLessThan(60_000);
});

test('outgoing calls throw, hang and are slow, and timers stretch', async () => {
  const server = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const call = outside('(url) => fetch(url).then((r) => r.text(), (error) => error.cause.code)') as (
    url: string,
  ) => Promise<string>;
  const get = outside(
    '(http, url) => new Promise((resolve) => http.request(url, (r) => { r.resume(); resolve("ok"); }).on("error", (e) => resolve(e.code)).end())',
  ) as (http: unknown, url: string) => Promise<string>;
  const wait = outside(
    '() => new Promise((resolve) => setTimeout(resolve, 10, "done"))',
  ) as () => Promise<string>;
  const http = (await import('node:http')).default;
  expect(await during('calls-throw', () => call(url))).toEqual({ value: 'ECONNRESET', happened: 1 });
  expect((await during('calls-throw', () => get(http, url))).happened).toBe(1);
  expect((await during('calls-hang', () => call(url))).value).toBe('ECONNRESET');
  expect(await during('calls-slow', () => call(url))).toEqual({ value: 'ok', happened: 1 });
  expect((await during('timers-slow', wait)).happened).toBeGreaterThan(0);
  expect(await call(url)).toBe('ok');
  server.close();
});

test('a child that was started since is killed', async () => {
  const faults = new Faults();
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
  // The module's own name for `spawn` was bound before; the program uses the one that is followed.
  const { default: followed } = await import('node:child_process');
  const other = followed.spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const otherEnded = new Promise((resolve) => other.once('exit', (_, signal) => resolve(signal)));
  faults.begin('child-killed');
  expect(faults.mend()).toEqual([{ name: 'child-killed', happened: 1 }]);
  child.kill('SIGKILL');
  other.kill('SIGKILL');
  expect([await ended, await otherEnded]).toEqual(['SIGKILL', 'SIGKILL']);
});

test('inputs that a module keeps are counted, those it lets go are not', async () => {
  const kept: unknown[] = [];
  const keeping = await iterate(({ input }) => kept.push(input), ask);
  expect([keeping.turns, keeping.followed, keeping.survivors]).toEqual([40, 40, 40]);
  const letting = await iterate(() => undefined, { ...ask, mode: 'cyclic', turns: 200 });
  expect([letting.turns, letting.survivors]).toEqual([200, 0]);
});

test('malformed and aborted turns reach the module, and what it throws is counted', async () => {
  const seen: unknown[] = [];
  const thrown = await iterate(
    ({ input }) => {
      seen.push(input);
      if (input === 'add(4822)') throw new TypeError('not a function call');
    },
    { ...ask, mode: 'malformed', turns: 24 },
  );
  expect(seen).toContain('add(4822)');
  expect(thrown).toMatchObject({ turns: 24, errors: 2, firstError: 'TypeError: not a function call' });
  const aborted = await iterate(
    ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(1))),
    { ...ask, mode: 'aborted', turns: 8 },
  );
  expect(aborted.errors).toBe(0);
});

test('a module gives iterate, a default function or an object with run', async () => {
  const file = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  const turn = { index: 0, random: () => 0, signal: new AbortController().signal, input: 'a', events: 0 };
  expect((await iterateOf(file('a.mjs', 'export const iterate = ({ input }) => input + 1;')))(turn)).toBe(
    'a1',
  );
  expect((await iterateOf(file('b.mjs', 'export default ({ input }) => input + 2;')))(turn)).toBe('a2');
  expect(
    (await iterateOf(file('c.mjs', 'export const pipeline = { run(input) { return input + 3; } };')))(turn),
  ).toBe('a3');
  await expect(iterateOf(file('d.mjs', 'export const x = 1;'))).rejects.toThrow(
    'exports no function "iterate"',
  );
});

test('live memory is measured after collections, with what keeps the process alive', async () => {
  const { heapUsed, resources } = await measure();
  expect(heapUsed).toBeGreaterThan(1e6);
  expect(Object.keys(resources).length).toBeGreaterThan(0);
});
