import { readFileSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { defineConfig } from 'vitepress';

const docs = resolve(import.meta.dirname, '../pages');

/** The pages of a folder as links of the sidebar, by their titles. */
function pagesOf(folder) {
  return readdirSync(join(docs, folder))
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .map((file) => ({
      text: /^# (.+)$/m.exec(readFileSync(join(docs, folder, file), 'utf8'))?.[1] ?? basename(file, '.md'),
      link: `/${folder}/${basename(file, '.md')}`,
    }));
}

export default defineConfig({
  title: 'Plimsoll',
  description: 'Memory governance for long-running AI-agent servers on Node.js',
  srcDir: docs,
  outDir: resolve(import.meta.dirname, '../dist'),
  cacheDir: resolve(import.meta.dirname, '../node_modules/.cache/vitepress'),
  rewrites: { 'README.md': 'index.md', ':folder(.*)/README.md': ':folder/index.md' },
  // Pages outside of docs/ are read in the repository. scripts/docs/links.test.ts checks them.
  ignoreDeadLinks: [/^(\.\/)?(\.\.\/)+(README|ARCHITECTURE|CONTRIBUTING|deploy|examples|packages)/],
  // {{ and <name> are text in our pages, not templates.
  markdown: { html: true, attrs: { disable: true } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      { text: 'Tutorial', link: '/tutorial/' },
      { text: 'Guides', items: pagesOf('guides') },
      { text: 'Reference', items: pagesOf('reference') },
      { text: 'Commands', collapsed: true, items: pagesOf('reference/commands') },
      { text: 'Keepers', collapsed: true, items: pagesOf('reference/keepers') },
      { text: 'Benchmarks', link: '/benchmarks' },
    ],
  },
});
