import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const pages = ['*.md', 'docs/**/*.md', 'examples/*/README.md', 'packages/*/README.md'].flatMap((pattern) =>
  globSync(pattern, { cwd: root }),
);

/** Anchors of a page as a reader of Markdown makes them from its headings. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
}

test.each(pages)('every link of %s leads somewhere', (page) => {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/```[^]*?```/g, '');
  const dead = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link as string)
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path, anchor] = link.split('#') as [string, string | undefined];
      const file = path === '' ? join(root, page) : join(root, dirname(page), path);
      if (!existsSync(file)) return true;
      return anchor !== undefined && !anchorsOf(readFileSync(file, 'utf8')).includes(anchor);
    });
  expect(dead).toEqual([]);
});
