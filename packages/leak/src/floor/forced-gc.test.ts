import { describe, expect, it } from 'vitest';
import { exposedGc } from '@plimsoll/core/internal/exposed-gc';
import { ForcedGc } from './forced-gc.ts';

const calm = { loopUtilization: 0.1, heapBytes: 50e6 };

function probe(pauseMs = 20): { gc: ForcedGc; pass: (ms: number) => void; runs: () => number } {
  let now = 0;
  let runs = 0;
  const gc = new ForcedGc({
    collect: () => {
      runs++;
      now += pauseMs;
    },
    now: () => now,
  });
  return { gc, pass: (ms) => void (now += ms), runs: () => runs };
}

describe('ForcedGc', () => {
  it('runs once per interval', () => {
    const { gc, pass, runs } = probe();
    expect(gc.run(calm)).toBe(true);
    pass(200_000);
    expect(gc.run(calm)).toBe(false);
    pass(100_001);
    expect(gc.run(calm)).toBe(true);
    expect(runs()).toBe(2);
    expect(gc.tally).toEqual({ ran: 2, refused: 1, lastPauseMs: 20 });
  });

  it('takes no more than its part of the time', () => {
    let now = 0;
    const collect = (): void => void (now += 100);
    const gc = new ForcedGc({ collect, now: () => now, intervalMs: 1000, costRatio: 0.01, idleBelow: 2 });
    const busy = { ...calm, loopUtilization: 1 };
    expect(gc.run(busy)).toBe(true);
    now += 9000;
    expect(gc.run(busy)).toBe(false);
    now += 1000;
    expect(gc.run(busy)).toBe(true);
  });

  it('waits while the shared allowance has not paid for a probe', () => {
    let now = 0;
    let restMs = 300;
    const gc = new ForcedGc({
      collect: () => undefined,
      now: () => now,
      intervalMs: 1000,
      restMs: () => restMs,
    });
    expect(gc.run(calm)).toBe(false);
    restMs = 0;
    expect(gc.run(calm)).toBe(true);
    now += 2000;
    restMs = 300;
    expect(gc.run(calm)).toBe(false);
  });

  it('takes a collection that others asked for since, instead of one of its own', () => {
    let now = 10;
    let newest = 5;
    let probes = 0;
    const gc = new ForcedGc({
      collect: () => void probes++,
      now: () => now,
      restMs: () => 1000,
      newest: () => newest,
    });
    expect(gc.run(calm)).toBe(false);
    now = 20;
    // The one before it was asked may have run before the objects were due.
    expect(gc.run(calm)).toBe(false);
    newest = 15;
    expect(gc.run(calm)).toBe(true);
    expect(gc.run(calm)).toBe(false);
    expect(probes).toBe(0);
  });

  it('leaves a busy loop alone', () => {
    const { gc } = probe();
    expect(gc.run({ ...calm, loopUtilization: 0.7 })).toBe(false);
    expect(gc.run({ ...calm, loopUtilization: Number.NaN })).toBe(false);
  });

  it('expects the pause from the heap before the first probe and from the last one after it', () => {
    const { gc, pass } = probe(10);
    expect(gc.run({ ...calm, heapBytes: 400e6 })).toBe(false);
    expect(gc.run({ ...calm, heapBytes: 100e6 })).toBe(true);
    pass(300_000);
    // 10 ms for 100 MB: 400 MB are 40 ms now.
    expect(gc.run({ ...calm, heapBytes: 400e6 })).toBe(true);
    pass(300_000);
    expect(gc.run({ ...calm, heapBytes: 10e9 })).toBe(false);
  });

  it('counts a collector that throws as refused', () => {
    const gc = new ForcedGc({
      collect: () => {
        throw new Error('no');
      },
    });
    expect(gc.run(calm)).toBe(false);
    expect(gc.tally).toMatchObject({ ran: 0, refused: 1 });
  });

  it('says when there is nothing to ask', () => {
    const gc = new ForcedGc({ collect: undefined });
    expect(gc.available).toBe(false);
    expect(gc.run(calm)).toBe(false);
  });

  it('gets at the collector of V8 with and without the flag', () => {
    const present = globalThis.gc;
    expect(exposedGc()).toBeTypeOf('function');
    try {
      globalThis.gc = undefined;
      const collect = exposedGc();
      expect(collect).toBeTypeOf('function');
      const before = process.memoryUsage().heapUsed;
      collect?.();
      expect(process.memoryUsage().heapUsed).toBeLessThan(before + 50e6);
    } finally {
      globalThis.gc = present as NodeJS.GCFunction;
    }
    expect(new ForcedGc().available).toBe(true);
  });
});
