import type { Readable, Writable } from 'node:stream';

/** Everything that a command uses outside of its own state, so that tests can pass their own. */
export interface Io {
  readonly stdout: Writable & { isTTY?: boolean; columns?: number; rows?: number };
  readonly stderr: Writable & { isTTY?: boolean };
  readonly stdin: Readable & { isTTY?: boolean; setRawMode?: (on: boolean) => unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export const processIo = (): Io => ({
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  cwd: process.cwd(),
});
