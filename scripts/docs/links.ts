import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** Every page of the documentation, by its path in the repository. */
export function allPages(): readonly string[] {
  return globSync(['*.md', 'docs/**/*.md', 'examples/*/README.md', 'packages/*/README.md'], {
    cwd: root,
    exclude: (name) => name.includes('node_modules'),
  }).toSorted();
}

/** The relative links of a page that lead nowhere, each with the reason. */
export function deadLinks(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8');
  return linksOf(text).flatMap((link) => {
    const reason = whyDead(page, link);
    return reason === undefined ? [] : [`${link}: ${reason}`];
  });
}

/** The targets of links and pictures outside of code; addresses with a scheme are left out. */
export function linksOf(text: string): readonly string[] {
  const prose = text.replace(/^```[^]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  const inline = [...prose.matchAll(/\]\(([^()\s]+)(?:\s+"[^"]*")?\)/g)].map((match) => match[1] as string);
  const pictures = [...prose.matchAll(/(?:src|srcset|href)="([^"\s]+)"/g)].map((match) => match[1] as string);
  return [...inline, ...pictures].filter((link) => !/^[a-z][a-z+.-]*:/i.test(link));
}

/** The anchors of a page, made from its headings as GitHub makes them. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const counts = new Map<string, number>();
  for (const [, heading] of text.replace(/^```[^]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = (heading as string)
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim()
      .toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

function whyDead(page: string, link: string): string | undefined {
  const [path, anchor] = link.split('#') as [string, string?];
  const target = path === '' ? join(root, page) : resolve(root, dirname(page), decodeURIComponent(path));
  if (relative(root, target).startsWith('..')) return 'leads out of the repository';
  if (!existsSync(target)) return 'no such file';
  if (anchor === undefined) return undefined;
  const file = statSync(target).isDirectory() ? join(target, 'README.md') : target;
  if (extname(file) !== '.md' || !existsSync(file)) return undefined;
  return anchorsOf(readFileSync(file, 'utf8')).has(anchor) ? undefined : 'no such heading';
}
