import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { Admission } from './admission.ts';
import { readingOf, seededRandom } from './admission.fixture.ts';
import { isAdmitError } from '@plimsoll/core';
import type { AdmitOptions, Admitted, ShedPoint } from '@plimsoll/core/internal/gate/shed-point';
import { shedPoints } from '@plimsoll/core/internal/gate/shed-point';

const point = fc.constantFrom(...shedPoints);
const priority = fc.constantFrom('critical' as const, 'normal' as const, 'sheddable' as const);
const span = fc.tuple(fc.nat(10_000), fc.nat(10_000)).map(([min, more]) => ({ min, max: min + more }));

const options: fc.Arbitrary<AdmitOptions> = fc.record(
  {
    bytes: fc.nat(60 * 1024 ** 2),
    priority,
    lane: fc.constantFrom('management', 'batch', 'chat'),
    continues: fc.constantFrom(true, false, 'session' as const),
    depth: fc.nat(6),
    fanOut: fc.nat(6),
  },
  { requiredKeys: [] },
);

type Step = (world: World) => void;

class World {
  readonly clock = new FakeClock();
  readonly admission: Admission;
  readonly asked = new Map<ShedPoint, number>();
  readonly tickets: Admitted[] = [];
  readonly waiting: Promise<unknown>[] = [];
  inFlight = 0;

  constructor(seed: number) {
    this.admission = new Admission({ clock: this.clock, random: seededRandom(seed) });
    this.admission.govern({ mode: 'enforce' });
  }

  ask(at: ShedPoint, want: AdmitOptions): void {
    this.asked.set(at, (this.asked.get(at) ?? 0) + 1);
    try {
      this.tickets.push(this.admission.admit(at, want));
    } catch (error) {
      if (!isAdmitError(error)) throw error;
      const isSpared = want.continues === true || want.lane === 'management';
      expect(isSpared, `${at} ${JSON.stringify(want)} was refused by ${error.code}`).toBe(false);
      expect(error.retryAfterMs).toBeGreaterThanOrEqual(0);
    }
  }
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.tuple(point, options).map(
      ([at, want]): Step =>
        (world) =>
          world.ask(at, want),
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(point, options, fc.integer({ min: 1, max: 5000 }))
      .map(([at, want, waitMs]): Step => (world) => {
        world.asked.set(at, (world.asked.get(at) ?? 0) + 1);
        world.waiting.push(world.admission.admitOrWait(at, { ...want, waitMs }).catch(() => undefined));
      }),
  },
  {
    weight: 3,
    arbitrary: fc.nat(3000).map(
      (ms): Step =>
        (world) =>
          world.clock.advance(ms),
    ),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.nat(400 * 1024 ** 2), fc.nat(5), fc.constantFrom('normal' as const, 'critical' as const))
      .map(([freeBytes, inFlight, level]): Step => (world) => {
        world.inFlight = inFlight;
        world.admission.observe(readingOf({ freeBytes, level, inFlight: () => world.inFlight }));
      }),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.option(priority, { nil: undefined }))
      .map(
        ([ratio, only]): Step =>
          (world) =>
            world.admission.throttle({ ratio, reason: 'r', ...(only && { only }) }),
      ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.subarray([...shedPoints, 'batch']), span).map(
      ([except, retryAfterMs]): Step =>
        (world) =>
          world.admission.refuse({ except, retryAfterMs, reason: 'r' }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ depth: fc.nat(4), fanOut: fc.nat(4), concurrency: fc.nat(4) }, { requiredKeys: [] })
      .map(
        (clamp): Step =>
          (world) =>
            world.admission.clamp({ ...clamp, reason: 'r' }),
      ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(undefined, 'throttle' as const, 'refuse' as const, 'clamp' as const).map(
      (what): Step =>
        (world) =>
          world.admission.release(what),
    ),
  },
  { weight: 2, arbitrary: fc.constant<Step>((world) => world.tickets.pop()?.release()) },
);

test('what was asked is admitted, refused or held; management and continuing turns never refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), fc.nat(), async (steps, seed) => {
      const world = new World(seed);
      for (const each of steps) {
        each(world);
        for (const row of world.admission.row().points) {
          expect(row.admitted + row.refused + row.held, row.point).toBe(world.asked.get(row.point) ?? 0);
          expect(row.held).toBeLessThanOrEqual(64);
        }
      }
      world.clock.advance(10_000);
      await Promise.all(world.waiting);
      const rows = world.admission.row().points;
      expect(rows.every((row) => row.held === 0)).toBe(true);
      expect(world.clock.waiting).toBe(0);
      const reasons = world.admission.sheds().reduce((sum, { count }) => sum + count, 0);
      expect(reasons).toBe(world.admission.counts().refused);
    }),
    { numRuns: 1500 },
  );
});

test('an order that nobody stands behind opens by itself, whatever it was', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat(), (steps, seed) => {
      const world = new World(seed);
      for (const each of steps) each(world);
      world.clock.advance(61_000);
      expect(world.admission.row()).toMatchObject({ state: 'open', ratio: 0 });
      for (const at of shedPoints)
        world.admission.admit(at, { depth: 99, fanOut: 99, priority: 'sheddable' });
    }),
    { numRuns: 300 },
  );
});
