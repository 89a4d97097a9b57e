import { expect, test } from 'vitest';
import { governedAdmission, readingOf, refuseAll } from './admission.fixture.ts';

const heldAt = (admission: ReturnType<typeof governedAdmission>['admission'], point: string): number =>
  admission.row().points.find((row) => row.point === point)?.held ?? -1;

test('who waits is let in when the refusal ends, first come first served', async () => {
  const { admission, clock } = governedAdmission();
  admission.refuse(refuseAll);
  const order: number[] = [];
  const waiting = [1, 2, 3].map((number) =>
    admission.admitOrWait('run', { waitMs: 10_000 }).then(() => order.push(number)),
  );
  expect(heldAt(admission, 'run')).toBe(3);
  clock.advance(1000);
  admission.observe(readingOf());
  expect(heldAt(admission, 'run')).toBe(3);
  admission.release();
  await Promise.all(waiting);
  expect(order).toEqual([1, 2, 3]);
  expect(heldAt(admission, 'run')).toBe(0);
  expect(clock.waiting).toBe(0);
  expect(admission.counts()).toEqual({ admitted: 3, refused: 0 });
});

test('what is let in at once never waits', async () => {
  const { admission, clock } = governedAdmission();
  const leave = await admission.admitOrWait('run', { waitMs: 1000 });
  expect(leave.point).toBe('run');
  expect(clock.waiting).toBe(0);
});

test('at the deadline the refusal is thrown with the numbers of then', async () => {
  const { admission, clock } = governedAdmission();
  admission.refuse(refuseAll);
  const waiting = admission.admitOrWait('run', { waitMs: 2000 });
  clock.advance(1000);
  admission.observe(readingOf({ level: 'critical' }));
  clock.advance(1000);
  await expect(waiting).rejects.toMatchObject({ code: 'PLM_ADMIT_REFUSED', level: 'critical' });
  expect(admission.counts()).toEqual({ admitted: 0, refused: 1 });
});

test('a client who leaves frees its place and counts as not let in', async () => {
  const { admission, clock } = governedAdmission();
  admission.refuse(refuseAll);
  const left = new AbortController();
  const waiting = admission.admitOrWait('run', { waitMs: 2000, signal: left.signal });
  left.abort(new Error('client left'));
  await expect(waiting).rejects.toThrow('client left');
  expect(heldAt(admission, 'run')).toBe(0);
  expect(clock.waiting).toBe(0);
  expect(admission.counts()).toEqual({ admitted: 0, refused: 1 });
  await expect(admission.admitOrWait('run', { waitMs: 2000, signal: left.signal })).rejects.toThrow();
});

test('the line is bounded in requests and in bytes', async () => {
  const { admission } = governedAdmission();
  admission.refuse(refuseAll);
  const asked = Array.from({ length: 100 }, () => admission.admitOrWait('run', { waitMs: 60_000 }));
  expect(heldAt(admission, 'run')).toBe(64);
  admission.drain('test');
  const settled = await Promise.allSettled(asked);
  expect(settled.every(({ status }) => status === 'rejected')).toBe(true);

  const other = governedAdmission().admission;
  other.refuse(refuseAll);
  const large = Array.from({ length: 5 }, () =>
    other.admitOrWait('run', { waitMs: 60_000, heldBytes: 300 * 1024 }),
  );
  expect(heldAt(other, 'run')).toBe(3);
  other.drain('test');
  await Promise.allSettled(large);
});

test('what no wait can cure, and who has no time, is refused at once', async () => {
  const { admission } = governedAdmission();
  await expect(admission.admitOrWait('buffer', { waitMs: 1000, bytes: 1024 ** 4 })).rejects.toMatchObject({
    code: 'PLM_ADMIT_TOO_LARGE',
  });
  admission.refuse(refuseAll);
  await expect(admission.admitOrWait('run', { waitMs: 0 })).rejects.toMatchObject({
    code: 'PLM_ADMIT_REFUSED',
  });
});

test('bytes that wait for room get it when readings show it, without any order in force', async () => {
  const { admission } = governedAdmission({ freeBytes: 10 });
  const waiting = admission.admitOrWait('buffer', { waitMs: 5000, bytes: 100 });
  admission.observe(readingOf({ freeBytes: 1000 }));
  await waiting;
  expect(admission.counts()).toEqual({ admitted: 1, refused: 0 });
});

test('a drain sends everybody away at once with its own reason', async () => {
  const { admission } = governedAdmission();
  admission.refuse(refuseAll);
  const waiting = admission.admitOrWait('session', { waitMs: 60_000 });
  admission.drain('restart');
  await expect(waiting).rejects.toMatchObject({ code: 'PLM_ADMIT_DRAINING' });
});

test('an unknown point does not wait', async () => {
  const { admission } = governedAdmission();
  await admission.admitOrWait('door' as 'run', { waitMs: 1000 });
  expect(admission.counts().admitted).toBe(0);
});
