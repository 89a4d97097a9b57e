import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isKitFile } from './kit-file.ts';
import { PlimsollError } from '@plimsoll/core';

/** A failed leak test. `message` is the whole text that a runner prints; `report` is the same as data. */
export class LeakError<Report = unknown> extends PlimsollError {
  readonly report: Report;

  constructor(error: PlimsollError, body: readonly string[], report: Report) {
    super(error.code, { message: textOf(error, body), where: error.where, fix: error.fix });
    this.name = 'LeakError';
    this.report = report;
  }

  override toString(): string {
    return `${this.name} ${this.message}`;
  }
}

function textOf({ code, message, where, fix }: PlimsollError, body: readonly string[]): string {
  return [`${code}: ${message}`, ...body.map((line) => `  ${line}`), `  fix: ${fix}`, `  at:  ${where}`].join(
    '\n',
  );
}

const frame = /(?:\(|at )((?:file:\/\/)?\/[^()]*?):(\d+):\d+\)?$/;

/** The line of the test that called the check, or the current file of the runner. */
export function callerPlace(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  const { stack = '' } = new Error('where');
  Error.stackTraceLimit = stackTraceLimit;
  for (const line of stack.split('\n').slice(1)) {
    const [, file, at] = frame.exec(line.trim()) ?? [];
    if (file === undefined || isKitFile(file) || /\/node_modules\/|^node:/.test(file)) continue;
    const path = file.startsWith('file:') ? fileURLToPath(file) : file;
    const near = relative(process.cwd(), path);
    return `${near.startsWith('..') ? path : near}:${at}`;
  }
  return 'test';
}
