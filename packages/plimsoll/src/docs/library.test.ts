import { expect, test } from 'vitest';
import { docsFolder, lookUp, pagesOf } from './library.ts';

const pages = pagesOf(docsFolder() as string);

test('a page is found by its name, with or without its folder', () => {
  expect(lookUp(pages, 'reference/policy')).toMatchObject({ kind: 'text', name: 'reference/policy' });
  expect(lookUp(pages, 'Policy')).toMatchObject({ kind: 'text', name: 'reference/policy' });
});

test('an error code gives its section and nothing of the next one', () => {
  const found = lookUp(pages, 'PLM_LEDGER_NOT_FOUND');
  expect(found).toMatchObject({ kind: 'text', name: 'reference/errors' });
  const text = found.kind === 'text' ? found.text : '';
  expect(text).toMatch(/^### PLM_LEDGER_NOT_FOUND\n/);
  expect(text.match(/^### /gm)).toHaveLength(1);
});

test('any other word gives the lines that mention it', () => {
  const found = lookUp(pages, 'mark-compact');
  expect(found.kind).toBe('places');
  expect(lookUp(pages, 'no such word anywhere')).toEqual({ kind: 'places', places: [] });
});
