import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isReady, open } from '@plimsoll/core';
import { roster } from '@plimsoll/core/internal/scope/index';
import { Governor } from '@plimsoll/govern/internal/level/governor';
import { admission } from '@plimsoll/govern/internal/admission/admission-control';
import { requestRestart } from '@plimsoll/core/internal/gate/drain-hooks';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { frameOf } from '../../protocol/frame.fixture.ts';
import { Entrance } from './entrance.ts';

let dir: string;
let notes: [string, object][];
let said: string[];
let exits: number[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-entrance-'));
  notes = [];
  said = [];
  exits = [];
});
afterEach(() => {
  process.exitCode = undefined;
  admission().ungovern();
  rmSync(dir, { recursive: true });
});

function entrance(): Entrance {
  return new Entrance({
    dir,
    governor: new Governor(),
    scopes: () => roster.open,
    history: { note: (kind, body) => void notes.push([kind, body]) },
    say: (line) => void said.push(line),
    exit: (code) => void exits.push(code),
  });
}

test('a life ends with its reason, and the next tells it once', async () => {
  const session = open('session', 'kept by nobody');
  const first = entrance();
  first.start();
  expect([first.resume, first.exitReason, said]).toEqual([undefined, undefined, []]);
  first.take({ ...frameOf().reading, pressures: [] });
  expect(requestRestart('asked for', { drainMs: 10, minUptimeMs: 0 }).state).toBe('draining');
  expect(first.restart({ ...order, reason: 'again' })).toEqual({ state: 'draining' });
  expect(isReady()).toBe(false);
  await vi.waitFor(() => expect(exits).toEqual([75]));
  expect(first.exitReason).toBe('restart: asked for; 0 sessions parked, 1 lost');
  first.stop();
  expect(isReady()).toBe(true);
  await session.close();

  const second = entrance();
  second.start();
  expect(said.join('')).toMatch(
    /^plimsoll: last exit: restart \(asked for\), .* ago; 0 sessions parked, 1 lost\n$/,
  );
  expect(second.resume).toMatchObject({ phase: 'parked', reason: 'asked for', lost: 1 });
  expect(notes.map(([kind, body]) => [kind, 'event' in body ? body.event : ''])).toEqual([
    ['restart', 'drain'],
    ['resume', ''],
  ]);
  second.stop();
  expect(requestRestart('too late')).toEqual({ state: 'refused', why: 'this process is not governed' });
});

const order = {
  drainMs: 10,
  jitterMs: 0,
  atMost: { count: 3, perMs: 3_600_000 },
  scope: 'process',
  level: 'emergency',
} as const;
