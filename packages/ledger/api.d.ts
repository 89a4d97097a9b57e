// @plimsoll/ledger: AuditEntry AuditFilter AuditRecord ChainCheck ChainHead GrowthRow Ledger LedgerGrowth LedgerHealth LedgerOptions LedgerReader ProcessSample Range RangePoint RangeQuery RunRow Sample ScopeSample StoredSample Story Summary SummaryBy SummaryRow WindowOptions openLedger
export interface AuditEntry {
  readonly kind: AuditKind | (string & {});
  readonly at?: number; readonly scope?: string; readonly body?: AuditBody;
}
type AuditKind = 'start' | 'exit' | 'level' | 'finding' | 'action' | 'approval' | 'policy' | 'fault' | 'ledger';
type AuditBody = { readonly [key: string]: Json | undefined; };
export interface AuditFilter {
  readonly kinds?: readonly string[] | undefined; readonly scope?: string | undefined;
  readonly run?: number | undefined; readonly since?: number | undefined; readonly until?: number | undefined;
  readonly after?: number | undefined; readonly limit?: number | undefined;
}
export interface AuditRecord extends Omit<ChainedEntry, 'body'> { readonly body: Readonly<Record<string, unknown>>; }
export interface ChainedEntry extends PendingEntry { readonly seq: number; readonly hash: string; }
export interface ChainCheck {
  readonly ok: boolean; readonly rows: number; readonly head: ChainHead; readonly prunedUpTo: number;
  readonly anchors: number;
  readonly broken?: { readonly seq: number; readonly why: ChainFault; };
}
export interface ChainHead { readonly seq: number; readonly hash: string; }
type ChainFault = 'edited' | 'missing' | 'cut' | 'emptied' | 'rewritten' | 'unguarded' | 'malformed';
export interface GrowthRow {
  readonly scope: string; readonly run: number; readonly of: 'floor' | 'bytes'; readonly points: number;
  readonly from: number; readonly to: number; readonly bytesPerHour: number; readonly errorPerHour: number;
  readonly r2: number; readonly startBytes: number; readonly endBytes: number;
}
export declare class Ledger {
  readonly dir: string; readonly run: number;
  constructor(options: LedgerOptions, workerEntry?: URL);
  sample(rows: Sample | readonly Sample[]): number;
  audit(entry: AuditEntry): Promise<void>;
  tell(news: FleetNews): void;
  flush(deadlineMs?: number): Promise<boolean>;
  close(deadlineMs?: number): Promise<boolean>;
  get health(): LedgerHealth;
  [Symbol.asyncDispose](): Promise<void>;
}
export interface LedgerOptions {
  readonly dir: string; readonly batchMs?: number; readonly queueRows?: number; readonly queueAudits?: number;
  readonly maxBodyChars?: number; readonly auditDeadlineMs?: number; readonly retention?: Partial<Retention>;
  readonly maxBytes?: number; readonly upkeepMs?: number; readonly restMs?: number; readonly exitWaitMs?: number;
  readonly anchors?: AnchorOptions | undefined;
  readonly fleet?: (FleetOptions & FleetEvents) | undefined;
}
export type Sample = ProcessSample | ScopeSample;
export interface FleetNews {
  readonly forecast: Readonly<Record<string, unknown>> | null;
  readonly mode: string | null; readonly policyVersion: number | null;
}
export interface LedgerHealth {
  readonly state: LinkState; readonly samples: SampleCounts; readonly audit: AuditCounts; readonly restarts: number;
  readonly lastError: string | undefined; readonly head: ChainHead | undefined; readonly fleet: FleetHealth | undefined;
}
export interface LedgerGrowth {
  readonly since: number; readonly until: number; readonly resolution: Resolution | 'day';
  readonly rows: readonly GrowthRow[]; readonly tooShort: number;
}
export type Resolution = 'raw' | 'minute' | 'hour';
export declare class LedgerReader {
  readonly dir: string;
  constructor(dir: string, { asWritten }?: { asWritten?: boolean; });
  runs(): RunRow[];
  story(run?: number): Story | undefined;
  summary(options?: WindowOptions & { by?: SummaryBy; limit?: number; }): Summary;
  growth(options?: WindowOptions): LedgerGrowth;
  range(query: RangeQuery): Range;
  samples(options?: WindowOptions): IterableIterator<StoredSample>;
  audit(filter?: AuditFilter): AuditRecord[];
  verifyChain(anchors?: readonly ChainHead[]): ChainCheck | undefined;
  close(): void;
  [Symbol.dispose](): void;
}
export interface RunRow {
  readonly run: number; readonly pid: number | undefined; readonly host: string | undefined; readonly started: number;
}
export interface Story extends RunRow {
  readonly state: 'running' | 'ended' | 'died'; readonly lastSeen: number; readonly start: AuditRecord | undefined;
  readonly exit: AuditRecord | undefined; readonly first: Moment | undefined; readonly peak: Moment | undefined;
  readonly last: Moment | undefined; readonly levels: readonly AuditRecord[]; readonly findings: readonly AuditRecord[];
  readonly actions: readonly AuditRecord[]; readonly others: readonly AuditRecord[]; readonly samples: number;
  readonly scopes: number;
}
export interface WindowOptions {
  readonly since?: number | undefined; readonly until?: number | undefined; readonly run?: number | undefined;
  readonly scope?: string | undefined;
}
export type SummaryBy = 'kind' | 'service' | 'scope';
export interface Summary {
  readonly since: number; readonly until: number; readonly resolution: Resolution; readonly rows: readonly SummaryRow[];
  readonly more: number;
}
export interface RangeQuery {
  readonly scope: string; readonly since: number; readonly until: number; readonly run?: number | undefined;
  readonly points?: number;
}
export interface Range {
  readonly resolution: Resolution; readonly stepMs: number; readonly points: readonly RangePoint[];
}
export interface StoredSample extends KnownNumbers {
  readonly at: number; readonly run: number; readonly scope: string; readonly bytes: number;
  readonly level: number | null;
}
export interface ProcessSample extends Partial<StoredNumbers> {
  readonly at: number; readonly scope: string; readonly usedBytes: number; readonly limit: number;
  readonly level?: Level | undefined;
}
export interface RangePoint extends Partial<StoredNumbers> {
  readonly at: number; readonly samples: number; readonly minBytes: number; readonly avgBytes: number;
  readonly maxBytes: number; readonly level?: Level;
}
export interface ScopeSample { readonly at: number; readonly scope: string; readonly bytes: number; }
export interface SummaryRow {
  readonly key: string; readonly scopes: number; readonly samples: number; readonly minBytes: number;
  readonly avgBytes: number; readonly maxBytes: number; readonly p95Bytes: number; readonly lastBytes: number;
  readonly firstSeen: number; readonly lastSeen: number;
}
export declare function openLedger(options: LedgerOptions): Ledger;

// @plimsoll/ledger/write: Ledger LedgerHealth openLedger
