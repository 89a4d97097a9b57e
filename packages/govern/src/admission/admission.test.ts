import { expect, test, vi } from 'vitest';
import { isPlimsollError } from '@plimsoll/core';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { Admission } from './admission.ts';
import { governedAdmission, letIn, mib, readingOf, refuseAll } from './admission.fixture.ts';
import { isAdmitError } from '@plimsoll/core';
import { AdmitError } from '@plimsoll/core/internal/gate/admit-error';
import type { AdmitOptions, ShedPoint } from '@plimsoll/core/internal/gate/shed-point';
import { shedPoints } from '@plimsoll/core/internal/gate/shed-point';

function refusal(admission: Admission, point: ShedPoint, want?: number | AdmitOptions): AdmitError {
  try {
    admission.admit(point, want);
  } catch (error) {
    if (error instanceof AdmitError) return error;
    throw error;
  }
  throw new Error('it was let in');
}

const pointRow = (admission: Admission, point: ShedPoint) =>
  admission.row().points.find((row) => row.point === point);

test('while nobody governs everything is let in and counted', () => {
  const admission = new Admission();
  for (const point of shedPoints) admission.admit(point);
  admission.admit('buffer', 1024 ** 4);
  expect(admission.row()).toEqual({
    state: 'open',
    ratio: 0,
    admitted: 6,
    refused: 0,
    points: shedPoints.map((point) => ({
      point,
      admitted: point === 'buffer' ? 2 : 1,
      refused: 0,
      held: 0,
      wouldHave: 0,
      reasons: {},
    })),
  });
  expect(admission.pressure).toEqual({
    reason: null,
    level: 'normal',
    usedBytes: 0,
    limitBytes: 0,
    ratio: 0,
    source: 'unknown',
  });
});

test('a refusal carries its numbers and answers HTTP by itself, without telling the client about the process', async () => {
  const { admission } = governedAdmission();
  admission.refuse(refuseAll);
  const error = refusal(admission, 'session');
  expect(String(error)).toMatchInlineSnapshot(`
    "PLM_ADMIT_REFUSED: new work at "session" is refused: the process holds 389.0 MiB of 400.0 MiB (97 %), level emergency.
      at:  admit("session"), ladder.emergency[1] (plimsoll.yaml:30)
      fix: try again after 14 s; nothing is wrong with the request."
  `);
  expect(error).toMatchObject({
    code: 'PLM_ADMIT_REFUSED',
    point: 'session',
    level: 'emergency',
    usedBytes: 389 * mib,
    limitBytes: 400 * mib,
    ratio: 389 / 400,
    rule: 'ladder.emergency[1] (plimsoll.yaml:30)',
    retryable: true,
    statusCode: 503,
    status: 503,
  });
  expect(isPlimsollError(error)).toBe(true);
  expect(error.stack).not.toContain('\n    at ');
  expect(new Error('another').stack).toContain('\n    at ');
  expect(isAdmitError(error)).toBe(true);
  expect(isAdmitError(new Error('PLM_ADMIT_REFUSED'))).toBe(false);
  expect(isAdmitError(null)).toBe(false);
  const response = error.toResponse();
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBe(Math.ceil(error.retryAfterMs / 1000));
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const { retryAfterMs, ...problem } = (await response.json()) as Record<string, unknown>;
  expect(retryAfterMs).toBe(error.retryAfterMs);
  expect(problem).toEqual({
    type: 'about:blank',
    title: 'Service Unavailable',
    status: 503,
    code: 'PLM_ADMIT_REFUSED',
    point: 'session',
    retryable: true,
  });
});

test('clients are told different times to come back, all within the range', () => {
  const { admission } = governedAdmission();
  admission.refuse(refuseAll);
  const times = Array.from({ length: 200 }, () => refusal(admission, 'run').retryAfterMs);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(5000);
  expect(Math.max(...times)).toBeLessThanOrEqual(20_000);
  expect(new Set(times).size).toBeGreaterThan(190);
});

test('management and what continues is never refused, whatever is ordered', () => {
  const { admission } = governedAdmission();
  admission.refuse(refuseAll);
  admission.throttle({ ratio: 1, only: 'critical', reason: 'r' });
  admission.clamp({ depth: 0, fanOut: 0, concurrency: 0, reason: 'r' });
  admission.drain('test');
  for (const point of shedPoints) {
    admission.admit(point, { lane: 'management', bytes: 1024 ** 4, depth: 9, fanOut: 9 });
    admission.admit(point, { continues: true, bytes: 1024 ** 4, depth: 9, fanOut: 9 });
    admission.lanes.run('management', () => admission.admit(point, 1024 ** 4));
    expect(() => admission.admit(point)).toThrow();
  }
});

