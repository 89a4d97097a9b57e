import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { allErrors } from './all-errors.ts';
import { errorPage } from './error-page.ts';

const page = readFileSync(resolve(import.meta.dirname, '../docs/reference/errors.md'), 'utf8');

test('docs/reference/errors.md is what the catalogue says (npm run docs)', () => {
  expect(page).toBe(errorPage(allErrors));
});

test.each(Object.entries(allErrors))('%s has the form of an error of ours', (code, entry) => {
  const text = (entry.text as (details: unknown) => { message: string; where: string; fix: string })(
    entry.example,
  );
  expect(code).toMatch(/^PLM_[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/);
  expect(page).toContain(`### ${code}\n`);
  expect(entry.help.length).toBeGreaterThan(20);
  for (const line of [text.message, text.where, text.fix]) {
    expect(line.trim(), code).toBe(line);
    expect(line, code).not.toMatch(/!|\bplease\b|\[object/i);
  }
  expect(text.message).toMatch(/[.?]$/);
  expect(text.fix).toMatch(/\.$/);
});
