/** Writes the pages that are made from code: docs/reference/errors.md. `npm run docs`. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { allErrors } from './all-errors.ts';
import { errorPage } from './error-page.ts';

const root = resolve(import.meta.dirname, '..');
writeFileSync(resolve(root, 'docs/reference/errors.md'), errorPage(allErrors));
