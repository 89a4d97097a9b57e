import { expect, test, vi } from 'vitest';
import { failure, isPlimsollError, PlimsollError, warnOnce } from './errors.ts';

test('an error reads as what, where and what to do', () => {
  const error = failure(
    'PLM_SCOPE_BAD_NAME',
    { part: 'name', value: '""', used: '(unnamed)' },
    { cause: new Error('why') },
  );
  expect(error).toBeInstanceOf(PlimsollError);
  expect(error.cause).toBeInstanceOf(Error);
  expect(error.docs).toBe('plimsoll docs PLM_SCOPE_BAD_NAME');
  expect(String(error)).toMatchInlineSnapshot(`
    "PLM_SCOPE_BAD_NAME: the name of a scope is ""; it was opened as "(unnamed)".
      at:  open(kind, name)
      fix: pass a non-empty string as name, such as "42"."
  `);
});

test('errors of another copy of the package are known by their brand', () => {
  const foreign = Object.assign(new Error('x'), { [Symbol.for('plimsoll.error')]: true });
  expect(isPlimsollError(foreign)).toBe(true);
  expect(isPlimsollError(new Error('x'))).toBe(false);
  expect(isPlimsollError(null)).toBe(false);
});

test('a warning is emitted once per code and place', () => {
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  warnOnce('PLM_CLI_CANNOT_WRITE', { file: 'once.json', reason: 'EACCES' });
  warnOnce('PLM_CLI_CANNOT_WRITE', { file: 'once.json', reason: 'EACCES' });
  warnOnce('PLM_CLI_CANNOT_WRITE', { file: 'other.json', reason: 'EACCES' });
  expect(emit).toHaveBeenCalledTimes(2);
  expect(emit).toHaveBeenCalledWith(expect.stringContaining('once.json could not be written'), {
    type: 'PlimsollWarning',
    code: 'PLM_CLI_CANNOT_WRITE',
  });
  emit.mockRestore();
});