test('the next turn of an open session is refused by a drain alone', () => {
  const { admission } = governedAdmission();
  admission.refuse(refuseAll);
  admission.clamp({ concurrency: 0, reason: 'r' });
  admission.admit('run', { continues: 'session' });
  admission.drain('restart');
  const error = refusal(admission, 'run', { continues: 'session' });
  expect(String(error)).toMatchInlineSnapshot(`
    "PLM_ADMIT_DRAINING: new work at "run" is refused: the process is draining (restart).
      at:  admit("run"), drain
      fix: try again after 4 s; another process takes it, or this one after its restart."
  `);
  expect(admission.row().state).toBe('draining');
  expect(admission.row().ratio).toBe(1);
  expect(admission.pressure.reason).toBe('draining: restart');
});

test('tools and buffers of a run that was let in go on; elsewhere they are new work', () => {
  const { admission, setWithinRun } = governedAdmission();
  admission.refuse(refuseAll);
  expect(() => admission.admit('tool')).toThrow();
  setWithinRun(true);
  admission.admit('tool');
  admission.admit('buffer');
  expect(() => admission.admit('delegation')).toThrow();
  admission.drain('restart');
  admission.admit('tool');
});

test('a refusal spares what its rule excepts and those it is not for', () => {
  const { admission } = governedAdmission();
  admission.refuse({ ...refuseAll, except: ['tool', 'batch'] });
  admission.admit('tool');
  admission.admit('run', { lane: 'batch' });
  admission.lanes.run('batch', () => admission.admit('run'));
  expect(() => admission.admit('run', { lane: 'other' })).toThrow();
  admission.refuse({ ...refuseAll, only: 'sheddable' });
  admission.admit('run');
  expect(() => admission.admit('run', { priority: 'sheddable' })).toThrow();
  admission.refuse({ ...refuseAll, only: 'normal' });
  expect(() => admission.admit('run')).toThrow();
  admission.admit('run', { priority: 'critical' });
});

test('the priority of the policy counts when the caller gives none', () => {
  const { admission } = governedAdmission();
  admission.govern({ mode: 'enforce', priorityOf: () => 'sheddable' });
  admission.refuse({ ...refuseAll, only: 'sheddable' });
  expect(() => admission.admit('run')).toThrow();
  admission.admit('run', { priority: 'normal' });
  admission.govern({
    mode: 'enforce',
    priorityOf: () => {
      throw new Error('policy gone');
    },
  });
  admission.admit('run');
});

test('a throttle refuses its share of sheddable work by chance, and nothing else', () => {
  const { admission } = governedAdmission({ level: 'critical' });
  admission.throttle({ ratio: 0.4, only: 'sheddable', reason: 'ladder.critical[2] (plimsoll.yaml:24)' });
  const admitted = letIn(5000, () => admission.admit('run', { priority: 'sheddable' }));
  expect(admitted / 5000).toBeCloseTo(0.6, 1);
  expect(letIn(500, () => admission.admit('run'))).toBe(500);
  expect(letIn(500, () => admission.admit('run', { priority: 'critical' }))).toBe(500);
  expect(admission.row()).toMatchObject({ state: 'throttling', ratio: 0.4 });
  admission.throttle({ ratio: 1, reason: 'r' });
  expect(letIn(500, () => admission.admit('run', { priority: 'critical' }))).toBe(500);
  expect(String(refusal(admission, 'run'))).toMatchInlineSnapshot(`
    "PLM_ADMIT_THROTTLED: 100 % of the work at "run" is refused, and this was among it: the process holds 389.0 MiB of 400.0 MiB (97 %), level critical.
      at:  admit("run"), r
      fix: try again after 9 s, or mark work that must not wait with priority "critical"."
  `);
  admission.throttle({ ratio: 0, reason: 'r' });
  expect(admission.row().state).toBe('open');
});

test('the same seed refuses the same requests', () => {
  const pattern = (seed: number): string => {
    const { admission } = governedAdmission({}, seed);
    admission.throttle({ ratio: 0.5, reason: 'r' });
    return Array.from({ length: 64 }, () =>
      letIn(1, () => admission.admit('run', { priority: 'sheddable' })),
    ).join('');
  };
  expect(pattern(7)).toBe(pattern(7));
  expect(pattern(7)).not.toBe(pattern(8));
});

