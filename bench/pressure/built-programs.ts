/** What a user runs: the installed command, and the example server built into one file beside the installed packages. */
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { installedCommand, installedProject } from '../installed.ts';
import type { BenchOptions } from '../row.ts';

export interface BuiltPrograms {
  /** The command `plimsoll`. */
  readonly command: string;
  readonly server: string;
}

const source = resolve(import.meta.dirname, '../../examples/agent-server/src/main.ts');

export async function buildPrograms(log: BenchOptions['log']): Promise<BuiltPrograms> {
  const server = join(installedProject(log), 'server.js');
  const build = await rolldown({ input: source, platform: 'node', external: /^(?:node:|@plimsoll\/)/ });
  await build.write({ file: server, format: 'esm', codeSplitting: false });
  await build.close();
  return { command: installedCommand(log), server };
}
