import { expect, test } from 'vitest';
import { FakeClock } from './fake-clock.ts';
import { SelfCost } from './self-cost.ts';

test('cpu ratio is our time over wall time of the last minute', () => {
  const clock = new FakeClock();
  const cost = new SelfCost(clock);
  expect(cost.read().cpuRatio).toBe(0);
  clock.advance(1000);
  cost.spend('looks', 10);
  cost.spend('looks', -5);
  expect(cost.read().cpuRatio).toBeCloseTo(0.01);
  clock.advance(58_000);
  cost.spend('looks', 590);
  expect(cost.read().cpuRatio).toBeCloseTo(600 / 59_000);
  clock.advance(30_000);
  expect(cost.read().cpuRatio).toBeCloseTo(590 / 60_000, 2);
  // A minute later the busy one is forgotten, also after a standstill.
  clock.advance(30_000);
  expect(cost.read().cpuRatio).toBe(0);
  cost.spend('looks', 600);
  clock.advance(600_000);
  expect(cost.read().cpuRatio).toBe(0);
});

test('work is measured and its errors pass through', () => {
  const clock = new FakeClock();
  const cost = new SelfCost(clock);
  const done = cost.measure('looks', () => {
    clock.advance(4);
    return 'done';
  });
  expect(done).toBe('done');
  expect(() =>
    cost.measure('looks', () => {
      clock.advance(4);
      throw new Error('as it is');
    }),
  ).toThrow('as it is');
  clock.advance(792);
  expect(cost.read().cpuRatio).toBeCloseTo(0.01);
});

test('bytes are the fixed part and what the parts say; a part that fails counts nothing', () => {
  const cost = new SelfCost(new FakeClock());
  const base = cost.read().bytes;
  cost.retains('ledger', () => 1000);
  cost.retains('broken', () => {
    throw new Error('no');
  });
  cost.retains('wrong', () => Number.NaN);
  expect(cost.read().bytes - base).toBe(1000);
  cost.retains('ledger', () => 3000);
  expect(cost.read().bytes - base).toBe(3000);
  cost.release('ledger');
  expect(cost.read().bytes).toBe(base);
});

test('work inside other work counts once, for its own part', () => {
  const clock = new FakeClock();
  const cost = new SelfCost(clock);
  cost.measure('looks', () => {
    clock.advance(3);
    cost.measure('frames', () => clock.advance(5));
    clock.advance(2);
  });
  clock.advance(990);
  const { cpuRatio, parts } = cost.read();
  expect(cpuRatio).toBeCloseTo(0.01);
  expect(parts).toMatchObject([
    { part: 'looks', cpuRatio: 0.005 },
    { part: 'frames', cpuRatio: 0.005 },
    { part: 'census', cpuRatio: 0 },
    { part: 'floors', cpuRatio: 0 },
    { part: 'proofs', cpuRatio: 0 },
  ]);
});

/** A process in which every part takes what it is given: looks and frames by the clock, census and floors in pieces. */
class BusyHost {
  readonly clock = new FakeClock();
  readonly cost = new SelfCost(this.clock);
  floors = 0;
  #censusAt = 0;
  readonly #log: { readonly at: number; readonly ms: number }[] = [];

  #spend(part: Parameters<SelfCost['spend']>[0], ms: number): void {
    this.cost.spend(part, ms);
    this.#log.push({ at: this.clock.monotonic(), ms });
  }

  run(seconds: number, each: { looks: number; frames: number; census: number; floor: number }): void {
    for (let i = 0; i < 10 * seconds; i++) {
      const now = this.clock.monotonic();
      if (i % 10 === 0) {
        this.#spend('looks', each.looks);
        this.#spend('frames', each.frames);
        if (each.floor > 0 && this.cost.restMs() <= 0) {
          this.floors++;
          this.#spend('floors', each.floor);
        }
      }
      if (each.census > 0 && now >= this.#censusAt) {
        this.#spend('census', each.census);
        this.#censusAt = now + (each.census / 0.005) * this.cost.slowdown('census');
      }
      this.clock.advance(100);
    }
  }

  /** The largest share of a core in any minute after start-up. */
  get worst(): number {
    const begin = (this.#log[0]?.at ?? 0) + 20_000;
    const after = this.#log.filter(({ at }) => at >= begin);
    return (
      Math.max(
        ...after.map(({ at: from }) =>
          after.reduce((sum, { at, ms }) => (at >= from && at < from + 60_000 ? sum + ms : sum), 0),
        ),
      ) / 60_000
    );
  }
}

