import { expect, test } from 'vitest';
import { coalesced, systemClock } from './clock.ts';
import { FakeClock } from './fake-clock.ts';

test('the system clock fires once, at once or later, and not when cancelled', async () => {
  const fired: string[] = [];
  const cancelled = [
    systemClock.after(0, () => fired.push('at once')),
    systemClock.after(5, () => fired.push('timer')),
  ];
  for (const cancel of cancelled) cancel();
  systemClock.after(0, () => fired.push('now'));
  await new Promise<void>((resolve) => {
    systemClock.after(20, () => {
      fired.push('later');
      resolve();
    });
    // The clock's own timers do not keep a process alive, so the test holds it open.
    const hold = setTimeout(resolve, 5000);
    systemClock.after(30, () => clearTimeout(hold));
  });
  expect(fired).toEqual(['now', 'later']);
  const before = Date.now();
  const now = systemClock.now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
  expect(systemClock.monotonic()).toBeGreaterThan(0);
});

test('long waits end with a whole second, reached in steps of a quarter', () => {
  expect(coalesced(1000, 7003)).toBe(997);
  expect(coalesced(998, 7004)).toBe(996);
  expect(coalesced(5000, 7300)).toBe(4700);
  const ends = [7400];
  for (let i = 0; i < 3; i++) ends.push((ends[i] as number) + coalesced(1000, ends[i] as number));
  expect(ends).toEqual([7400, 8150, 9000, 10_000]);
  expect(coalesced(250, 7003)).toBe(250);
});

test('a fake clock fires timers in the order of their moments, those set meanwhile included', () => {
  const clock = new FakeClock(1000);
  const fired: string[] = [];
  clock.after(20, () => fired.push(`b at ${clock.now()}`));
  clock.after(10, () => {
    fired.push(`a at ${clock.now()}`);
    clock.after(5, () => fired.push(`c at ${clock.now()}`));
  });
  const cancel = clock.after(12, () => fired.push('cancelled'));
  cancel();
  clock.advance(30);
  expect(fired).toEqual(['a at 1010', 'c at 1015', 'b at 1020']);
  expect(clock.now()).toBe(1030);
  expect(clock.waiting).toBe(0);
});

test('a stall fires what is overdue once, a jump moves the wall clock alone', () => {
  const clock = new FakeClock(0);
  let ticks = 0;
  const tick = (): void => {
    ticks++;
    clock.after(10, tick);
  };
  tick();
  clock.stall(1000);
  expect(ticks).toBe(2);
  const before = clock.monotonic();
  clock.jump(-5_000_000);
  expect(clock.monotonic()).toBe(before);
  expect(clock.now()).toBe(1000 - 5_000_000);
});

test('a stall leaves alone a timer that an earlier one cancelled', () => {
  const clock = new FakeClock();
  const fired: string[] = [];
  let cancel = (): void => undefined;
  clock.after(1, () => {
    fired.push('first');
    cancel();
  });
  cancel = clock.after(2, () => fired.push('second')) as () => undefined;
  clock.stall(10);
  expect(fired).toEqual(['first']);
});

test('a cost per look makes work take time', () => {
  const clock = new FakeClock();
  clock.costMs = 0.05;
  const start = clock.monotonic();
  clock.monotonic();
  expect(clock.monotonic() - start).toBeCloseTo(0.1);
});
