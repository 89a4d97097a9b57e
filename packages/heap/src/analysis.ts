import type { Readable } from 'node:stream';
import type { ConstructorRow } from './graph/constructors.ts';
import { open, type Snapshot, type SnapshotOptions } from './opened-snapshot.ts';
import type { Observation } from './suspects/observations.ts';
import type { Severity, Suspect } from './suspects/suspects.ts';
import type { RetainedScope } from './trace/scope-roots.ts';

/** What `plimsoll analyze FILE --json` prints. */
export interface Analysis {
  readonly file: string;
  readonly fileBytes: number;
  readonly nodes: number;
  readonly edges: number;
  readonly heapBytes: number;
  /** `graph` is the time for the constructor table, `suspects` that for suspects and observations. */
  readonly ms: {
    readonly read: number;
    readonly graph: number;
    readonly dominators: number;
    readonly suspects: number;
    readonly total: number;
  };
  readonly peakRssBytes: number;
  readonly constructors: readonly ConstructorRow[];
  readonly suspects: readonly Suspect[];
  readonly observations: readonly Observation[];
  readonly scopes?: readonly RetainedScope[];
  /** The highest severity of the suspects, `info` without any. */
  readonly severity: Severity;
  /** True when string values and keys are shown as they are. */
  readonly showsStrings: boolean;
}

export interface AnalyzeOptions extends SnapshotOptions {
  /** Rows of the constructor table; default 20. */
  readonly top?: number;
  /** Suspects at most; default 5. */
  readonly suspects?: number;
}

const severities: readonly Severity[] = ['info', 'low', 'medium', 'high', 'critical'];

/** True when the severity reaches the bar. */
export function isAtLeast(severity: Severity, bar: Severity): boolean {
  return severities.indexOf(severity) >= severities.indexOf(bar);
}

/** Opens a snapshot, answers the questions of a report, and closes it. */
export async function analyze(
  source: string | AsyncIterable<Uint8Array> | Readable,
  options: AnalyzeOptions = {},
): Promise<Analysis> {
  const started = performance.now();
  // Who opens a snapshot without source maps does without the library that reads them.
  const { ScriptFactsReader } = await import('./trace/script-facts.ts');
  const snapshot = await open(source, { scripts: new ScriptFactsReader(), ...options });
  try {
    return analyzeOpened(snapshot, performance.now() - started, options);
  } finally {
    snapshot.close();
  }
}

/** The answers for a snapshot that is already open; `readMs` is what opening it took. */
export function analyzeOpened(snapshot: Snapshot, readMs: number, options: AnalyzeOptions = {}): Analysis {
  const { graph } = snapshot;
  const timed = <Result>(work: () => Result): [Result, number] => {
    const started = performance.now();
    const result = work();
    return [result, Math.round(performance.now() - started)];
  };
  const phase = (name: string, ratio: number): void => options.onProgress?.({ phase: name, ratio });
  phase('dominators', 0);
  const [heapBytes, dominatorsMs] = timed(() => snapshot.heapBytes);
  phase('constructors', 0);
  const [constructors, graphMs] = timed(() => snapshot.constructors().slice(0, options.top ?? 20));
  phase('suspects', 0);
  const [found, suspectsMs] = timed(() => ({
    suspects: snapshot.suspects({ limit: options.suspects ?? 5 }),
    observations: snapshot.observations(),
    scopes: snapshot.scopes(),
  }));
  const read = Math.round(readMs);
  return {
    file: snapshot.file,
    fileBytes: graph.fileBytes,
    nodes: graph.nodeCount,
    edges: graph.edgeCount,
    heapBytes,
    ms: {
      read,
      graph: graphMs,
      dominators: dominatorsMs,
      suspects: suspectsMs,
      total: read + graphMs + dominatorsMs + suspectsMs,
    },
    peakRssBytes: process.resourceUsage().maxRSS * 1024,
    constructors,
    suspects: found.suspects,
    observations: found.observations,
    ...(found.scopes.length > 0 && { scopes: found.scopes }),
    severity: found.suspects.reduce<Severity>(
      (worst, { severity }) => (isAtLeast(severity, worst) ? severity : worst),
      'info',
    ),
    showsStrings: snapshot.names.showsStrings,
  };
}
