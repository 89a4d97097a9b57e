import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What the snapshot worker gets for the parts of Node that reading a stream never reaches. */
const browserNode = {
  'node:fs': here('src/snapshot/node-fs.ts'),
  'node:stream': here('src/snapshot/node-stream.ts'),
  'node:util': here('src/snapshot/node-util.ts'),
  'node:zlib': here('src/snapshot/node-zlib.ts'),
};

/** Refuses a part of Node that nothing above answers for: Vite would only warn, and the page would break when it is reached. */
const noOtherNode = (): Plugin => ({
  name: 'no-other-node',
  enforce: 'pre',
  resolveId(source, importer) {
    if (source.startsWith('node:')) this.error(`${importer} imports ${source}, which no browser has.`);
  },
});

export default defineConfig({
  root: here('.'),
  base: './',
  resolve: { conditions: ['plimsoll-source', 'module', 'browser', 'production'], alias: browserNode },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [noOtherNode()],
  worker: { format: 'es', plugins: () => [noOtherNode()] },
  build: {
    outDir: here('../../packages/plimsoll/dashboard'),
    emptyOutDir: true,
    target: 'es2023',
    // A polyfill would be the only inline-like code of the page; every browser that runs es2023 preloads modules itself.
    modulePreload: { polyfill: false },
    // Inlined assets become data: addresses, which the content security policy allows for images only.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});
