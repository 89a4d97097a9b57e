import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One page of the documentation. */
export interface Page {
  /** Path below the folder of the docs without its ending, such as `reference/policy`. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

/** The result for a word: a page or section to print, or the places that mention it. */
export type Found =
  | { readonly kind: 'text'; readonly name: string; readonly text: string }
  | { readonly kind: 'places'; readonly places: readonly { readonly name: string; readonly line: string }[] };

const mostPlaces = 20;

/** The folder of the pages: beside the package in an installation, at the root of the repository in a checkout. */
export function docsFolder(): string | undefined {
  return ['../../docs', '../../../../docs']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((folder) => existsSync(join(folder, 'README.md')));
}

/** Every page below a folder. */
export function pagesOf(folder: string): readonly Page[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      const name = relative('.', file).replaceAll('\\', '/').replace(/\.md$/, '');
      return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text };
    });
}

/** Looks a word up: an error code, the name of a page, a heading, then any mention. */
export function lookUp(pages: readonly Page[], word: string): Found {
  const wanted = word.toLowerCase();
  const page =
    pages.find(({ name }) => name === wanted) ??
    // Of two pages with the same name, such as those of the policy and of its command, the one in the higher folder is used.
    pages
      .filter(({ name }) => name.split('/').at(-1)?.toLowerCase() === wanted)
      .toSorted((a, b) => a.name.split('/').length - b.name.split('/').length)[0];
  if (page !== undefined) return { kind: 'text', name: page.name, text: page.text };
  for (const each of pages) {
    const section = sectionOf(each.text, wanted);
    if (section !== undefined) return { kind: 'text', name: each.name, text: section };
  }
  const places = pages.flatMap(({ name, text }) =>
    text
      .split('\n')
      .filter((line) => line.toLowerCase().includes(wanted))
      .map((line) => ({ name, line: line.trim() })),
  );
  return { kind: 'places', places: places.slice(0, mostPlaces) };
}

/** The section under a heading that is the word, up to the next heading of its rank. */
function sectionOf(text: string, wanted: string): string | undefined {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^#{2,4} /.test(line) && plain(line) === wanted);
  if (start === -1) return undefined;
  const rank = /^#+/.exec(lines[start] as string)?.[0].length ?? 2;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => (/^(#+) /.exec(line)?.[1]?.length ?? 9) <= rank);
  return lines.slice(start, end === -1 ? undefined : start + 1 + end).join('\n');
}

function plain(heading: string): string {
  return heading.replace(/^#+ /, '').replaceAll('`', '').trim().toLowerCase();
}
