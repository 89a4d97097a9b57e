import { PassThrough } from 'node:stream';
import { commands } from './commands/all-commands.ts';
import type { Io } from './io.ts';
import { runProgram } from './program.ts';

/** An Io that records its output and can act as a terminal. */
export class TestIo implements Io {
  readonly stdout: Io['stdout'];
  readonly stderr: Io['stderr'];
  readonly stdin = Object.assign(new PassThrough(), {
    isTTY: false,
    setRawMode: (_on: boolean): unknown => undefined,
  });
  readonly env: Record<string, string | undefined> = { ...process.env, NODE_V8_COVERAGE: undefined };
  readonly cwd: string;
  out = '';
  err = '';

  constructor(cwd: string, terminal = false) {
    this.cwd = cwd;
    const size = terminal ? { isTTY: true, rows: 30, columns: 100 } : {};
    this.stdout = Object.assign(new PassThrough(), size).on('data', (chunk) => (this.out += String(chunk)));
    this.stderr = Object.assign(new PassThrough(), size).on('data', (chunk) => (this.err += String(chunk)));
    this.stdin.isTTY = terminal;
  }

  plimsoll(...args: readonly string[]): Promise<number> {
    return runProgram(args, this, commands, '0.0.0-test');
  }
}
