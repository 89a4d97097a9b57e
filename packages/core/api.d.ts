// @plimsoll/core: AdmitError CloseReport OpenOptions PlimsollError Scope admit admitOrWait approval currentScope isAdmitError isPlimsollError isReady isUnderPressure management onDrain open processScope scopeLevel
export declare class AdmitError extends PlimsollError {
  readonly point: ShedPoint; readonly level: Level; readonly usedBytes: number; readonly limitBytes: number;
  readonly ratio: number; readonly rule: string; readonly retryable: boolean; readonly retryAfterMs: number;
  readonly statusCode: 503 | 413;
  constructor(facts: RefusalFacts);
  get status(): number;
  get headers(): Readonly<Record<string, string>>;
  get problem(): Readonly<Record<string, unknown>>;
  toResponse(): Response;
}
export declare class PlimsollError extends Error {
  readonly code: string; readonly where: string; readonly fix: string; readonly docs: string;
  constructor(code: string, text: { message: string; where: string; fix: string; }, options?: { cause?: unknown; });
  get [brand](): true;
  toString(): string;
}
export type ShedPoint = (typeof shedPoints)[number];
export type Level = (typeof levels)[number];
export interface RefusalFacts {
  readonly reason: ShedReason; readonly point: ShedPoint; readonly level: Level; readonly usedBytes: number;
  readonly limitBytes: number; readonly rule: string; readonly retryable: boolean; readonly retryAfterMs: number;
  readonly details?: Readonly<Record<string, unknown>>;
}
export interface CloseReport {
  readonly path: string; readonly kind: string; readonly name: string; readonly reason: string; readonly openMs: number;
  readonly leftBytes: number; readonly peakBytes: number; readonly chargedBytes: number; readonly rootBytes?: number;
  readonly disposed: number; readonly descendants: number; readonly faults: readonly ScopeFault[];
}
export interface ScopeFault {
  readonly at: number; readonly code: string; readonly path: string; readonly label: string | undefined;
  readonly message: string; readonly stack: string | undefined;
}
export interface OpenOptions {
  readonly parent?: Scope; readonly budget?: number; readonly signal?: AbortSignal; readonly root?: object;
  readonly disposeTimeoutMs?: number; readonly measure?: boolean;
}
export declare class Scope implements Disposable, AsyncDisposable {
  constructor(record: ScopeRecord, handle: ScopeHandle);
  get id(): number; get kind(): string; get name(): string; get path(): string; get depth(): number;
  get openedAt(): number; get state(): ScopeState; get parent(): Scope | undefined; get account(): AccountView;
  get budget(): number | undefined;
  set budget(bytes: number | undefined);
  get idleMs(): number; get leases(): number; get abandoned(): boolean; get signal(): AbortSignal;
  run<T>(work: () => T): T;
  touch(): void;
  lease(): ScopeLease;
  charge(bytes: number | Metered): void;
  credit(bytes: number | Metered): void;
  line(label: string): AccountLine;
  own<T extends Ownable>(resource: T, label?: string): T;
  disown(resource: Ownable): boolean;
  watch<T extends object>(object: T, label: string): T;
  root<T extends object>(object: T): T;
  unroot(object: object): boolean;
  holds(object: object): void;
  children(): Scope[];
  close(reason?: string, options?: { readonly measure?: boolean; }): Promise<CloseReport>;
}
export declare function admit(point: ShedPoint, want?: number | AdmitOptions): Admitted;
export interface AdmitOptions {
  readonly bytes?: number; readonly priority?: Priority; readonly lane?: string;
  readonly continues?: boolean | 'session'; readonly depth?: number; readonly fanOut?: number;
}
export interface Admitted extends Disposable { readonly point: ShedPoint; release(): void; }
export declare function admitOrWait(point: ShedPoint, options: AdmitOptions & WaitOptions): Promise<Admitted>;
export interface WaitOptions { readonly waitMs: number; readonly heldBytes?: number; readonly signal?: AbortSignal; }
export declare function approval(point: ApprovalPoint, request: ApprovalRequest): Promise<Approved>;
export type ApprovalPoint = 'delegation' | 'operation';
export interface ApprovalRequest extends ApprovalFacts {
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly why?: string;
  readonly evidence?: Readonly<Record<string, string | number | null>>;
  readonly by?: string; readonly scope?: string; readonly bytes?: number; readonly signal?: AbortSignal | undefined;
  readonly waitMs?: number | undefined;
}
export interface Approved {
  readonly state: 'approved' | 'not-needed' | 'would-have' | 'ungoverned';
  readonly id: string | null; readonly by: string | null;
}
export declare const currentScope: typeof import("./open.ts").currentScope;
export declare const open: typeof import("./open.ts").open;
export declare function isAdmitError(value: unknown): value is AdmitError;
export declare function isPlimsollError(value: unknown): value is PlimsollError;
export declare function isReady(): boolean;
export declare function isUnderPressure(): boolean;
export declare function management<R>(work: () => R): R;
export declare function onDrain(hook: DrainHook): () => void;
export type DrainHook = (info: DrainInfo) => DrainOutcome | void | Promise<DrainOutcome | void>;
export declare const processScope: () => import("./scope.ts").Scope;
export declare function scopeLevel(scope: string): Level;

