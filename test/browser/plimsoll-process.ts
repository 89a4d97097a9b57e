import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { endGroup, startGroup } from '../process-group.ts';

const cli = resolve(import.meta.dirname, '../../packages/plimsoll/src/cli.ts');
const source = '--conditions=plimsoll-source';

/** A plimsoll command that serves a dashboard, as a process of its own. */
export interface PlimsollProcess extends AsyncDisposable {
  /** With the token after "#". */
  readonly address: string;
  /** What it has written so far. */
  readonly said: () => string;
  /** Asks it to end and waits until it has. */
  stop(): Promise<void>;
}

/** Starts a command and waits for the address that it prints. */
export async function startPlimsoll(cwd: string, args: readonly string[]): Promise<PlimsollProcess> {
  const child = startGroup(process.execPath, [source, cli, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const exited = once(child, 'exit');
  const address = await new Promise<string>((found, lost) => {
    const hear = (chunk: Buffer): void => {
      said += chunk.toString();
      const match = /(http:\/\/127\.0\.0\.1:\d+\/)#link=\S+/.exec(said);
      if (match !== null) found(`${match[1]}#token=${tokenIn(cwd)}`);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    void exited.then(() => lost(new Error(`plimsoll ${args.join(' ')} ended: ${said}`)));
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exited;
    endGroup(child);
  };
  return { address, said: () => said, stop, [Symbol.asyncDispose]: stop };
}

/** The token itself is printed on a terminal only; tests read it where the owner can. */
function tokenIn(cwd: string): string {
  return readFileSync(join(cwd, '.plimsoll/token'), 'utf8').trim();
}

/** The command line of a program that runs from its source. */
export function program(file: string): readonly string[] {
  return [process.execPath, '--expose-gc', source, resolve(import.meta.dirname, file)];
}
