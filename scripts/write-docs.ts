/** Writes what is made from code: docs/reference/errors.md and the table of keys in docs/reference/policy.md. `npm run docs`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { keyTable } from '../packages/govern/src/policy/key-table.fixture.ts';
import { allErrors } from './all-errors.ts';
import { errorPage } from './error-page.ts';

const root = resolve(import.meta.dirname, '..');
writeFileSync(resolve(root, 'docs/reference/errors.md'), errorPage(allErrors));

const policyPage = resolve(root, 'docs/reference/policy.md');
const page = readFileSync(policyPage, 'utf8');
const table = page.slice(page.indexOf('| key | value | meaning |')).split('\n\n')[0] as string;
writeFileSync(
  policyPage,
  page.replace(table.trim(), () => keyTable()),
);
