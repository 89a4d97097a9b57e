import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, describe, expect, test } from 'vitest';
import { FakeClock } from './fake-clock.ts';
import { FakeSensor } from './fake-sensor.ts';
import { partlyKnown } from './reading-fields.ts';
import type { Reading } from './reading.ts';
import { Sampler } from './sampler.ts';
import type { SamplerOptions } from './sampler.ts';

const mib = 1024 ** 2;
const running: Sampler[] = [];
afterEach(() => {
  for (const sampler of running.splice(0)) sampler.stop();
});

function set(options: Partial<SamplerOptions> = {}): {
  clock: FakeClock;
  sensor: FakeSensor;
  sampler: Sampler;
  readings: Reading[];
} {
  const clock = new FakeClock();
  const sensor = options.sensor instanceof FakeSensor ? options.sensor : new FakeSensor();
  const sampler = new Sampler({ clock, ...options, sensor });
  const readings: Reading[] = [];
  sampler.onReading((reading) => readings.push(reading));
  running.push(sampler);
  return { clock, sensor, sampler, readings };
}

test('a reading at once and every second, each the contract in full', () => {
  const { clock, sensor, sampler, readings } = set({
    scopes: () => 12,
    unattributed: (floor) => floor - 10 * mib,
  });
  sampler.start();
  sampler.start();
  expect(readings).toHaveLength(1);
  expect(readings[0]).not.toHaveProperty('floor');
  clock.advance(900);
  const floor = { bytes: 30 * mib, external: 0, at: clock.monotonic(), major: 1 };
  sensor.set({ floor, gc: { major: 1, minor: 3, pauseMs: 4 } });
  clock.advance(1100);
  expect(readings).toHaveLength(3);
  const { self, ...rest } = readings[2] as Reading;
  expect(self.bytes).toBeGreaterThan(0);
  expect(self.cpuRatio).toBe(0);
  expect(rest).toEqual({
    at: Date.UTC(2026, 0, 1) + 2000,
    ...partlyKnown({
      heapUsed: 40 * mib,
      floor: 30 * mib,
      floorAgeMs: 1100,
      majors: 2,
      external: 2 * mib,
      arrayBuffers: mib,
      rss: 90 * mib,
      limit: Math.floor(0.8 * 512 * mib),
      used: 30 * mib,
      loopUtilization: 0.1,
      scopes: 12,
      unattributed: 20 * mib,
    }),
    pressures: [{ source: 'heap', used: 30 * mib, limit: Math.floor(0.8 * 512 * mib), endBytes: 512 * mib }],
    gc: { major: 1, minor: 3, pauseMs: 4 },
  });
  expect(sampler.latest).toBe(readings[2]);
});

test('in a hurry four readings a second, then back to one', () => {
  const { clock, sampler, readings } = set();
  sampler.start();
  clock.advance(100);
  sampler.hurry(1000);
  sampler.hurry(500);
  clock.advance(900);
  expect(readings.length).toBe(4);
  clock.advance(10_000);
  expect(readings.length).toBeGreaterThanOrEqual(14);
  expect(readings.length).toBeLessThanOrEqual(15);
});

function fails(): never {
  throw new Error('planned');
}

/** A process that does nothing until a test says so. */
class RestingSensor extends FakeSensor {
  isResting = true;
  looks = 0;

  isAtRest(): boolean {
    this.looks++;
    return this.isResting;
  }
}

