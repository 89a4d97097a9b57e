import { Session } from 'node:inspector';
import { expect, onTestFinished, test, vi } from 'vitest';
import { forgetObjectIds, inspectorSession } from './inspector.ts';
import { slots } from './slots.ts';

test('everything in a thread shares one session, which stays connected', () => {
  const session = inspectorSession() as Session;
  forgetObjectIds();
  expect(inspectorSession()).toBe(session);
  let answer: unknown;
  session.post('Runtime.evaluate', { expression: '6 * 7' }, (_, { result }) => (answer = result.value));
  expect(answer).toBe(42);
});

test('a process that may not inspect itself has none', () => {
  const { inspector } = slots();
  onTestFinished(() => {
    slots().inspector = inspector;
  });
  slots().inspector = undefined;
  const connect = vi.spyOn(Session.prototype, 'connect').mockImplementation(() => {
    throw new Error('ERR_ACCESS_DENIED');
  });
  onTestFinished(() => connect.mockRestore());
  expect(inspectorSession()).toBeUndefined();
  expect(() => forgetObjectIds()).not.toThrow();
});
