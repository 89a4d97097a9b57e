import { describe, expect, test } from 'vitest';
import { rollbackDefaults } from '../policy/sections/rollback.ts';
import { GcEffectiveness } from './gc-effectiveness.ts';
import { Patient, calm, mib } from './rollback.fixture.ts';
import type { RollbackSignals, Trip } from './rollback-signals.ts';
import { RollbackWatch } from './rollback-watch.ts';
import { UsualMeter } from './usual.ts';
import type { Usual } from './usual.ts';

const minute = 60_000;

/** Lives with a watch and returns the first trip with its time. */
function watching(usual: Usual | undefined) {
  const watch = new RollbackWatch({ rules: rollbackDefaults, usual, startMs: 0 });
  const found: { trip: Trip; atMs: number }[] = [];
  const take = (signals: RollbackSignals): void => {
    const trip = watch.take(signals);
    if (trip !== undefined) found.push({ trip, atMs: signals.nowMs });
  };
  return { take, first: () => found[0] };
}

describe('growth', () => {
  test('beyond what was usual, at usual load, gives the policy up', () => {
    const { take, first } = watching(calm);
    const patient = new Patient();
    patient.live(6 * minute, take);
    expect(first()).toBeUndefined();
    patient.live(5 * minute, take, (it) => (it.floor += 0.1 * mib));
    expect(first()?.trip.trigger).toBe('growth');
    expect(first()?.trip.text).toMatchInlineSnapshot(
      `"live memory grew by 20.5 MiB since this policy is enforced, at usual load (10.0 operations/s, usual 10.0); 0 B is usual, and the bound is 20.0 MiB more."`,
    );
  });

  test('as usual is a leak of the application and no reason', () => {
    const leaking = { ...calm, bytesPerOperation: 10_000 };
    const { take, first } = watching(leaking);
    const patient = new Patient();
    patient.live(30 * minute, take, (it) => (it.floor += 100_000));
    expect(first()).toBeUndefined();
  });

  test('without anything to compare with says nothing about the policy', () => {
    const { take, first } = watching(undefined);
    const patient = new Patient();
    patient.live(30 * minute, take, (it) => (it.floor += mib));
    expect(first()).toBeUndefined();
  });

  test('under more load than usual says nothing either', () => {
    const { take, first } = watching(calm);
    const patient = new Patient();
    patient.live(10 * minute, take);
    patient.live(10 * minute, take, (it) => {
      it.operations += 20;
      it.floor += mib;
    });
    patient.live(20 * minute, take);
    expect(first()).toBeUndefined();
  });

  test('of a process that warms up is not counted', () => {
    const { take, first } = watching(calm);
    const patient = new Patient();
    patient.live(5 * minute - 5000, take, (it) => (it.floor += mib));
    patient.live(10 * minute, take);
    expect(first()).toBeUndefined();
  });

  test('of Plimsoll itself needs no comparison', () => {
    const { take, first } = watching(undefined);
    const patient = new Patient();
    patient.live(6 * minute, take);
    patient.live(minute, take, (it) => (it.selfBytes += mib));
    expect(first()?.trip.text).toMatchInlineSnapshot(
      `"Plimsoll itself holds 21.0 MiB more than when this policy began to be enforced; the bound is 20.0 MiB."`,
    );
  });
});

describe('GC effectiveness', () => {
  test('below 70 % for a minute, where it was above, gives the policy up', () => {
    const { take, first } = watching({ ...calm, bytesPerOperation: 1e6 });
    const patient = new Patient();
    patient.live(6 * minute, take);
    patient.garbage = 2 * mib;
    patient.live(10 * minute, take, (it) => {
      if (it.nowMs % 5000 === 0) it.floor += mib;
    });
    expect(first()?.trip.trigger).toBe('gc-effectiveness');
    expect(first()?.trip.text).toMatchInlineSnapshot(
      `"the last 8 major GCs freed 50 % of the freeable bytes, the bound is 70 %; before this policy was enforced it was 95 %."`,
    );
  });

  test('that was low before is no reason', () => {
    const { take, first } = watching({ ...calm, gcEffectiveness: 0.5, bytesPerOperation: 1e6 });
    const patient = new Patient();
    patient.garbage = mib;
    patient.live(20 * minute, take, (it) => {
      if (it.nowMs % 5000 === 0) it.floor += 2 * mib;
    });
    expect(first()).toBeUndefined();
  });

  test('is null before two collections and 1 when nothing was to be freed', () => {
    const gc = new GcEffectiveness();
    gc.take({ heapUsed: 10, majors: 0 });
    gc.take({ heapUsed: 10, floor: 10, majors: 1 });
    gc.take({ heapUsed: 10, floor: 10, majors: 2 });
    expect(gc.ratio).toBeNull();
    gc.take({ heapUsed: 10, floor: 10, majors: 3 });
    expect(gc.ratio).toBe(1);
    gc.take({ heapUsed: 40, floor: 10, majors: 3 });
    gc.take({ heapUsed: 20, floor: 20, majors: 4 });
    expect(gc.ratio).toBe(20 / 30);
  });
});

