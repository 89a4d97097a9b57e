/** Chrome DevTools' heap snapshot worker, bundled from the npm package of its front end. */
import { createReadStream } from 'node:fs';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MessageChannel } from 'node:worker_threads';

const here = import.meta.dirname;
const peers = createRequire(resolve(here, '../package.json'));
const results = resolve(here, '../results/heap');

/** The part of DevTools' snapshot object that is used here. */
export interface DevtoolsSnapshot {
  readonly nodeCount: number;
  readonly nodeFieldCount: number;
  readonly retainedSizes: Float64Array;
  readonly dominatorsTree: Uint32Array;
  readonly nodeDistances: Int32Array;
  readonly rootNodeIndex: number;
  rootNode(): DevtoolsNode;
  aggregatesWithFilter(
    filter: object,
  ): Record<string, { name: string; count: number; self: number; maxRet: number }>;
  createNode(index: number): DevtoolsNode;
}

export interface DevtoolsNode {
  nodeIndex: number;
  id(): number;
  name(): string;
  rawName(): string;
  className(): string;
  type(): string;
  selfSize(): number;
  retainedSize(): number;
  distance(): number;
  retainers(): DevtoolsRetainers;
}

export interface DevtoolsRetainers {
  hasNext(): boolean;
  next(): void;
  item(): { node(): DevtoolsNode; name(): string; type(): string; isWeak?(): boolean };
}

interface DevtoolsModule {
  HeapSnapshotLoader: {
    HeapSnapshotLoader: new (dispatcher: object) => {
      write(chunk: string): void;
      close(): void;
      buildSnapshot(port: unknown): Promise<DevtoolsSnapshot>;
    };
  };
  HeapSnapshot: { SecondaryInitManager: new (port: unknown) => object };
}

/** The package leaves out files that Chromium's build generates; the worker imports one, for translated texts. */
const withoutGeneratedFiles = {
  name: 'without-generated-files',
  setup(build: {
    onResolve(options: object, answer: () => object): void;
    onLoad(options: object, answer: () => object): void;
  }): void {
    build.onResolve({ filter: /locales\.js$/ }, () => ({ path: 'locales', namespace: 'generated' }));
    build.onLoad({ filter: /^locales$/, namespace: 'generated' }, () => ({
      contents: `export const LOCALES = ['en-US']; export const BUNDLED_LOCALES = ['en-US'];
        export const DEFAULT_LOCALE = 'en-US'; export const REMOTE_FETCH_PATTERN = ''; export const LOCAL_FETCH_PATTERN = '';`,
    }));
  },
};

/** Bundles the worker once and returns the path of the bundle. */
export async function devtoolsBundle(): Promise<string> {
  const { version } = peers('chrome-devtools-frontend/package.json') as { version: string };
  const out = resolve(results, `devtools-${version}.mjs`);
  if (existsSync(out)) return out;
  mkdirSync(results, { recursive: true });
  const esbuild = peers('esbuild') as {
    build(options: object): Promise<{ outputFiles: readonly { text: string }[] }>;
  };
  const entry = peers
    .resolve('chrome-devtools-frontend/package.json')
    .replace('package.json', 'front_end/entrypoints/heap_snapshot_worker/heap_snapshot_worker.ts');
  const built = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    write: false,
    logLevel: 'error',
    plugins: [withoutGeneratedFiles],
  });
  writeFileSync(out, built.outputFiles[0]?.text ?? '');
  return out;
}

/** Loads a snapshot file with DevTools' own loader, on this thread. */
export async function loadWithDevtools(bundle: string, file: string): Promise<DevtoolsSnapshot> {
  const devtools = (await import(pathToFileURL(bundle).href)) as DevtoolsModule;
  const loader = new devtools.HeapSnapshotLoader.HeapSnapshotLoader({ sendEvent: () => {} });
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: 4 << 20 })) {
    loader.write(chunk as string);
    // The loader parses between chunks; without this pause it would hold the whole file as text.
    await new Promise((done) => void setImmediate(done));
  }
  loader.close();
  const channel = new MessageChannel();
  new devtools.HeapSnapshot.SecondaryInitManager(channel.port2);
  const snapshot = await loader.buildSnapshot(channel.port1);
  channel.port1.close();
  return snapshot;
}