describe('a process at rest', () => {
  const at = ({ at: moment }: Reading): number => (moment - Date.UTC(2026, 0, 1)) / 1000;

  test('is looked at every second and read every third', () => {
    const sensor = new RestingSensor();
    const { clock, sampler, readings } = set({ sensor });
    sampler.start();
    clock.advance(15_000);
    expect(readings.map(at)).toEqual([0, 1, 2, 3, 4, 5, 8, 11, 14]);
    expect(sensor.looks).toBe(16);
    expect(readings.every(({ lateMs }) => lateMs === 0)).toBe(true);
  });

  test('is read within a second once it does something, and for five seconds more', () => {
    const sensor = new RestingSensor();
    const { clock, sampler, readings } = set({ sensor });
    sampler.start();
    clock.advance(10_500);
    sensor.isResting = false;
    clock.advance(1000);
    sensor.isResting = true;
    clock.advance(9000);
    expect(readings.map(at).slice(-8)).toEqual([8, 11, 12, 13, 14, 15, 16, 19]);
  });

  test.each<[string, (it: ReturnType<typeof set>, facts: { scopes: number; mayRest: boolean }) => void]>([
    ['a scope opens', (_it, facts) => (facts.scopes = 3)],
    ['somebody wants every second', (_it, facts) => (facts.mayRest = false)],
    ['somebody is in a hurry', ({ sampler }) => sampler.hurry(500)],
    ['asking fails', ({ sensor }) => Object.assign(sensor, { isAtRest: fails })],
  ])('is read as any other when %s', (_why, change) => {
    const facts = { scopes: 2, mayRest: true };
    const sensor = new RestingSensor();
    const it = set({ sensor, scopes: () => facts.scopes, mayRest: () => facts.mayRest });
    it.sampler.start();
    it.clock.advance(10_000);
    const before = it.readings.length;
    change(it, facts);
    it.clock.advance(1000);
    expect(it.readings.length).toBeGreaterThan(before);
  });

  test('has readings in time where they soon count as stale', () => {
    const { clock, sampler, readings } = set({ sensor: new RestingSensor(), staleAfterMs: 6000 });
    sampler.start();
    clock.advance(20_000);
    expect(readings.slice(1).every((each, i) => at(each) - at(readings[i] as Reading) <= 2)).toBe(true);
  });
});

test('a new rhythm counts from the next reading on, and a bad one changes nothing', () => {
  const { clock, sampler, readings } = set();
  sampler.start();
  sampler.setRhythm({ intervalMs: 200 });
  clock.advance(1000);
  expect(readings).toHaveLength(2);
  clock.advance(1000);
  expect(readings).toHaveLength(7);
  expect(() => sampler.setRhythm({ intervalMs: 5 })).toThrow('intervalMs is 5; it has to be');
  clock.advance(200);
  expect(readings).toHaveLength(8);
});

test('asking to hurry before the start or again while hurrying adds no timer', () => {
  const { clock, sampler } = set();
  sampler.hurry();
  expect(clock.waiting).toBe(0);
  sampler.start();
  sampler.hurry();
  sampler.hurry();
  expect(clock.waiting).toBe(1);
});

test('a starved loop gives one late reading, however long it was', () => {
  const { clock, sampler, readings } = set();
  sampler.start();
  clock.stall(3000);
  expect(readings).toHaveLength(2);
  expect(readings[1]?.lateMs).toBe(2000);
  expect(sampler.lateTicks).toBe(0);
  clock.stall(60_000);
  expect(readings).toHaveLength(3);
  expect(sampler.lateTicks).toBe(1);
  clock.advance(1000);
  expect(readings[3]?.lateMs).toBe(0);
});

test('a jump of the wall clock changes the date and nothing else', () => {
  const { clock, sampler, readings } = set();
  sampler.start();
  clock.jump(-86_400_000);
  clock.advance(2000);
  expect(readings).toHaveLength(3);
  expect(readings[2]?.at).toBe(Date.UTC(2026, 0, 1) + 2000 - 86_400_000);
  expect(sampler.stale).toBe(false);
  clock.jump(7 * 86_400_000);
  expect(sampler.stale).toBe(false);
  expect(sampler.lateTicks).toBe(0);
});

test('a sensor that throws costs readings, never the process; after 15 s the last one is stale', () => {
  const { clock, sensor, sampler, readings } = set();
  sampler.start();
  sensor.fail = new Error('EMFILE');
  clock.advance(15_000);
  expect(readings).toHaveLength(1);
  expect(sampler.faults).toBe(15);
  expect(sampler.stale).toBe(false);
  clock.advance(1000);
  expect(sampler.stale).toBe(true);
  expect(sampler.sample()).toBeUndefined();
  sensor.fail = undefined;
  clock.advance(1000);
  expect(sampler.stale).toBe(false);
  expect(readings).toHaveLength(2);
});