test.each([
  { looks: 1.4, frames: 1.3, census: 1, floor: 15 },
  { looks: 1.4, frames: 1.3, census: 1, floor: 60 },
  { looks: 2.5, frames: 2, census: 1, floor: 5 },
  { looks: 1, frames: 1, census: 0, floor: 30 },
])('all parts together keep within the allowance: %o', (each) => {
  const host = new BusyHost();
  host.run(200, each);
  expect(host.worst).toBeLessThanOrEqual(0.01);
  // What is allowed is used: nobody waits for an allowance that is not spent.
  if (each.census > 0) expect(host.worst).toBeGreaterThan(0.008);
});

test('floors of a small heap come every few seconds beside a census', () => {
  const host = new BusyHost();
  const each = { looks: 1.4, frames: 1.3, census: 1, floor: 15 };
  host.run(20, each);
  host.floors = 0;
  host.run(70, each);
  expect(host.floors).toBeGreaterThanOrEqual(10);
});

test('one of census and floors takes what the other leaves', () => {
  const each = { looks: 1.4, frames: 1.3, census: 1, floor: 0 };
  const alone = new BusyHost();
  alone.run(120, each);
  const both = new BusyHost();
  both.run(120, { ...each, floor: 15 });
  expect(both.cost.slowdown('census')).toBeGreaterThan(1.5 * alone.cost.slowdown('census'));
});

test('three times as much is spent at level critical', () => {
  const host = new BusyHost();
  host.cost.allow(0.03);
  host.run(150, { looks: 1.4, frames: 1.3, census: 1, floor: 60 });
  expect(host.worst).toBeLessThanOrEqual(0.03);
  expect(host.worst).toBeGreaterThan(0.015);
});

test('start-up is shown and not held against the allowance, and a snapshot slows nobody', () => {
  const clock = new FakeClock();
  const cost = new SelfCost(clock);
  clock.advance(1000);
  cost.spend('floors', 1000);
  expect(cost.restMs()).toBe(0);
  expect(cost.slowdown('census')).toBe(1);
  expect(cost.read().cpuRatio).toBe(1);
  clock.advance(30_000);
  const before = cost.slowdown('census');
  cost.spend('proofs', 2000);
  expect(cost.restMs()).toBe(0);
  expect(cost.slowdown('census')).toBe(before);
  expect(cost.slowdown('proofs')).toBe(1);
});

test('readings above their share are slowed while all take more than the allowance, and come back', () => {
  const clock = new FakeClock();
  const cost = new SelfCost(clock);
  clock.advance(20_000);
  cost.slowdown('looks');
  const pass = (looksMs: number, censusMs: number): void => {
    cost.spend('looks', looksMs);
    cost.spend('census', censusMs);
    clock.advance(10_000);
  };
  // 1 % of 10 s are 100 ms.
  pass(40, 55);
  expect(cost.slowdown('looks')).toBe(1);
  pass(90, 55);
  expect(cost.slowdown('looks')).toBe(1.5);
  for (let i = 0; i < 20; i++) {
    pass(900, 55);
    cost.slowdown('looks');
  }
  expect(cost.slowdown('looks')).toBe(10);
  // At level critical 3 % are allowed.
  cost.allow(0.03);
  pass(150, 55);
  expect(cost.slowdown('looks')).toBeCloseTo(10 / 1.5);
  cost.allow(0.01);
  for (let i = 0; i < 20; i++) {
    pass(20, 20);
    cost.slowdown('looks');
  }
  expect(cost.slowdown('looks')).toBe(1);
});
