/** Runs a program of `programs/` on the real frameworks, alone or governed, unbuilt and without a change in it. */
import { execFile, fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { installOnce } from '../install-once.ts';

const exec = promisify(execFile);
const here = import.meta.dirname;
const register = resolve(here, '../../packages/host/src/register.ts');

/** Installs the frameworks by their own lockfile when they are missing. */
export function installFrameworks(): Promise<void> {
  return installOnce(here);
}

export interface RunOptions {
  /** False runs the program without Plimsoll. */
  readonly isGoverned?: boolean;
  readonly args?: readonly string[];
  /** Flags of Node.js for a program that runs without Plimsoll's preload. */
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Text of a policy. */
  readonly policy?: string;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a program is started: the flags of Node.js and the environment. */
function setup(options: RunOptions): { readonly flags: readonly string[]; readonly env: NodeJS.ProcessEnv } {
  const { isGoverned = true, nodeFlags = [], env = {}, policy } = options;
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-frameworks-'));
  const file = join(dir, 'policy.yaml');
  if (policy !== undefined) writeFileSync(file, `apiVersion: plimsoll/v1\n${policy}`);
  const governed = ['--conditions=plimsoll-source', '--import', register];
  // NODE_ENV=test, which Vitest sets, turns the tracing of OpenAI Agents off.
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, NODE_ENV: ___, ...outer } = process.env;
  const own = {
    PLIMSOLL_DIR: join(dir, '.plimsoll'),
    ...(policy !== undefined && { PLIMSOLL_POLICY: file }),
  };
  return {
    flags: ['--expose-gc', ...(isGoverned ? governed : nodeFlags)],
    env: { ...outer, ...own, ...env },
  };
}

export async function run(program: string, options: RunOptions = {}): Promise<Ran> {
  const { flags, env } = setup(options);
  return exec(process.execPath, [...flags, join(here, 'programs', program), ...(options.args ?? [])], {
    cwd: here,
    env,
    timeout: 280_000,
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: Ran) => ({ code: error.code, stdout: error.stdout, stderr: error.stderr }),
  );
}

/** Starts a program that is spoken to by messages. */
export function startProgram(program: string, options: RunOptions = {}): ChildProcess {
  const { flags, env } = setup(options);
  return fork(join(here, 'programs', program), options.args ?? [], { cwd: here, env, execArgv: [...flags] });
}

/** The JSON that a program prints as its last line. */
export async function result<T>(program: string, options?: RunOptions): Promise<T> {
  const { stdout, stderr } = await run(program, options);
  const last = stdout.trim().split('\n').at(-1) ?? '';
  try {
    return JSON.parse(last) as T;
  } catch {
    throw new Error(`${program} printed no result:\n${stdout}\n${stderr}`);
  }
}