// @plimsoll/core/meter: MeasureOptions Measurement Meter MeterOptions SelfCheck Unknown UnknownKind flatten measure selfCheck shallowBytes stringBytes unslice
export interface MeasureOptions {
  readonly shared?: { has(object: object): boolean; };
  readonly maxNodes?: number; readonly flatten?: boolean;
}
export interface Measurement {
  readonly bytes: number; readonly lo: number; readonly hi: number; readonly unknown: readonly Unknown[];
}
export interface Unknown { readonly kind: UnknownKind | 'unvisited'; readonly count: number; }
export declare class Meter {
  constructor(options?: MeterOptions);
  get bytes(): number; get count(): number; get strict(): boolean;
  append(value: unknown): number;
  replace(old: unknown, next: unknown): number;
  remove(value: unknown): number;
  credit(bytes: number): void;
  clear(): void;
}
export interface MeterOptions { readonly strict?: boolean; readonly unslice?: boolean; }
export interface SelfCheck {
  readonly node: string; readonly agrees: boolean; readonly corrected: readonly string[];
  readonly widen: { readonly lo: number; readonly hi: number; };
}
export type UnknownKind = 'accessor' | 'closure' | 'native' | 'promise' | 'proxy' | 'weak';
export declare function flatten(text: string): string;
export declare function measure(value: unknown, options?: MeasureOptions): Measurement;
export declare function selfCheck(): SelfCheck;
export declare function shallowBytes(value: unknown): number;
export declare function stringBytes(text: string): number;
export declare function unslice(text: string): string;

// @plimsoll/core/keeper: DelegationRow Keeper KeeperFigures KeeperRow ShedRequest delegationRow keeperRows keepers registerKeeper
export interface DelegationRow {
  readonly active: number; readonly depth: number; readonly denied: number; readonly started: number;
  readonly blockedRatio: number;
}
export interface Keeper {
  readonly name: string; readonly kind: string; readonly bytes: number;
  stats(): object;
  figures?(): KeeperFigures;
  delegations?(): Omit<DelegationRow, 'blockedRatio'>;
  shed(request: ShedRequest): Promise<number>;
  forget?(id: string): Promise<number>;
  scaleIdle?(ratio: number): void;
}
export interface KeeperFigures {
  readonly entries?: number; readonly boundBytes?: number; readonly boundEntries?: number; readonly parked?: number;
  readonly hitRatio?: number; readonly leases?: number;
}
export interface ShedRequest {
  readonly bytes: number; readonly reason?: string; readonly atMost?: number;
  readonly order?: 'idle' | 'idle-x-size';
  readonly keepLast?: number;
}
export interface KeeperRow {
  readonly name: string; readonly kind: string; readonly scope: string | null; readonly bytes: number;
  readonly entries: number | null; readonly boundBytes: number | null; readonly boundEntries: number | null;
  readonly parked: number | null; readonly hitRatio: number | null; readonly leases: number | null;
}
export declare function delegationRow(): DelegationRow | null;
export declare function keeperRows(): KeeperRow[];
export declare function keepers(): Keeper[];
export declare function registerKeeper(keeper: Keeper, scopePath?: string): () => void;