test('a clamp bounds depth, fan-out and concurrency, and says which cannot be cured by waiting', () => {
  const { admission } = governedAdmission({ level: 'critical' });
  admission.clamp({ depth: 2, fanOut: 3, concurrency: 2, reason: 'ladder.critical[1] (plimsoll.yaml:22)' });
  admission.admit('delegation', { depth: 2, fanOut: 2 });
  const deep = refusal(admission, 'delegation', { depth: 3 });
  expect(deep).toMatchObject({ code: 'PLM_ADMIT_CLAMPED', retryable: false, retryAfterMs: 0 });
  expect(deep.headers).not.toHaveProperty('retry-after');
  expect(String(deep)).toMatchInlineSnapshot(`
    "PLM_ADMIT_CLAMPED: depth 3 at "delegation" is above 2, the most while memory is short: the process holds 389.0 MiB of 400.0 MiB (97 %), level critical.
      at:  admit("delegation"), ladder.critical[1] (plimsoll.yaml:22)
      fix: let the delegating agent finish the task itself, or wait until other delegations have ended."
  `);
  expect(refusal(admission, 'delegation', { fanOut: 3 }).retryable).toBe(true);
  expect(admission.clamped).toMatchObject({ depth: 2, fanOut: 3, concurrency: 2 });
  admission.release('clamp');
  expect(admission.clamped).toBeUndefined();
  admission.admit('delegation', { depth: 9, fanOut: 9 });
});

test('concurrency counts tickets that are released', () => {
  const { admission } = governedAdmission();
  admission.admit('run').release();
  const first = admission.admit('run');
  const second = admission.admit('run');
  admission.clamp({ concurrency: 2, reason: 'r' });
  expect(refusal(admission, 'run').message).toContain('concurrency 3 at "run" is above 2');
  first.release();
  first.release();
  using _third = admission.admit('run');
  expect(() => admission.admit('run')).toThrow();
  second[Symbol.dispose]();
  expect(second.point).toBe('run');
  admission.admit('run');
});

test('tickets that nobody releases harm nothing: concurrency is then counted from the work in flight', () => {
  let works = 1;
  const { admission } = governedAdmission({ inFlight: () => works });
  for (let i = 0; i < 100; i++) admission.admit('run');
  admission.clamp({ concurrency: 2, reason: 'r' });
  admission.admit('run');
  expect(() => admission.admit('run')).toThrow();
  works = 0;
  admission.observe(readingOf({ inFlight: () => works }));
  admission.admit('run');
  // Half of the callers forget to release; once nothing works any more, their tickets are forgotten.
  admission.admit('run').release();
  for (let i = 0; i < 50; i++) letIn(1, () => admission.admit('run'));
  works = 0;
  admission.observe(readingOf({ inFlight: () => works }));
  admission.admit('run');
});

test('bytes that do not fit what is left are refused; more than the limit can never fit', () => {
  const { admission, clock } = governedAdmission({ level: 'warning', freeBytes: 50 * mib });
  admission.admit('buffer', 30 * mib);
  const error = refusal(admission, 'buffer', 30 * mib);
  expect(String(error)).toMatchInlineSnapshot(`
    "PLM_ADMIT_NO_ROOM: 30.0 MiB at "buffer" do not fit the 20.0 MiB that are left: the process holds 389.0 MiB of 400.0 MiB (97 %), level warning.
      at:  admit("buffer"), limits.heap (plimsoll.yaml)
      fix: try again after 14 s, ask for less, or stream instead of buffering."
  `);
  expect(error).toMatchObject({ retryable: true, statusCode: 503 });
  admission.admit('buffer', 20 * mib);
  const large = refusal(admission, 'buffer', 500 * mib);
  expect(large).toMatchObject({ code: 'PLM_ADMIT_TOO_LARGE', retryable: false, statusCode: 413 });
  expect(large.problem['title']).toBe('Content Too Large');
  // Later the readings show what was reserved; a reservation does not count twice for ever.
  const pass = (ms: number): void => {
    clock.advance(ms);
    admission.observe(readingOf({ level: 'warning', freeBytes: 50 * mib }));
  };
  pass(1000);
  expect(() => admission.admit('buffer', 50 * mib)).toThrow();
  pass(2000);
  pass(2000);
  admission.admit('buffer', 50 * mib);
  pass(2500);
  expect(() => admission.admit('buffer', 30 * mib)).toThrow();
  expect(pointRow(admission, 'buffer')).toMatchObject({ admitted: 3, refused: 4 });
  // A governor that died must not keep buffers out.
  clock.advance(61_000);
  admission.admit('buffer', 30 * mib);
});

test('in shadow mode bytes that would not fit are let in and counted', () => {
  const { admission } = governedAdmission({ freeBytes: 0 });
  admission.govern({ mode: 'shadow' });
  admission.admit('buffer', mib);
  expect(pointRow(admission, 'buffer')).toMatchObject({ admitted: 1, refused: 0, wouldHave: 1 });
});

