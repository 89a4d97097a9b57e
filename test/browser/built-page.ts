import { existsSync, readFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';

/** Where `npm run dashboard` puts the page. */
export const pageDir = resolve(import.meta.dirname, '../../packages/plimsoll/dashboard');

/** The policy that the server sends with the page; the page has to live with it. */
export const contentPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; worker-src 'self'";

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A file of the built page; undefined when there is none of that name. */
export function pageFile(path: string): { readonly body: Buffer; readonly type: string } | undefined {
  if (!existsSync(join(pageDir, 'index.html')))
    throw new Error('The page is not built: run "npm run dashboard" first.');
  const file = join(pageDir, path === '/' ? 'index.html' : path);
  if (!file.startsWith(pageDir) || !existsSync(file)) return undefined;
  return { body: readFileSync(file), type: types[extname(file)] ?? 'application/octet-stream' };
}
