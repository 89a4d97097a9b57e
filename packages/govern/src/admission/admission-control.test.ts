import { afterEach, expect, test } from 'vitest';
import { open } from '@plimsoll/core';
import * as own from '@plimsoll/core/internal/gate/admit';
import { isAdmitError } from '@plimsoll/core';
import { admission } from './admission-control.ts';
import { readingOf, refuseAll } from './admission.fixture.ts';

const { admit, admitOrWait, isReady, isUnderPressure, management, pressure } = own;

afterEach(() => admission().ungovern());

test('the process has one set of shed points, in a slot that every copy of the package finds', () => {
  const before = admission().counts().admitted;
  using _leave = admit('run');
  expect(admission().counts().admitted).toBe(before + 1);
});

test('a second copy of the package asks at the same shed points and heeds the same orders', async () => {
  // The query makes it a module of its own, as a second install would be.
  const copy = (await import(
    `${new URL('../../../core/src/gate/admit.ts', import.meta.url).pathname}?copy`
  )) as typeof own;
  admission().govern({ mode: 'enforce' });
  admission().observe(readingOf());
  admission().refuse(refuseAll);
  let refusal: unknown;
  try {
    admit('run');
  } catch (error) {
    refusal = error;
  }
  expect(isAdmitError(refusal)).toBe(true);
  expect(copy.isUnderPressure()).toBe(true);
  copy.management(() => admit('run'));
  expect(() => copy.admit('run')).toThrow('refused');
});

test('a management route is never refused, nor what it awaits', async () => {
  admission().govern({ mode: 'enforce' });
  admission().observe(readingOf());
  admission().refuse(refuseAll);
  expect(() => admit('run')).toThrow();
  await management(async () => {
    admit('run');
    await Promise.resolve();
    admit('session');
  });
  expect(() => admit('run')).toThrow();
  await expect(admitOrWait('run', { waitMs: 1 })).rejects.toMatchObject({ code: 'PLM_ADMIT_REFUSED' });
});

test('a tool inside an open run is part of a turn that continues', async () => {
  admission().govern({ mode: 'enforce' });
  admission().observe(readingOf());
  admission().refuse(refuseAll);
  expect(() => admit('tool')).toThrow();
  const session = open('session', 's');
  const run = open('run', '1', { parent: session });
  const stage = open('stage', 'reply', { parent: run });
  stage.run(() => admit('tool'));
  expect(() => session.run(() => admit('tool'))).toThrow();
  await session.close();
  expect(() => stage.run(() => admit('tool'))).toThrow();
});

test('readiness and pressure are one call each', () => {
  expect(isUnderPressure()).toBe(false);
  expect(isReady()).toBe(true);
  admission().observe(readingOf({ level: 'critical' }));
  expect(isUnderPressure()).toBe(true);
  expect(pressure()).toMatchObject({ level: 'critical', source: 'heap' });
  admission().drain('test');
  expect(isReady()).toBe(false);
});
