/** The packages as a user gets them: packed, installed into an empty project, imported on every supported Node. */
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { beforeAll, describe, expect, test } from 'vitest';
import { apiDump } from '../../scripts/api-dump.ts';
import { installOnce } from '../install-once.ts';
import { untilRead } from '../../packages/plimsoll/src/run/program.fixture.ts';

const exec = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const packages = readdirSync(join(root, 'packages'));
const bin = join(root, 'node_modules/.bin');
const project = mkdtempSync(join(tmpdir(), 'plimsoll-pack-'));
const tarballs = join(project, 'tarballs');
const runtimes = join(root, 'test/runtimes');
const nodes: Readonly<Record<string, string>> = {
  22: join(runtimes, 'node_modules/node-22/bin/node'),
  24: process.execPath,
  26: join(runtimes, 'node_modules/node-26/bin/node'),
};

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

const manifests = packages.map(
  (name) => JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest,
);
/** Entries that only work inside a test runner that imports them. */
const inRunner = ['@plimsoll/testkit/vitest'];
/** TypeScript's number of an ES module. */
const moduleOfEs = 99;
/** Entries of types alone. */
const typesOnly = ['frame', 'api', 'answers', 'fleet'].map((name) => `@plimsoll/host/protocol/${name}`);
const entries = manifests
  .flatMap((manifest) =>
    Object.keys(manifest.exports)
      .filter((entry) => !entry.includes('*'))
      .map((entry) => manifest.name + entry.slice(1)),
  )
  .filter((entry) => !inRunner.includes(entry));

async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '', npm_config_loglevel: 'error' };
  const { stdout, stderr } = await exec(command, [...args], { cwd, env, maxBuffer: 1e8 }).catch(
    (error: unknown) => {
      const failed = error as { message: string; stdout: string; stderr: string };
      throw new Error(`${failed.message}\n${failed.stdout}\n${failed.stderr}`);
    },
  );
  return stdout + stderr;
}

beforeAll(async () => {
  await run(join(bin, 'tsc'), ['-b'], root);
  mkdirSync(tarballs);
  const folders = packages.map((name) => `./packages/${name}`);
  await run('npm', ['pack', '--pack-destination', tarballs, ...folders], root);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const files = readdirSync(tarballs).map((file) => join(tarballs, file));
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...files], project);
  await installOnce(runtimes);
}, 300_000);

