/** The four questions as a user asks them, in a real process: each answer is one of objects or of bytes far from any noise. */
import { EventEmitter } from 'node:events';
import { mkdtempSync, existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '@plimsoll/core';
import { describe, expect, test } from 'vitest';
import { doesNotLeak, leakGuard, LeakError, releases, underLimit, watch } from './index.ts';
import { mostLines } from './report/failure-text.ts';
import './vitest.ts';

const dir = mkdtempSync(join(tmpdir(), 'plimsoll-testkit-'));
/** One second is enough, because what these functions keep is certain. */
const quick = { dir, patience: '1 s' };

class Session {
  readonly history: string[] = [];

  constructor(id: number) {
    this.history.push(`hello ${id}`, `answer ${id}`);
  }
}

async function failureOf(check: Promise<unknown>): Promise<LeakError> {
  const error = await check.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(LeakError);
  return error as LeakError;
}

describe('growth', () => {
  test('a function that keeps nothing is clean by bytes alone', async () => {
    await expect((call: number) => new Session(call).history.join(' ')).not.toLeak();
  });

  test('a leak fails with its holder, the place, the projection and the snapshots', async () => {
    const sessions = new Map<number, Session>();
    function openSession(call: number): void {
      sessions.set(call, new Session(call));
    }
    const { message, code, report } = await failureOf(doesNotLeak(openSession, quick));
    expect(code).toBe('PLM_LEAK_GROWTH');
    expect(message.split('\n').length).toBeLessThanOrEqual(mostLines);
    expect(message).toContain('openSession keeps 1 Session per call (2 of 2 steps');
    expect(message).toContain('variable sessions : Map');
    expect(message).toContain('~~~');
    expect(message).toMatch(/1,000 calls: .* heap is full after/);
    expect(message).toMatch(/grows in {6}(?:openSession|Session) \(.*testkit\.test\.ts:\d+\)/);
    expect(message).toContain('fix: remove entries from sessions when their work ends');
    expect(message).toMatch(/at: {2}packages\/testkit\/src\/testkit\.test\.ts:\d+$/);
    const { snapshots } = report as { snapshots: readonly string[] };
    expect(snapshots).toHaveLength(3);
    expect(snapshots.every((file) => existsSync(file))).toBe(true);
  });
});

describe('survivors', () => {
  test('what is dropped is collected; what is kept fails with its holder', async () => {
    const kept: object[] = [];
    const watched = watch({ dir });
    const fill = (): void => {
      kept.push(watched.add(new Session(1), 'first session'));
      watched.add(new Session(2));
    };
    fill();
    const { message } = await failureOf(watched.collected());
    expect(message).toContain('1 of 2 watched objects (first session) is still reachable');
    expect(message).toContain('variable kept : Array');
    kept.length = 0;
    await expect(watched).toBeCollected();
  });

  test('the result of a function is kept by nobody', async () => {
    await expect(() => new Session(1)).toBeCollected();
    await expect(expect(() => 1).toBeCollected()).rejects.toMatchObject({ code: 'PLM_TESTKIT_OPTION' });
  });
});

describe('release', () => {
  class Replay {
    #chunks: string[] = [];

    run(call: number): this {
      for (let i = 0; i < 50; i++) this.#chunks.push(`chunk ${i} of call ${call} with some text`);
      return this;
    }

    finish(): this {
      this.#chunks = [];
      return this;
    }

    get size(): number {
      return this.#chunks.length;
    }
  }

  test('a finished object that kept its buffer fails with the field', async () => {
    const run = (call: number): Replay => new Replay().run(call);
    const { message } = await failureOf(releases(run, { dir, under: '1 KiB' }));
    expect(message).toContain('each finished Replay still holds');
    expect(message).toContain('release #chunks when the work is finished');
    await expect((call: number) => new Replay().run(call).finish()).toRelease();
  });
});

describe('peak', () => {
  const pause = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 6));
  const mib = 1024 * 1024;

  test('live bytes count, ArrayBuffers included, and garbage does not', async () => {
    const hoard = async (): Promise<number> => {
      const parts: Buffer[] = [];
      for (let i = 0; i < 12; i++) {
        parts.push(Buffer.alloc(mib, 1));
        await pause();
      }
      return parts.length;
    };
    await expect(hoard).not.toStayUnder('6 MiB');
    await expect(async () => {
      for (let i = 0; i < 12; i++) {
        Buffer.alloc(mib, 1);
        await pause();
      }
    }).toStayUnder('6 MiB');
  });

  test('a module runs in a child with a real limit', async () => {
    const small = join(dir, 'small.mjs');
    const large = join(dir, 'large.mjs');
    writeFileSync(small, 'console.log("fits");');
    writeFileSync(large, 'const kept = []; for (;;) kept.push(new Array(1000).fill({}));');
    expect((await underLimit('64 MiB', small)).stdout).toBe('fits\n');
    const { message } = await failureOf(underLimit('32 MiB', large));
    expect(message).toContain('did not finish in a heap of 32.0 MiB: V8 ran out of heap');
  });
});

test('a guard lists scopes, listeners, timers and signals that a suite left, each with its line', async () => {
  const guard = leakGuard();
  const emitter = new EventEmitter();
  const controller = new AbortController();
  emitter.on('turn', () => undefined);
  controller.signal.addEventListener('abort', () => undefined);
  const timer = setInterval(() => undefined, 60_000);
  const scope = open('session', '42');
  const { message } = await failureOf(guard.end());
  expect(message).toContain('left behind: 1 scope, 2 listeners, 1 timer');
  expect(message).toMatch(/listener {2}"turn" on EventEmitter {3}made in .*testkit\.test\.ts/);
  expect(message).toContain('"abort" on AbortSignal');
  expect(message).toContain('process/session:42');
  emitter.removeAllListeners();
  controller.abort();
  clearInterval(timer);
  await scope.close();
  await leakGuard().end();
});

test('checks in one process run one after the other, and never inside each other', async () => {
  const order: string[] = [];
  const step = (name: string) => (): void => {
    if (order.at(-1) !== name) order.push(name);
  };
  await Promise.all([doesNotLeak(step('a'), quick), doesNotLeak(step('b'), quick)]);
  expect(order).toEqual(['a', 'b']);
  await expect(doesNotLeak(() => doesNotLeak(() => 0))).rejects.toMatchObject({ code: 'PLM_TESTKIT_NESTED' });
});