test('an idle process is never kept closed: one per second is let in to see', () => {
  const { admission, clock } = governedAdmission({ inFlight: () => 0 });
  admission.refuse(refuseAll);
  expect(letIn(100, () => admission.admit('run'))).toBe(1);
  admission.observe(readingOf({ inFlight: () => 0 }));
  expect(letIn(100, () => admission.admit('run'))).toBe(0);
  clock.advance(1000);
  admission.observe(readingOf({ inFlight: () => 0 }));
  expect(letIn(100, () => admission.admit('run'))).toBe(1);
  clock.advance(1000);
  admission.observe(readingOf({ inFlight: () => 5 }));
  expect(letIn(100, () => admission.admit('run'))).toBe(0);
});

test('after a refusal a few are let in first, then twice as many, then all', () => {
  const { admission, clock } = governedAdmission();
  admission.refuse(refuseAll);
  expect(letIn(50, () => admission.admit('run'))).toBe(0);
  admission.release();
  const perSecond: number[] = [];
  for (let second = 0; second < 6; second++) {
    perSecond.push(letIn(1000, () => admission.admit('run')));
    if (second === 0) {
      expect(admission.row()).toMatchObject({ state: 'throttling', ratio: 0.992 });
      // Told again, it does not start over.
      admission.release('refuse');
    }
    clock.advance(1000);
    admission.observe(readingOf());
  }
  expect(perSecond).toEqual([8, 16, 32, 64, 128, 1000]);
  expect(admission.row()).toMatchObject({ state: 'open', ratio: 0 });
});

test('a refusal in the middle of the slow start closes again', () => {
  const { admission } = governedAdmission();
  admission.refuse(refuseAll);
  admission.release();
  expect(admission.row()).toMatchObject({ state: 'throttling', ratio: 0 });
  admission.refuse(refuseAll);
  expect(letIn(20, () => admission.admit('run'))).toBe(0);
  expect(admission.row()).toMatchObject({ state: 'refusing', ratio: 1 });
});

test('orders lapse when nobody reads the memory any more', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const { admission, clock } = governedAdmission();
  admission.refuse(refuseAll);
  clock.advance(59_000);
  expect(letIn(10, () => admission.admit('run'))).toBe(0);
  clock.advance(2000);
  expect(letIn(10, () => admission.admit('run'))).toBe(10);
  expect(admission.row().state).toBe('open');
  expect(warn).toHaveBeenCalledWith(
    expect.stringContaining('everything is admitted again'),
    expect.anything(),
  );
  admission.drain('restart');
  clock.advance(120_000);
  expect(admission.isDraining).toBe(true);
  expect(admission.row().state).toBe('draining');
  warn.mockRestore();
});

test('pressure is named: the order in force, or the level', () => {
  const { admission } = governedAdmission({ level: 'warning' });
  expect(admission.isUnderPressure).toBe(false);
  admission.observe(readingOf({ level: 'critical' }));
  expect(admission.isUnderPressure).toBe(true);
  expect(admission.pressure.reason).toBe('level critical: limits.heap (plimsoll.yaml)');
  admission.throttle({ ratio: 0.5, reason: 'a rung' });
  expect(admission.pressure.reason).toBe('throttling: a rung');
  admission.refuse({ ...refuseAll, reason: 'another rung' });
  expect(admission.pressure).toMatchObject({
    reason: 'refusing: another rung',
    ratio: 389 / 400,
    source: 'heap',
  });
  admission.ungovern();
  expect(admission.isUnderPressure).toBe(false);
  expect(admission.row().state).toBe('open');
});

test('an unknown point is let in, and told once', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const admission = new Admission();
  admission.admit('sesion' as ShedPoint).release();
  expect(warn).toHaveBeenCalledWith(
    expect.stringContaining('"sesion" is not a shed point'),
    expect.anything(),
  );
  expect(admission.counts()).toEqual({ admitted: 0, refused: 0 });
  warn.mockRestore();
});

test('refusals are counted by point and reason', () => {
  const { admission } = governedAdmission();
  admission.refuse(refuseAll);
  letIn(3, () => admission.admit('run'));
  letIn(2, () => admission.admit('session'));
  letIn(1, () => admission.admit('buffer', { bytes: 600 * mib }));
  expect(pointRow(admission, 'run')?.reasons).toEqual({ refused: 3 });
  expect(admission.sheds()).toEqual([
    { point: 'session', reason: 'REFUSED', count: 2 },
    { point: 'run', reason: 'REFUSED', count: 3 },
    { point: 'buffer', reason: 'REFUSED', count: 1 },
  ]);
});

test('a host whose hooks throw harms nobody', () => {
  const clock = new FakeClock();
  const broken = (): never => {
    throw new Error('broken');
  };
  const admission = new Admission({ clock, isWithinRun: broken });
  admission.govern({ mode: 'enforce' });
  admission.observe(readingOf({ inFlight: broken }));
  admission.refuse(refuseAll);
  expect(letIn(5, () => admission.admit('tool'))).toBe(1);
});
