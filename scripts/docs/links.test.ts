import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allPages, anchorsOf, deadLinks, linksOf } from './links.ts';

test.each(allPages())('every relative link of %s leads somewhere', (page) => {
  expect(deadLinks(page)).toEqual([]);
});

test('the pages that a reader meets first are among them', () => {
  expect(allPages()).toEqual(
    expect.arrayContaining(['README.md', 'ARCHITECTURE.md', 'docs/README.md', 'docs/reference/policy.md']),
  );
});

test('the index of the documentation leads to every guide and every page of the reference', () => {
  const index = readFileSync(new URL('../../docs/README.md', import.meta.url), 'utf8');
  const pages = allPages().filter((page) => /^docs\/(guides|reference(\/commands)?)\/[^/]+$/.test(page));
  expect(pages.length).toBeGreaterThan(30);
  expect(pages.filter((page) => !index.includes(`(${page.slice('docs/'.length)}`))).toEqual([]);
});

test('links in code and addresses on the web are left out', () => {
  const text = 'a [b](c.md#d) `[e](f.md)` [g](https://h.example) <img src="i.png">\n```\n[j](k.md)\n```\n';
  expect(linksOf(text)).toEqual(['c.md#d', 'i.png']);
});

test('anchors are made as GitHub makes them', () => {
  const text = '# The policy file\n## `a` & b.c (d)\n## Values\n## Values\n```\n# no heading\n```\n';
  expect([...anchorsOf(text)]).toEqual(['the-policy-file', 'a--bc-d', 'values', 'values-1']);
});

test.each([
  ['From a scope to the page', 14],
  ['From a collection to the report', 15],
  ['From a level to an effect', 15],
])('the walk "%s" of ARCHITECTURE.md passes at most %i files', (title, most) => {
  const text = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');
  const walk = text.split(`### ${title}\n`)[1]?.split(/^#/m)[0] ?? '';
  const steps = [...walk.matchAll(/^\d+\. \[/gm)].length;
  expect(steps).toBeGreaterThan(5);
  expect(steps).toBeLessThanOrEqual(most);
});