describe.concurrent.each(Object.entries(nodes))('on Node %s', (major, node) => {
  test('every entry point imports', { timeout: 300_000 }, async () => {
    const code = `
      const entries = ${JSON.stringify(entries.filter((entry) => entry !== '@plimsoll/host'))};
      const typesOnly = ${JSON.stringify(typesOnly)};
      for (const entry of entries) if (Object.keys(await import(entry)).length === 0 && !typesOnly.includes(entry)) throw new Error(entry + ' exports nothing');
      console.log(process.versions.node.split('.')[0], entries.length);`;
    expect(await run(node, ['--input-type=module', '-e', code], project)).toBe(
      `${major} ${entries.length - 1}\n`,
    );
  });

  test('the bundles have no syntax that is newer', { timeout: 300_000 }, async () => {
    const code = `
      import { readdirSync, readFileSync } from 'node:fs';
      import { SourceTextModule } from 'node:vm';
      const folders = ['@plimsoll/host/bundle', 'plimsoll/bundle'].map((name) => 'node_modules/' + name);
      const files = folders.flatMap((folder) => readdirSync(folder).map((name) => folder + '/' + name));
      for (const file of files) new SourceTextModule(readFileSync(file, 'utf8'), { identifier: file });
      console.log(files.length > 50);`;
    const flags = ['--experimental-vm-modules', '--no-warnings', '--input-type=module'];
    expect(await run(node, [...flags, '-e', code], project)).toBe('true\n');
  });

  test.each([
    ['alone', []],
    ['by-a-policy', ['--policy', join(root, 'examples/agent-server/plimsoll.yaml')]],
  ])('the command line governs a program, %s', { timeout: 300_000 }, async (how, options) => {
    const script = join(project, `hello-${major}-${how}.mjs`);
    writeFileSync(
      script,
      // The host is a bundle with a copy of core of its own; it must see the scopes of this one, and what they are charged afterwards.
      `import { currentScope, open } from '@plimsoll/core'; console.log('hello from', currentScope().path);
      const session = open('session', '42'); session.charge(1000);
      setInterval(() => session.charge(1000), 50).unref(); ${untilRead(3)}`,
    );
    const report = join(project, `report-${major}-${how}.json`);
    const out = await run(
      node,
      [
        'node_modules/plimsoll/bin/plimsoll.js',
        'run',
        ...options,
        '--dir',
        `.plimsoll-${major}-${how}`,
        '--report',
        report,
        '--',
        node,
        script,
      ],
      project,
    );
    expect(out).toContain('hello from process\n');
    const written = JSON.parse(readFileSync(report, 'utf8')) as {
      readings: { last: { rss: number }; peaks: { path: string; peakBytes: number }[] };
      exit: { code: number };
      governance: { policy: { file: string | null } };
    };
    expect(written.governance.policy.file).toBe(options[1] ?? null);
    expect(written.readings.peaks[0]?.path).toBe('process/session:42');
    expect(written.readings.peaks[0]?.peakBytes).toBeGreaterThan(1000);
    expect(written.exit.code).toBe(0);
    expect(written.readings.last.rss).toBeGreaterThan(1e6);
  });

  test('the command reads snapshots, from its bundle', { timeout: 300_000 }, async () => {
    expect(existsSync(join(project, 'node_modules/plimsoll/bundle/cli.js'))).toBe(true);
    const plimsoll = async (...args: readonly string[]): Promise<string> =>
      run(node, ['node_modules/plimsoll/bin/plimsoll.js', ...args], project);
    const file = join(project, `own-${major}.heapsnapshot`);
    await run(node, ['-e', `require('node:v8').writeHeapSnapshot(${JSON.stringify(file)})`], project);
    await plimsoll('redact', file, `${file}.redacted`);
    for (const input of [file, `${file}.redacted`]) {
      const found = JSON.parse(await plimsoll('analyze', input, '--json')) as { nodes: number };
      expect(found.nodes).toBeGreaterThan(1000);
    }
    await expect(plimsoll('analyze', 'none.heapsnapshot')).rejects.toThrow('PLM_HEAP_NOT_FOUND');
  });
});

test('types resolve for a user without our condition', { timeout: 300_000 }, async () => {
  const lines = entries
    .filter((entry) => entry !== '@plimsoll/host')
    .map((entry, i) => `import * as m${i} from '${entry}'; void m${i};`);
  writeFileSync(join(project, 'use.ts'), `${lines.join('\n')}\n`);
  const options = {
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    lib: ['esnext'],
  };
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['use.ts'] }),
  );
  expect(await run(join(bin, 'tsc'), ['-p', project], project)).toBe('');
});

describe.each(packages)('%s', (name) => {
  const tarball = (): string => {
    const manifest = manifests[packages.indexOf(name)] as Manifest;
    const prefix = `${manifest.name.replace('@', '').replace('/', '-')}-0`;
    return join(tarballs, readdirSync(tarballs).find((file) => file.startsWith(prefix)) as string);
  };

  test('publint and attw have no complaint', { timeout: 180_000 }, async () => {
    const packed = new Uint8Array(readFileSync(tarball()));
    expect((await publint({ pack: { tarball: packed.buffer }, strict: true })).messages).toEqual([]);
    const types = await checkPackage(createPackageFromTarballData(packed));
    if (types.types === false) throw new Error('the package has no types');
    // The packages are ES modules only, so resolvers that cannot read these find nothing.
    const counted = types.problems.filter(
      (problem) => !('resolutionKind' in problem && /^node10$|^node16-cjs$/.test(problem.resolutionKind)),
    );
    expect(counted).toEqual([]);
    const { fileName = '' } = Object.values(types.entrypoints)[0]?.resolutions['node16-esm'].resolution ?? {};
    expect(types.programInfo.node16.moduleKinds?.[fileName]?.detectedKind).toBe(moduleOfEs);
  });

  test('its size is known', () => {
    const kib = statSync(tarball()).size / 1024;
    process.stdout.write(`${name}: ${kib.toFixed(1)} KiB packed\n`);
    // With the bundles of analyze, diff and redact and the page of the fleet.
    expect(kib).toBeLessThan(1250);
  });

  test('api.d.ts is the public types (npm run build && npm run api)', () => {
    expect(readFileSync(join(root, 'packages', name, 'api.d.ts'), 'utf8')).toBe(
      apiDump(join(root, 'packages', name)),
    );
  });
});