// @plimsoll/core/adapter: AdapterCases ScopeChannel SessionBook SessionRules SpanOptions SpanScopes TraceRef bindScope callSignal checkAdapter noteTrace openEntry openIn placeOf putInto sessionAround sessions
export interface AdapterCases {
  readonly connect: () => () => void;
  readonly conversation: (session: string, work: () => void) => Promise<unknown>;
  readonly error: (session: string) => Promise<unknown>;
  readonly abort?: (session: string, signal: AbortSignal) => Promise<unknown>;
  readonly leave?: (session: string) => Promise<unknown>;
  readonly patienceMs?: number;
}
export interface ScopeChannel {
  bindStore(store: AsyncLocalStorage<unknown>, transform: (message: unknown) => unknown): void;
  unbindStore(store: AsyncLocalStorage<unknown>): void;
}
export declare class SessionBook {
  get size(): number; get rules(): SessionRules;
  configure(rules: Partial<SessionRules>): void;
  enter(id: string): Scope;
  get(id: string): Scope | undefined;
  close(id: string, reason?: string): void;
  sweep(): number;
}
export interface SessionRules { readonly idleMs: number; readonly most: number; }
export interface SpanOptions { readonly parentId?: string | undefined; readonly session?: string | undefined; }
export declare class SpanScopes {
  get size(): number; get dropped(): number;
  open(id: string, kind: string, name: string, options?: SpanOptions): Scope | undefined;
  get(id: string | undefined): Scope | undefined;
  close(id: string, reason?: string): void;
}
export interface TraceRef { readonly traceId: string; readonly spanId: string; }
export declare function bindScope(channel: ScopeChannel, select: (message: unknown) => Scope | undefined): () => void;
export declare function callSignal(source: AbortSignal | undefined): {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
};
export declare function checkAdapter(cases: AdapterCases): Promise<readonly string[]>;
export declare function noteTrace(path: string, { traceId, spanId }: TraceRef): void;
export declare function openEntry(parent: Scope, kind: string, name: string, options?: OpenOptions): Scope;
export declare function openIn(parent: Scope | undefined, kind: string, name: string, options?: OpenOptions): Scope;
export declare function placeOf(session: string | undefined): Scope;
export declare function putInto(scope: Scope, session: Scope): void;
export declare function sessionAround(scope: Scope): Scope | undefined;
export declare function sessions(): SessionBook;

// @plimsoll/core/units: formatByteSize formatDuration formatUsedOfLimit parseByteSize parseDuration
export declare function formatByteSize(bytes: number): string;
export declare function formatDuration(ms: number): string;
export declare function formatUsedOfLimit(used: number, limit: number): string;
export declare function parseByteSize(text: string): number | undefined;
export declare function parseDuration(text: string): number | undefined;

// @plimsoll/core/testing: Clock FakeClock FakeSensor Sensor Vitals
export interface Clock {
  now(): number;
  monotonic(): number;
  cpu?(): number;
  after(ms: number, callback: () => void): () => void;
}
export declare class FakeClock implements Clock {
  costMs: number;
  constructor(startMs?: number);
  get waiting(): number;
  advance(ms: number): void;
  stall(ms: number): void;
  jump(ms: number): void;
}
export declare class FakeSensor implements Sensor {
  readonly retainedBytes = 0;
  vitals: Vitals; fail: Error | undefined; reads: number; stopped: boolean;
  constructor(vitals?: Partial<Vitals>);
  set(change: Partial<Vitals>): void;
  read(): Vitals;
}
export interface Sensor {
  read(lateMs?: number): Vitals;
  isAtRest?(): boolean;
  readonly retainedBytes: number;
  stop(): void;
}
export interface Vitals extends SensedNumbers {
  readonly heapSizeLimit: number; readonly cgroup: CgroupReading | undefined; readonly floor: Floor | undefined;
  readonly gc: GcCount;
}
