import { readFileSync, readdirSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

/** One file of the page, in memory. */
export interface Asset {
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Files with a hash in their name never change. */
  readonly isImmutable: boolean;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
};
const mostFiles = 500;

/**
 * The built page, read once into a list by path. Requests are looked up in the list and never in the file system, so that no spelling of a
 * path reaches another file. Files of unknown kinds are left out. Empty when the page has not been built.
 */
export function readAssets(dir: string): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  for (const file of filesOf(dir)) {
    const type = types[extname(file).toLowerCase()];
    if (type === undefined || assets.size >= mostFiles) continue;
    const path = `/${relative(dir, file).split(sep).join('/')}`;
    assets.set(path, {
      type,
      body: new Uint8Array(readFileSync(file)),
      isImmutable: /-[\w-]{8,}\.\w+$/.test(path),
    });
  }
  const index = assets.get('/index.html');
  if (index !== undefined) assets.set('/', index);
  return assets;
}

function filesOf(dir: string): readonly string[] {
  try {
    return (readdirSync(dir, { recursive: true }) as string[])
      .map((name) => join(dir, name))
      .filter((file) => statSync(file).isFile());
  } catch {
    return [];
  }
}
