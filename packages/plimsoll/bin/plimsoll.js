#!/usr/bin/env node
/**
 * The command `plimsoll`: what was built, or in a clone that was not built the sources. In an installed package, commands that read a
 * snapshot come from the bundle, which loads in a third of the time. A clone has its tsconfig.json here and loads what was built last.
 */
import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

const built = new URL('../dist/cli.js', import.meta.url);
const source = new URL('../src/cli.ts', import.meta.url);
const bundle = new URL('../bundle/cli.js', import.meta.url);
const isBundled =
  ['analyze', 'diff', 'redact'].includes(process.argv[2] ?? '') &&
  existsSync(bundle) &&
  !existsSync(new URL('../tsconfig.json', import.meta.url));

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isOld = major < 22 || (major === 22 && minor < 12);

if (isOld) {
  process.stderr.write(
    `plimsoll needs Node 22.12 or newer; this is ${process.version}.\n  fix: install a newer Node.js, or run it with npx -p node@24 plimsoll.\n`,
  );
  process.exitCode = 1;
} else if (isBundled) {
  // These are over before code from TurboFan has paid for its compilation. Node.js 22 has no other good compiler.
  if (major >= 24 && process.argv[2] !== 'redact') setFlagsFromString('--no-turbofan');
  await import(bundle.href);
} else if (existsSync(built)) {
  await import(built.href);
} else {
  const { registerHooks } = await import('node:module');
  // Our packages resolve each other to their sources under this condition only.
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, 'plimsoll-source'] }),
  });
  await import(source.href);
}
