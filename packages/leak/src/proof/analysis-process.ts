import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { flagsFor, moduleBeside } from '@plimsoll/core/internal/own-module';
import type { Capture } from './growth-record.ts';
import type { SnapshotAnalysis } from './snapshot-analysis.ts';

const longestMs = 300_000;
/** The lists of our own host are as old as the last reading: what closed a moment before the first snapshot may hang on them. */
const settledMs = 3000;
const mostOutput = 64 * 1024 * 1024;

/** What the analysis process is asked: the snapshots, and for each the scopes whose survivors are to be found in it. */
export interface AnalysisRequest {
  readonly last: string;
  readonly middle: string | null;
  readonly first: string | null;
  readonly scopes: readonly string[];
  readonly earlyScopes: readonly string[];
  readonly isNative: boolean;
  readonly isTest: boolean;
}

/** What survived: its scope, and when that closed. In a snapshot from before it is held by right. */
interface Survived {
  readonly scope: string;
  readonly firstSeen: number;
}

export interface AnalysisOptions {
  /** A snapshot between the two: only paths that grow in both steps are growth. */
  readonly middle?: Capture | null | undefined;
  readonly survived?: readonly Survived[];
  /** Native memory grew: what it may hang on is asked for, too. */
  readonly isNative?: boolean;
  /** A test kit asks, see `SnapshotQuestion`. */
  readonly isTest?: boolean;
  /** Whoever asks has other work to do: the analysis takes what is left of the processor and ends with its process. */
  readonly isGuest?: boolean;
  /** The module that the analysis process runs. */
  readonly entry?: string;
}

/** Has the snapshots read by an process of its own; undefined when it fails, whatever the reason. */
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
    // The timeout of spawn would keep our process from ending for as long.
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

/** Neither the child nor its pipe keeps our process from ending, and it does not outlive us. */
function beGuest(child: ChildProcess): () => void {
  const end = (): void => void child.kill();
  process.once('exit', end);
  child.unref();
  (child.stdout as { unref?: () => void } | null)?.unref?.();
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, or the system knows no priorities: it runs like any other.
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
