// plimsoll: Report Verdict version
export interface Report {
  readonly plimsoll: string; readonly target: string; readonly started: string; readonly ended: string;
  readonly verdict: Verdict; readonly why: string; readonly findings: readonly Finding[];
  readonly readings: {
    readonly last: Frame['reading'] | null; readonly peakUsedBytes: number | null; readonly peakRssBytes: number | null;
    readonly peakLevel: Level | null; readonly levels: Frame['levels']; readonly scopes: Frame['scopes'];
    readonly peaks: Frame['peaks']; readonly kinds: Frame['kinds']; readonly unattributedBytes: number | null;
    readonly keepers: readonly KeeperRow[]; readonly workers?: NonNullable<Frame['workers']>;
    readonly forecast: Forecast | null;
  };
  readonly series: ReportSeries | null; readonly limits: Frame['limits'] | null;
  readonly proof: Pick<Conclusion, 'snapshots' | 'analysisMs' | 'suspectedAt' | 'scopes' | 'floors'> | null;
  readonly actions: Frame['governance']['actions'];
  readonly governance: {
    readonly counts: Frame['governance']['counts']; readonly admission: Frame['governance']['admission'];
    readonly policy: Frame['policy'];
  } | null;
  readonly incidents: readonly NonNullable<Frame['incident']>[]; readonly self: Frame['reading']['self'] | null;
  readonly exit: ExitFact & { readonly suspectedOutOfMemory: boolean; };
  readonly processes: readonly ProcessVerdict[]; readonly lives: readonly LifeRow[];
  readonly deaths: readonly Autopsy[]; readonly deathStory: string | null; readonly stress?: StressSection;
  readonly history?: HistorySection;
}
export interface ReportSeries {
  readonly at: readonly number[]; readonly used: readonly number[]; readonly heapUsed: readonly number[];
  readonly floor: readonly (number | null)[];
  readonly external: readonly number[]; readonly rss: readonly number[];
}
export interface Conclusion extends Proof {
  readonly snapshots: readonly { readonly at: number; readonly stopMs: number; readonly kept: string | null; }[];
  readonly analysisMs: number; readonly suspectedAt: number | null; readonly floors: readonly number[];
  readonly scopes: SnapshotAnalysis['scopes']; readonly processes: readonly ProcessVerdict[];
}
export interface ExitFact { readonly code: number | null; readonly signal: string | null; }
export interface ProcessVerdict {
  readonly pid: number; readonly target: string | null; readonly verdict: Verdict; readonly why: string;
}
export interface LifeRow {
  readonly pid: number; readonly started: string; readonly ended: string; readonly exit: ExitFact;
  readonly restart: {
    readonly reason: string; readonly parked: number; readonly lost: number; readonly interrupted: number;
  } | null;
  readonly peakUsedBytes: number | null; readonly peakLevel: Level | null;
}
export interface Autopsy {
  readonly pid: number; readonly target: string; readonly release: string | null; readonly startedAt: number | null;
  readonly endedAt: number | null; readonly cause: Cause; readonly isDeath: boolean;
  readonly lastMinute: readonly Pick<BoxReading, 'at' | 'used' | 'limit' | 'heapUsed' | 'floor' | 'external' | 'rss' | 'level' | 'loopDelayMs'>[];
  readonly memory: Pick<BoxReading, 'used' | 'limit' | 'source' | 'heapUsed' | 'floor' | 'external' | 'arrayBuffers' | 'rss' | 'level'> | null;
  readonly grew: readonly Grown[];
  readonly open: Readonly<Record<string, number>>;
  readonly refused: number; readonly running: readonly string[]; readonly incident: string | null;
  readonly fingerprint: string | null; readonly stack: readonly string[]; readonly lastWords: LastWords | null;
  readonly fix: string;
}
export interface StressSection {
  readonly verdict: StressVerdict; readonly reasons: readonly string[]; readonly seed: number;
  readonly limitBytes: number | null; readonly plans: readonly PlanRow[]; readonly injections: readonly InjectionRow[];
  readonly checks: readonly CheckRow[]; readonly hypotheses: readonly HypothesisRow[];
  readonly calls: readonly CallRow[]; readonly notTried: readonly string[]; readonly isInterrupted: boolean;
}
export interface HistorySection {
  readonly dir: string; readonly runs: number; readonly grown: readonly GrownRow[]; readonly samples: number;
}
