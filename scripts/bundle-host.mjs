/**
 * Writes the preload as a few files before the package is packed. Node.js takes about half a millisecond per file that it loads, and the
 * host is made of more than 200.
 *
 * All our packages go in, including core. A program may have its own copy of core, and the copies share their state (core/src/slots.ts).
 * The adapter of A2A stays outside, because its SDK is looked up from the folder of the adapter. The others import no framework.
 */
import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { files, sources } from './bundle-options.mjs';

const packages = resolve(import.meta.dirname, '../packages');
const target = resolve(packages, 'host/bundle');

const input = {
  register: resolve(packages, 'host/src/register.ts'),
  // Modules that run as a thread or process of their own. They are looked up by name beside the chunk that starts them.
  worker: resolve(packages, 'ledger/src/worker/worker.ts'),
  'analysis-entry': resolve(packages, 'leak/src/proof/analysis-entry.ts'),
};
const entries = Object.values(input);
/** Entries that are loaded at once, each with all its imports. Modules that the same entries need share a file. */
const loadedAtOnce = { ...input, host: resolve(packages, 'host/src/host.ts') };

/** The entries that need a module, by its file. */
const neededBy = new Map();

const build = await rolldown({
  input,
  ...sources,
  preserveEntrySignatures: 'allow-extension',
  plugins: [{ name: 'host', resolveDynamicImport: outside, buildEnd: followImports }],
});
rmSync(target, { recursive: true, force: true });
const { output } = await build.write({
  ...files,
  dir: target,
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ name: chunkOf, debugName: 'needed-by' }],
  },
});
await build.close();

for (const { fileName, imports = [] } of output)
  for (const name of Object.keys(input))
    if (imports.includes(`${name}.js`))
      throw new Error(
        `${fileName} of the bundle imports ${name}.js, which begins to work when it is loaded.`,
      );

const { dependencies } = JSON.parse(readFileSync(resolve(packages, 'host/package.json'), 'utf8'));
const missing = output
  .flatMap(({ imports = [], dynamicImports = [] }) => [...imports, ...dynamicImports])
  .filter((id) => !/^node:|^\.|\.js$/.test(id))
  .map((id) => /^(?:@[^/]+\/)?[^/]+/.exec(id)?.[0])
  .filter((name) => !(name in dependencies));
if (missing.length > 0)
  throw new Error(`packages/host/package.json must depend on ${missing.join(', ')}: the bundle imports it.`);

function outside(specifier) {
  return specifier === '@plimsoll/adapters/a2a' ? { id: specifier, external: true } : undefined;
}

function followImports() {
  for (const [name, entry] of Object.entries(loadedAtOnce)) {
    const seen = new Set([entry]);
    for (const id of seen) {
      neededBy.set(id, [...(neededBy.get(id) ?? []), name]);
      for (const next of this.getModuleInfo(id)?.importedIds ?? []) seen.add(next);
    }
  }
}

/**
 * The host itself is one file per package, so that each is compiled in a task of its own (host/src/load-in-turns.ts). The code that a
 * thread or process runs when it is loaded stays in its own file, because others share the modules beside it.
 */
function chunkOf(id) {
  if (entries.includes(id)) return null;
  const name = neededBy.get(id)?.join('-') ?? null;
  return name === 'host' ? `host-${/packages\/(\w+)\//.exec(id)?.[1]}` : name;
}