describe('the loop', () => {
  const blocked = (it: Patient): void => {
    it.loopDelayMs = 1500;
  };

  test('that is blocked for half a minute and was not before gives the policy up', () => {
    const { take, first } = watching(calm);
    const patient = new Patient();
    patient.live(20_000, take, blocked);
    patient.loopDelayMs = 5;
    patient.live(3000, take);
    expect(first()).toBeUndefined();
    patient.live(40_000, take, blocked);
    expect(first()?.atMs).toBe(54_000);
    expect(first()?.trip.text).toMatchInlineSnapshot(
      `"the event loop has been blocked for up to 2 s at a time since 30 s, the bound is 1 s for 30 s; Plimsoll took 0.1 % of a core."`,
    );
  });

  test('that was often blocked before, or of which nothing is known, is no reason', () => {
    for (const usual of [undefined, { ...calm, unresponsiveRatio: 0.4 }]) {
      const { take, first } = watching(usual);
      new Patient().live(5 * minute, take, blocked);
      expect(first()).toBeUndefined();
    }
  });

  test('that Plimsoll itself blocks needs no comparison', () => {
    const { take, first } = watching(undefined);
    const patient = new Patient();
    patient.selfCpuRatio = 0.6;
    patient.live(minute, take, blocked);
    expect(first()?.trip.trigger).toBe('unresponsive');
  });
});

describe('blocked operations', () => {
  test('more than half of them for five minutes without relief give the policy up', () => {
    const { take, first } = watching(undefined);
    const patient = new Patient();
    patient.live(10 * minute, take, (it) => {
      it.admitted -= 6;
      it.blocked += 6;
    });
    expect(first()?.atMs).toBeGreaterThanOrEqual(5 * minute);
    expect(first()?.atMs).toBeLessThan(6 * minute);
    expect(first()?.trip.text).toMatchInlineSnapshot(
      `"60 % of 3000 operations were blocked in 5 m at level normal, and the pressure went from 50 % when that began to 50 %."`,
    );
  });

  test('are judged from when refusing began: an empty process before it is no comparison', () => {
    const { take, first } = watching(undefined);
    const patient = new Patient();
    patient.pressureRatio = 0.1;
    patient.live(4 * minute, take);
    patient.pressureRatio = 0.58;
    patient.live(4 * minute, take, (it) => {
      it.admitted -= 9;
      it.blocked += 9;
    });
    expect(first()).toBeUndefined();
  });

  test.each(['critical', 'emergency'] as const)('at %s by a real limit are left to the ladder', (level) => {
    const { take, first } = watching(undefined);
    const patient = new Patient();
    patient.level = level;
    patient.pressureRatio = 0.9;
    const block = (it: Patient): void => {
      it.admitted -= 9;
      it.blocked += 9;
    };
    patient.live(20 * minute, take, block);
    expect(first()).toBeUndefined();
    patient.isOwnLimit = true;
    patient.live(20 * minute, take, block);
    expect(first()?.trip.trigger).toBe('blocked');
  });

  test('are no reason while pressure falls', () => {
    const { take, first } = watching(undefined);
    new Patient().live(20 * minute, take, (it) => {
      it.admitted -= 6;
      it.blocked += 6;
      it.pressureRatio -= 0.0002;
    });
    expect(first()).toBeUndefined();
  });

  test('of a burst that is over are no reason', () => {
    const { take, first } = watching(undefined);
    const patient = new Patient();
    patient.live(minute, take);
    patient.live(2 * minute, take, (it) => {
      it.blocked += 205;
    });
    patient.live(10 * minute, take);
    expect(first()).toBeUndefined();
  });

  test('of a server that hardly works are no reason', () => {
    const { take, first } = watching(undefined);
    new Patient().live(20 * minute, take, (it) => {
      it.admitted -= 10;
      if (it.nowMs % minute === 0) it.blocked += 1;
    });
    expect(first()).toBeUndefined();
  });
});

describe('what is usual', () => {
  test('is unknown for the first minute, then measured', () => {
    const meter = new UsualMeter(1000);
    const patient = new Patient();
    patient.live(minute, (signals) => meter.take(signals));
    expect(meter.usual).toBeUndefined();
    patient.live(
      4 * minute,
      (signals) => meter.take(signals),
      (it) => (it.floor += 20_000),
    );
    const usual = meter.usual as Usual;
    expect(usual.operationsPerSecond).toBeCloseTo(10, 1);
    expect(usual.bytesPerOperation).toBeGreaterThan(1500);
    expect(usual.bytesPerOperation).toBeLessThanOrEqual(2000);
    expect(usual.gcEffectiveness).toBeGreaterThan(0.95);
    expect(usual.unresponsiveRatio).toBe(0);
  });

  test('is measured in bounded memory over a day, and one odd floor does not bend it', () => {
    const meter = new UsualMeter(1000);
    const patient = new Patient();
    patient.live(
      24 * 60 * minute,
      (signals) => meter.take(signals),
      (it) => {
        it.floor = it.nowMs === 1_000_000 ? 900 * mib : 50 * mib;
        it.loopDelayMs = it.nowMs % 10_000 === 0 ? 2000 : 5;
      },
    );
    expect(meter.usual?.bytesPerOperation).toBe(0);
    expect(meter.usual?.unresponsiveRatio).toBeCloseTo(0.1, 3);
  });

  test('has no growth per operation without operations', () => {
    const meter = new UsualMeter(1000);
    new Patient().live(2 * minute, (signals) => meter.take({ ...signals, operations: 0 }));
    expect(meter.usual?.bytesPerOperation).toBe(0);
  });
});
