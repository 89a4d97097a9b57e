import { expect, test } from 'vitest';
import { suspects, type DrawnStep } from './trace.tsx';

const step = (leaking: DrawnStep['leaking'], suspect?: boolean): DrawnStep => ({
  name: 'x',
  via: 'y',
  leaking,
  why: '',
  ...(suspect !== undefined && { suspect }),
});

test('suspect references lie between the last that lives and the first that should be gone', () => {
  expect(suspects([step('no'), step('no'), step('maybe'), step('yes'), step('yes')])).toEqual([
    false,
    false,
    true,
    true,
    false,
  ]);
});

test('without a step that should be gone, they go on to the end', () => {
  expect(suspects([step('no'), step('maybe'), step('maybe')])).toEqual([false, true, true]);
});

test('marks of the analysis are kept', () => {
  expect(suspects([step('no'), step('maybe', true), step('yes')])).toEqual([false, true, false]);
});
