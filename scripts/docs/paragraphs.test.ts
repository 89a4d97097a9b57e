import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { allPages } from './links.ts';

const root = resolve(import.meta.dirname, '../..');

/** Pages that are made from code, or from measurements. */
const exempt = new Set(['docs/reference/errors.md', 'docs/benchmarks.md']);

const pages = allPages().filter((page) => page.startsWith('docs/') && !exempt.has(page));

test.each(pages)('%s has no paragraph of more than 400 characters', (page) => {
  const prose = readFileSync(resolve(root, page), 'utf8')
    .replace(/^```[^]*?^```/gm, '')
    .replace(/<!-- made by[^]*?<!-- end -->/g, '');
  const parts = prose.split(/\n>?\s*\n|\n(?=>? ?[-|#*]|\d+\. )/);
  expect(parts.filter((part) => part.length > 400 && !part.startsWith('|'))).toEqual([]);
});
