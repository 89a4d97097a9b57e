/** The packages as a user gets them: built, packed, and installed into an empty project. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BenchOptions } from './row.ts';

const root = resolve(import.meta.dirname, '..');

let project: string | undefined;

/**
 * The project with the packages, made anew once per benchmark, in about 30 s. It is not in this folder, where programs find the frameworks
 * of the peers and the host would connect its adapters to them.
 */
export function installedProject(log: BenchOptions['log']): string {
  if (project !== undefined) return project;
  log('packing and installing the packages ...');
  const made = mkdtempSync(join(tmpdir(), 'plimsoll-installed-'));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  const tarballs = join(made, 'tarballs');
  mkdirSync(tarballs);
  writeFileSync(join(made, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  run(join(root, 'node_modules/.bin/tsc'), ['-b'], root);
  const folders = readdirSync(join(root, 'packages')).map((name) => `./packages/${name}`);
  run('npm', ['pack', '--loglevel=error', '--pack-destination', tarballs, ...folders], root);
  const files = readdirSync(tarballs).map((file) => join(tarballs, file));
  run('npm', ['install', '--loglevel=error', '--prefer-offline', '--no-audit', '--no-fund', ...files], made);
  return (project = made);
}

/** The file of the command `plimsoll` that a user's shell runs. */
export function installedCommand(log: BenchOptions['log']): string {
  return join(installedProject(log), 'node_modules/plimsoll/bin/plimsoll.js');
}

function run(command: string, args: readonly string[], cwd: string): void {
  const done = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${command} ${args[0] ?? ''} failed:\n${done.stdout}${done.stderr}`);
}
