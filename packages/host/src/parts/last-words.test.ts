import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { GrownContainer } from '@plimsoll/leak/internal/containers/container-counts';
import type { AddingSite } from '@plimsoll/leak/internal/proof/growth-record';
import type { CapturePrediction } from '@plimsoll/heap/internal/capture/prediction';
import { lastWordsFile, readLastWords } from '../protocol/last-words.ts';
import type { Level } from '../protocol/frame.ts';
import { addingSites, LastWordsPart } from './last-words.ts';

const mib = 1024 ** 2;
const streams: GrownContainer = {
  path: [
    { via: 'variable hub', name: 'Hub' },
    { via: 'streams', name: 'Map' },
  ],
  kind: 'Map',
  count: 2700,
  gained: 2500,
  entryBytes: 100,
  isLight: false,
  hasTexts: true,
  shape: 'growing',
  odds: 9,
  formerPace: 0,
};
const site = { name: 'keepSession', where: 'server.js:4:3', bytes: 40 * mib };

function rig(more: Partial<ConstructorParameters<typeof LastWordsPart>[0]> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-last-words-'));
  const state = { level: 'normal' as Level, forecastMs: null as number | null, samples: 0, armed: 0 };
  const part = new LastWordsPart({
    dir,
    level: () => state.level,
    forecastMs: () => state.forecastMs,
    scopes: () => [{ path: 'process/session:42', bytes: 5 * mib }],
    sites: () => undefined,
    containers: () => [streams],
    isSnapshotWanted: false,
    sample: () => {
      state.samples++;
      return Promise.resolve({
        sites: [site, { name: 'from', where: '(native)', bytes: 1 }],
        totalBytes: 1,
        durationMs: 1,
        intervalBytes: 1,
        forcedGc: true,
        pauseMs: 1,
      });
    },
    predict: () => Promise.resolve({ neededBytes: mib, freeBytes: 9 * mib, fits: true } as CapturePrediction),
    arm: () => void state.armed++,
    ...more,
  });
  part.start();
  const words = (): ReturnType<typeof readLastWords> => readLastWords(dir, process.pid);
  const end = (): void => rmSync(dir, { recursive: true, force: true });
  return { part, state, words, end, dir };
}

test('nothing is said while all is well; near the end sites and holders are kept, once a minute', async () => {
  const said: number[] = [];
  const { part, state, words, end } = rig({ said: ({ sites }) => said.push(sites.length) });
  part.take({ used: 50, limit: 100 });
  expect(words()).toBeUndefined();
  state.forecastMs = 20 * 60_000;
  part.take({ used: 50, limit: 100 });
  expect(words()).toBeUndefined();
  state.level = 'warning';
  part.take({ used: 80, limit: 100 });
  part.take({ used: 81, limit: 100 });
  await vi.waitFor(() => expect(words()?.sites).toEqual([site]));
  expect(words()).toMatchObject({
    scopes: [['process/session:42', 5 * mib]],
    containers: [{ name: 'hub.streams', entries: 2700, gained: 2500 }],
    snapshot: null,
  });
  // The fleet hears what is known at once, because the rest may come too late.
  expect(said).toEqual([0, 1]);
  part.take({ used: 82, limit: 100 });
  expect(state).toMatchObject({ samples: 1, armed: 0 });
  part.exit(0);
  expect(words()).toBeUndefined();
  end();
});

test('right at the wall nothing is asked of V8, and what is known is still written', () => {
  const { part, state, words, end, dir } = rig({ sites: () => [site], isSnapshotWanted: true });
  state.level = 'emergency';
  part.take({ used: 97, limit: 100 });
  expect(words()?.sites).toEqual([site]);
  expect(state).toMatchObject({ samples: 0, armed: 0 });
  part.exit(134);
  expect(existsSync(lastWordsFile(dir, process.pid))).toBe(true);
  end();
});

test('a snapshot at the limit is asked for only where the memory for it is there', async () => {
  for (const fits of [true, false]) {
    const prediction = { neededBytes: 5 * mib, freeBytes: mib, fits } as CapturePrediction;
    const { part, state, words, end } = rig({
      isSnapshotWanted: true,
      predict: () => Promise.resolve(prediction),
      sample: () => Promise.reject(new Error('busy')),
    });
    state.level = 'critical';
    part.take({ used: 80, limit: 100 });
    await vi.waitFor(() => expect(words()?.snapshot?.state).toBe(fits ? 'armed' : 'refused'));
    expect(state.armed).toBe(fits ? 1 : 0);
    expect(words()?.sites).toEqual([]);
    end();
  }
});

test('sites that are known already are taken over', () => {
  expect(addingSites(undefined)).toBeUndefined();
  expect(addingSites([])).toBeUndefined();
  const known = { function: 'keep', file: '/app/server.js', line: 4, perHour: 9.6, low: 1, high: 20 };
  expect(addingSites([known as AddingSite])).toEqual([
    { name: 'keep', where: '/app/server.js:4', bytesPerHour: 10 },
  ]);
});
