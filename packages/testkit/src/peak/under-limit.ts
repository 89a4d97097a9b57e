import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { flagsFor } from '@plimsoll/core/internal/own-module';
import { formatByteSize } from '@plimsoll/core/units';
import { bytesOf, msOf } from '../options.ts';
import { LeakError } from '../report/leak-error.ts';

export interface UnderLimitOptions {
  /** Arguments that the module finds in `process.argv`. */
  readonly args?: readonly string[];
  /** Node flags besides the limit, such as `--import` of an adapter. */
  readonly execArgv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Longest time, in ms or as a duration; default 2 min. */
  readonly timeout?: number | string;
}

export interface UnderLimitReport {
  readonly module: string;
  readonly limitBytes: number;
  readonly stdout: string;
}

const mib = 1024 * 1024;
const mostOutput = 1024 * 1024;
/** Number of last lines of the child's output in the failure. */
const shownLines = 12;

/**
 * Runs a module in a child process whose old space has a real limit. Too much memory ends the child and not the test run. The module fails
 * like any program, with an error or an exit code.
 */
export async function underLimit(
  limit: number | string,
  module: string | URL,
  options: UnderLimitOptions = {},
): Promise<UnderLimitReport> {
  const limitBytes = bytesOf(limit, 'the limit');
  const file = module instanceof URL ? module.href : pathToFileURL(resolve(module)).href;
  const timeoutMs = msOf(options.timeout ?? 120_000, 'timeout');
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${Math.max(1, Math.round(limitBytes / mib))}`,
      ...(file.endsWith('.ts') ? flagsFor(new URL(file)) : []),
      ...(options.execArgv ?? []),
      new URL(file).pathname,
      ...(options.args ?? []),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_OPTIONS: '', ...options.env } },
  );
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout = (stdout + text).slice(-mostOutput);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-mostOutput);
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, timeoutMs);
  const end = await new Promise<string | undefined>((done, fail) => {
    child.once('error', fail);
    child.once('close', (code, signal) => done(endText(code, signal, stderr, isLate)));
  }).finally(() => clearTimeout(timer));
  const report = { module: new URL(file).pathname, limitBytes, stdout };
  if (end === undefined) return report;
  const body = stderr.trim().split('\n').slice(-shownLines);
  throw new LeakError(
    failure('PLM_LEAK_LIMIT', { module: report.module, limit: formatByteSize(limitBytes), end }),
    body,
    report,
  );
}

function endText(
  code: number | null,
  signal: string | null,
  stderr: string,
  isLate: boolean,
): string | undefined {
  if (isLate) return 'it took longer than the timeout';
  if (/heap out of memory|Reached heap limit|Ineffective mark-compacts/.test(stderr))
    return `V8 ran out of heap (${signal ?? `exit code ${code}`})`;
  if (code === 0) return undefined;
  return signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
}
