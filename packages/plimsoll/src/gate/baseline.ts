import { writeFileSync } from 'node:fs';
import { failure } from '@plimsoll/core/internal/errors';
import { readRegularText } from '@plimsoll/core/internal/read-regular-file';
import { version } from '@plimsoll/core/internal/version';
import type { RunFigures } from './compare.ts';

/** The file that a gate compares with. */
interface GateBaseline {
  readonly plimsoll: string;
  readonly command: string;
  readonly node: string;
  readonly written: string;
  readonly runs: readonly RunFigures[];
}

const mostRuns = 24;
const mostBytes = 4 * 1024 ** 2;

export function writeBaseline(file: string, command: string, runs: readonly RunFigures[]): void {
  const baseline: GateBaseline = {
    plimsoll: version,
    command,
    node: process.version,
    written: new Date().toISOString(),
    runs: runs.slice(-mostRuns),
  };
  try {
    writeFileSync(file, `${JSON.stringify(baseline, null, 2)}\n`, { mode: 0o644 });
  } catch (error) {
    throw failure('PLM_CLI_CANNOT_WRITE', { file, reason: (error as Error).message }, { cause: error });
  }
}

/** The baseline in a file; undefined when there is none. */
export function readBaseline(file: string): GateBaseline | undefined {
  let text: string;
  try {
    text = readRegularText(file, { maxBytes: mostBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || /ENOENT/.test(String(error))) return undefined;
    throw unreadable(file, (error as Error).message);
  }
  let value: Partial<GateBaseline>;
  try {
    value = JSON.parse(text) as Partial<GateBaseline>;
  } catch (error) {
    throw unreadable(file, (error as Error).message);
  }
  if (!Array.isArray(value.runs) || !value.runs.every(isFigures))
    throw unreadable(file, 'it has no list "runs" with figures');
  return value as GateBaseline;
}

function isFigures(value: unknown): value is RunFigures {
  if (typeof value !== 'object' || value === null) return false;
  const { calls, bytesPerCall, liveBytes, peakBytes } = value as Record<string, unknown>;
  const isNumber = (each: unknown): boolean => typeof each === 'number' && Number.isFinite(each);
  return (
    isNumber(calls) &&
    isNumber(liveBytes) &&
    isNumber(peakBytes) &&
    (bytesPerCall === null || isNumber(bytesPerCall))
  );
}

function unreadable(file: string, reason: string): Error {
  return failure('PLM_GATE_BAD_BASELINE', { file, reason });
}
