import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { flagsFor, moduleBeside } from '@plimsoll/core/internal/own-module';
import type { Capture } from './growth-record.ts';
import type { SnapshotAnalysis } from './snapshot-analysis.ts';

const longestMs = 300_000;
/**
 * Scopes that closed less than this before the first snapshot may still be in lists of our own host, which are as old as the last reading.
 */
const settledMs = 3000;
const mostOutput = 64 * 1024 * 1024;

/** Request to the analysis process: the snapshots, and the scopes whose survivors are searched. */
export interface AnalysisRequest {
  readonly last: string;
  readonly middle: string | null;
  readonly first: string | null;
  readonly scopes: readonly string[];
  readonly earlyScopes: readonly string[];
  readonly isNative: boolean;
  readonly isTest: boolean;
}

/** Survivors: their scope and its closing time. In an earlier snapshot they are held rightly. */
interface Survived {
  readonly scope: string;
  readonly firstSeen: number;
}

export interface AnalysisOptions {
  /** A snapshot between the two: only paths that grow in both steps are growth. */
  readonly middle?: Capture | null | undefined;
  readonly survived?: readonly Survived[];
  /** True when native memory grew, so that its possible wrappers are also analysed. */
  readonly isNative?: boolean;
  /** True for the test kit, see `SnapshotQuestion`. */
  readonly isTest?: boolean;
  /** True when the caller serves requests: the analysis runs with low priority and ends with the caller's process. */
  readonly isGuest?: boolean;
  /** The module that the analysis process runs. */
  readonly entry?: string;
}

/** Analyses the snapshots in a separate process; undefined when that fails. */
export function runAnalysis(
  last: Capture,
  first: Capture | null,
  options: AnalysisOptions = {},
): Promise<SnapshotAnalysis | undefined> {
  const {
    survived = [],
    isNative = false,
    isTest = false,
    isGuest = false,
    entry = fileURLToPath(moduleBeside('analysis-entry', import.meta.url)),
  } = options;
  return new Promise((resolve) => {
    const question: AnalysisRequest = {
      last: last.file,
      middle: options.middle?.file ?? null,
      first: first?.file ?? null,
      scopes: scopesBefore(survived, last.at),
      earlyScopes: first === null ? [] : scopesBefore(survived, first.at - settledMs),
      isNative,
      isTest,
    };
    const child = spawn(process.execPath, [...flagsFor(entry), entry, JSON.stringify(question)], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, NODE_OPTIONS: '', PLIMSOLL: 'off' },
    });
    // The timeout option of spawn would keep our process alive until then.
    const timer = setTimeout(() => child.kill(), longestMs).unref();
    const release = isGuest ? beGuest(child) : (): void => undefined;
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (text.length < mostOutput) text += chunk;
    });
    child.once('error', () => resolve(undefined));
    child.once('close', (code) => {
      clearTimeout(timer);
      release();
      resolve(code === 0 ? parse(text) : undefined);
    });
  });
}

function scopesBefore(survived: readonly Survived[], at: number): readonly string[] {
  return [...new Set(survived.filter(({ firstSeen }) => firstSeen <= at).map(({ scope }) => scope))];
}

/** Makes sure that neither the child nor its pipe keeps our process alive, and that the child does not outlive it. */
function beGuest(child: ChildProcess): () => void {
  const end = (): void => void child.kill();
  process.once('exit', end);
  child.unref();
  (child.stdout as { unref?: () => void } | null)?.unref?.();
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The child has already ended, or the system has no priorities. It runs with normal priority.
  }
  return () => process.off('exit', end);
}

function parse(text: string): SnapshotAnalysis | undefined {
  try {
    return JSON.parse(text) as SnapshotAnalysis;
  } catch {
    return undefined;
  }
}