test('listeners, subscribers and counters that throw are counted and the others still hear', () => {
  const { clock, sensor, sampler, readings } = set({
    scopes: () => {
      throw new Error('no roster');
    },
    unattributed: () => {
      throw new Error('no census');
    },
  });
  sensor.set({ floor: { bytes: 1, external: 0, at: 0, major: 1 } });
  const stop = sampler.onReading(() => {
    throw new Error('user code');
  });
  const heard: unknown[] = [];
  const hear = (message: unknown): void => void heard.push(message);
  subscribe('plimsoll:reading', hear);
  sampler.start();
  unsubscribe('plimsoll:reading', hear);
  expect(readings).toHaveLength(1);
  expect(readings[0]?.scopes).toBe(0);
  expect(readings[0]).not.toHaveProperty('unattributed');
  expect(heard).toEqual(readings);
  expect(sampler.faults).toBe(3);
  stop();
  clock.advance(1000);
  expect(sampler.faults).toBe(5);
});

test('limits follow the control group and the policy', () => {
  const { clock, sensor, sampler } = set();
  sampler.start();
  expect(sampler.limits.binding.source).toBe('heap');
  const cgroup = {
    version: 2,
    group: '/',
    workingSet: 90 * mib,
    limit: 100 * mib,
    limitFile: 'max',
  } as const;
  sensor.set({ cgroup });
  clock.advance(1000);
  expect(sampler.limits.binding).toMatchObject({ source: 'cgroup', bytes: 100 * mib });
  expect(sampler.latest).toMatchObject({ used: 90 * mib, limit: 100 * mib });
  sampler.setPolicy({ processBytes: 43 * mib });
  clock.advance(1000);
  expect(sampler.latest).toMatchObject({ used: 42 * mib, limit: 43 * mib });
});

test('stopping cancels the timer, stops the sensor and forgets listeners', () => {
  const { clock, sensor, sampler, readings } = set();
  sampler.start();
  sampler[Symbol.dispose]();
  clock.advance(10_000);
  expect(readings).toHaveLength(1);
  expect(sensor.stopped).toBe(true);
  expect(clock.waiting).toBe(0);
});

test('its own time shows in the reading', () => {
  const { clock, sampler } = set();
  clock.costMs = 1;
  sampler.start();
  clock.costMs = 0;
  clock.advance(999);
  clock.advance(1);
  expect(sampler.latest?.self.cpuRatio).toBeGreaterThan(0.001);
});

test('an interval outside its bounds is refused', () => {
  expect(() => new Sampler({ sensor: new FakeSensor(), intervalMs: 5 })).toThrowErrorMatchingInlineSnapshot(
    `[PlimsollError: intervalMs is 5; it has to be a number from 100 to 60000.]`,
  );
});

test('a look collects once, not again within 30 s, and not a heap that would take too long', () => {
  let collections = 0;
  const { clock, sensor, sampler } = set({ collect: () => collections++ });
  sampler.start();
  expect(sampler.look()).toBe(true);
  expect(sampler.look()).toBe(false);
  clock.advance(31_000);
  expect(sampler.look()).toBe(true);
  sensor.set({ heapUsed: 3000 * mib });
  clock.advance(31_000);
  expect(sampler.look()).toBe(false);
  expect(collections).toBe(2);
});

test('a look that fails is counted and not thrown', () => {
  const { sampler } = set({
    collect: () => {
      throw new Error('no');
    },
  });
  expect(sampler.look()).toBe(false);
  expect(sampler.faults).toBe(1);
});

test('readings come less often while they take more than the allowance, and never stop', () => {
  const { clock, sampler, readings } = set();
  sampler.onReading(() => clock.stall(40));
  sampler.start();
  clock.advance(60_000);
  expect(readings.length).toBeLessThan(45);
  readings.length = 0;
  clock.advance(300_000);
  expect(readings.length).toBeGreaterThanOrEqual(60);
  expect(readings.at(-1)?.self.cpuRatio).toBeLessThan(0.013);
  expect(readings.at(-1)?.self.parts).toMatchObject([{ part: 'looks' }, {}, {}, {}, {}]);
  expect(sampler.stale).toBe(false);
});
