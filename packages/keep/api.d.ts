// @plimsoll/keep: ConversationWindow ConversationWindowOptions DelegationBreaker DelegationBreakerOptions EventSink FileLot Keeper KeeperClock Lease OutputBag ParkingLot Pool ReplayBuffer ReplayBufferOptions SessionCache SessionCacheOptions ShedRequest SqliteLot WeakRegistry anyMessage fitTokens keepers registerKeeper replay
export declare class ConversationWindow<M extends object> implements Keeper, Disposable {
  readonly kind = "conversation-window";
  readonly name: string;
  constructor(options: ConversationWindowOptions<M>);
  static restore<M extends object>(snapshot: WindowSnapshot<M>, options: ConversationWindowOptions<M>): ConversationWindow<M>;
  get bytes(): number; get tokens(): number; get turns(): number;
  append(message: M): void;
  messages(): M[];
  calibrate(inputTokens: number): void;
  settled(): Promise<void>;
  snapshot(): WindowSnapshot<M>;
  clear(): void;
  shed(request: ShedRequest): Promise<number>;
  on<E extends keyof WindowEvents>(event: E, listener: (event: WindowEvents[E]) => void): () => void;
  figures(): KeeperFigures;
  stats(): WindowStats;
}
export interface ConversationWindowOptions<M> {
  readonly name?: string; readonly maxBytes?: number | string; readonly maxTokens?: number; readonly maxTurns?: number;
  readonly lowWater?: number;
  readonly pin?: (message: M) => boolean;
  readonly summarise?: (request: SummaryRequest<M>) => Promise<string> | string;
  readonly summariseTimeout?: number | string;
  readonly onDrop?: (messages: readonly M[], reason: DropReason) => void;
  readonly shape?: MessageShape<M>;
  readonly tokens?: (message: M) => number;
  readonly scope?: Scope; readonly clock?: KeeperClock;
}
export interface WindowSnapshot<M> {
  readonly version: 1; readonly pinned: readonly M[]; readonly summary: string | undefined;
  readonly messages: readonly M[]; readonly tokenScale: number;
}
export interface WindowEvents {
  readonly drop: {
    readonly messages: number; readonly bytes: number; readonly tokens: number; readonly reason: DropReason;
  };
  readonly summary: { readonly messages: number; readonly bytes: number; };
  readonly 'summary-failed': { readonly messages: number; readonly cause: unknown; };
  readonly orphan: { readonly ids: readonly string[]; };
  readonly oversize: { readonly bytes: number; readonly tokens: number; };
  readonly 'pin-refused': { readonly bytes: number; };
  readonly 'hook-failed': { readonly hook: string; readonly cause: unknown; };
}
export interface WindowStats {
  readonly messages: number; readonly turns: number; readonly bytes: number; readonly tokens: number;
  readonly tokenScale: number; readonly pinnedMessages: number; readonly dropped: number; readonly orphans: number;
  readonly summaries: number; readonly summaryFailures: number; readonly maxBytes: number; readonly maxTokens: number;
  readonly maxTurns: number;
}
export declare class DelegationBreaker implements Keeper, Disposable {
  readonly kind = "delegation-breaker";
  readonly name: string;
  constructor(options: DelegationBreakerOptions);
  get bytes(): number; get delegation(): Delegation | undefined;
  run<R>(request: DelegationRequest, work: (delegation: Delegation) => R | Promise<R>): Promise<R>;
  cancel(id: number, reason?: unknown): number;
  pause(reason?: string): void;
  resume(): void;
  roots(): DelegationView[];
  tree(id: number): DelegationView | undefined;
  on<E extends keyof DelegationEvents>(event: E, listener: (event: DelegationEvents[E]) => void): () => void;
  shed(request: ShedRequest): Promise<number>;
  figures(): KeeperFigures;
  delegations(): { active: number; depth: number; denied: number; started: number; };
  stats(): DelegationStats;
}
export interface DelegationBreakerOptions {
  readonly name?: string; readonly total: number; readonly depth?: number; readonly live?: number;
  readonly livePerTree?: number; readonly queue?: number; readonly full?: 'wait' | 'deny'; readonly tokens?: number;
  readonly bytes?: number | string; readonly time?: number | string; readonly reentry?: number;
  readonly pingPong?: number;
  readonly fingerprint?: (task: unknown) => string;
  readonly failures?: { readonly count?: number; readonly pause?: number | string; } | false;
  readonly approve?: {
    readonly depth: number;
    readonly ask: (request: DelegationApproval) => boolean | Promise<boolean>;
    readonly timeout?: number | string;
  };
  readonly scope?: Scope; readonly clock?: KeeperClock;
}
export declare class Delegation {
  readonly id: number; readonly agent: string; readonly depth: number; get path(): string[]; get signal(): AbortSignal;
  remaining(): Remaining;
  spend(tokens: number): boolean;
  hold(bytes: number): boolean;
  cancel(reason?: unknown): number;
}
export interface DelegationRequest { readonly agent: string; readonly task?: unknown; }
export interface DelegationView {
  readonly id: number; readonly agent: string; readonly depth: number; readonly state: DelegationState;
  readonly bytes: number; readonly children: readonly DelegationView[];
}
export interface DelegationEvents {
  readonly denied: {
    readonly agent: string; readonly limit: DelegationLimit; readonly path: readonly string[]; readonly why: string;
  };
  readonly outlived: {
    readonly agent: string; readonly path: readonly string[]; readonly children: readonly string[];
  };
  readonly cancelled: {
    readonly agent: string; readonly path: readonly string[]; readonly reason: string; readonly delegations: number;
  };
  readonly 'agent-open': { readonly agent: string; readonly failures: number; readonly untilMs: number; };
  readonly 'agent-probe': { readonly agent: string; };
  readonly 'agent-closed': { readonly agent: string; };
  readonly 'hook-failed': { readonly hook: string; readonly agent: string; readonly cause: unknown; };
}
export interface DelegationStats {
  readonly trees: number; readonly live: number; readonly unfinished: number; readonly queued: number;
  readonly bytes: number; readonly started: number; readonly done: number; readonly failed: number;
  readonly cancelled: number; readonly denied: number; readonly outlived: number;
  readonly openAgents: readonly string[];
}
export declare class EventSink<E> implements Keeper, Disposable {
  readonly kind = "event-sink";
  readonly name: string;
  constructor(options: EventSinkOptions<E>);
  get bytes(): number; get length(): number; get dropped(): number;
  push(event: E): boolean;
  ready(): Promise<void>;
  take(max?: number): E[];
  batches(options?: BatchOptions): AsyncIterableIterator<E[], undefined, undefined>;
  on<K extends keyof EventSinkEvents>(event: K, listener: (event: EventSinkEvents[K]) => void): () => void;
  shed(request: ShedRequest): Promise<number>;
  figures(): KeeperFigures;
  stats(): EventSinkStats;
  close(): void;
}
export interface EventSinkOptions<E> {
  readonly name?: string; readonly capacity: number; readonly maxBytes?: number | string; readonly onFull?: FullPolicy;
  readonly key?: (event: E) => string;
  readonly size?: (event: E) => number;
  readonly random?: () => number;
  readonly scope?: Scope; readonly clock?: KeeperClock;
}
export interface BatchOptions { readonly max?: number; readonly every?: number | string; }
export interface EventSinkEvents {
  readonly full: { readonly buffered: number; readonly bytes: number; };
  readonly 'hook-failed': { readonly hook: string; readonly cause: unknown; };
}
export interface EventSinkStats {
  readonly pushed: number; readonly delivered: number; readonly dropped: number; readonly buffered: number;
  readonly bytes: number; readonly capacity: number; readonly maxBytes: number;
  readonly droppedByKind: Readonly<Record<string, number>>;
}
export declare class FileLot implements ParkingLot {
  constructor(options: FileLotOptions);
  get bytes(): number; get size(): number | undefined;
  put(id: string, form: Uint8Array): Promise<void>;
  remove(id: string): Promise<boolean>;
  mayHold(id: string): boolean;
}
export interface ParkingLot {
  readonly label: string;
  put(id: string, form: Uint8Array, fence?: number): Promise<void>;
  get(id: string): Promise<Uint8Array | undefined>;
  remove(id: string, fence?: number): Promise<boolean>;
  readonly size?: number | undefined; readonly bytes?: number | undefined;
  mayHold?(id: string): boolean;
  close(): Promise<void>;
}
export interface FileLotOptions {
  readonly dir: string; readonly maxBytes?: number | string; readonly maxEntries?: number;
}
export interface KeeperClock {
  now(): number;
  monotonic(): number;
  after(ms: number, callback: () => void): () => void;
}
export declare class Lease<V> implements Disposable, AsyncDisposable {
  readonly id: string; readonly owner: string | undefined; readonly since: number; readonly stack: string | undefined;
  get value(): V; get active(): boolean;
  release(): void;
}
export declare class OutputBag implements Keeper, Disposable {
  readonly kind = "output-bag";
  readonly name: string;
  constructor(options: OutputBagOptions);
  get bytes(): number;
  put(key: string, value: unknown, options: PutOptions): void;
  take(key: string, consumer: string): unknown;
  forgo(consumer: string, key?: string | null): number;
  has(key: string): boolean;
  bytesOf(key: string): number;
  pending(): PendingOutput[];
  shed(request: ShedRequest): Promise<number>;
  on<E extends keyof OutputBagEvents>(event: E, listener: (event: OutputBagEvents[E]) => void): () => void;
  figures(): KeeperFigures;
  stats(): OutputBagStats;
}
export interface OutputBagOptions {
  readonly name?: string; readonly maxBytes: number | string; readonly maxOutputs?: number;
  readonly overflow?: 'spill' | 'refuse'; readonly maxSpillBytes?: number | string;
  readonly spillTo?: string | SpillTarget; readonly scope?: Scope;
}
export interface PutOptions { readonly consumers: readonly string[]; readonly bytes?: number; }
export interface PendingOutput {
  readonly key: string; readonly bytes: number; readonly isSpilled: boolean; readonly consumers: readonly string[];
}
export interface OutputBagEvents {
  readonly spill: { readonly key: string; readonly bytes: number; readonly fileBytes: number; };
  readonly 'spill-failed': { readonly key: string; readonly error: Error; };
  readonly release: { readonly key: string; readonly bytes: number; };
}
export interface OutputBagStats {
  readonly outputs: number; readonly bytes: number; readonly maxBytes: number; readonly spilledOutputs: number;
  readonly spilledBytes: number; readonly put: number; readonly released: number; readonly refused: number;
  readonly spillFailures: number;
}
export declare class Pool<T> implements Keeper, Disposable {
  readonly kind = "pool";
  readonly name: string;
  constructor(options: PoolOptions<T>);
  get bytes(): number;
  take(): Handle<T>;
  tryTake(): Handle<T> | undefined;
  shed(request: ShedRequest): Promise<number>;
  on<E extends keyof PoolEvents>(event: E, listener: (event: PoolEvents[E]) => void): () => void;
  figures(): KeeperFigures;
  stats(): PoolStats;
}
export interface PoolOptions<T> {
  readonly name?: string; readonly max: number;
  readonly create: () => T;
  readonly reset?: (value: T) => boolean | void;
  readonly destroy?: (value: T) => void;
  readonly bytesEach?: number | string; readonly maxIdleBytes?: number | string; readonly scope?: Scope;
}
export declare class Handle<T> implements Disposable {
  get value(): T; get isReleased(): boolean;
  release(): void;
}
export interface PoolEvents {
  readonly exhausted: { readonly taken: number; };
  readonly 'hook-failed': { readonly hook: string; readonly cause: unknown; };
}
export interface PoolStats {
  readonly taken: number; readonly idle: number; readonly max: number; readonly created: number;
  readonly destroyed: number; readonly reused: number; readonly exhausted: number; readonly resetFailures: number;
  readonly bytes: number;
}
export declare class ReplayBuffer<T> implements Keeper, Disposable, AsyncIterable<T> {
  readonly kind = "replay-buffer";
  readonly name: string;
  constructor(options: ReplayBufferOptions<T>);
  get bytes(): number; get isBlocked(): boolean;
  push(chunk: T): boolean;
  write(chunk: T): Promise<void>;
  ready(): Promise<void>;
  end(): void;
  fail(error: unknown): void;
  cancel(reason?: unknown): void;
  cancelled(callback: (reason: unknown) => void): () => void;
  subscribe(options?: SubscribeOptions): ReplayReader<T>;
  [Symbol.asyncIterator](): ReplayReader<T>;
  toReadableStream(options?: SubscribeOptions): ReadableStream<T>;
  on<E extends keyof ReplayBufferEvents>(event: E, listener: (event: ReplayBufferEvents[E]) => void): () => void;
  shed(request: ShedRequest): Promise<number>;
  figures(): KeeperFigures;
  stats(): ReplayBufferStats;
}
export interface ReplayBufferOptions<T> {
  readonly name?: string; readonly maxBytes: number | string; readonly overflow?: 'spill' | 'lag';
  readonly maxSpillBytes?: number | string; readonly spillTo?: string | SpillTarget; readonly codec?: SpillCodec<T>;
  readonly lag?: LagPolicy; readonly blockFor?: number | string;
  readonly coalesce?: 'deltas' | 'text' | false | Coalescer<T>; readonly releaseAfterEnd?: number | string;
  readonly abandonAfter?: number | string;
  readonly size?: (chunk: T) => number;
  readonly scope?: Scope; readonly clock?: KeeperClock;
}
export interface SubscribeOptions {
  readonly from?: 'start' | 'now' | number; readonly lag?: LagPolicy; readonly signal?: AbortSignal;
  readonly name?: string;
}
export declare class ReplayReader<T> implements AsyncIterableIterator<T, undefined, undefined>, AsyncDisposable {
  readonly name: string; readonly lag: LagPolicy; lost: number; seenMs: number; get done(): boolean; get seq(): number;
  next(): Promise<IteratorResult<T, undefined>>;
  return(): Promise<IteratorResult<T, undefined>>;
  [Symbol.asyncIterator](): this;
}
export interface ReplayBufferEvents {
  readonly spill: { readonly chunks: number; readonly bytes: number; readonly fileBytes: number; };
  readonly 'spill-failed': { readonly error: PlimsollError; };
  readonly dropped: { readonly reader: string; readonly chunks: number; };
  readonly forgotten: { readonly chunks: number; readonly bytes: number; };
  readonly disconnected: { readonly reader: string; readonly error: PlimsollError; };
  readonly blocked: { readonly readers: readonly string[]; readonly bytes: number; };
  readonly end: { readonly chunks: number; readonly outcome: 'ended' | 'failed' | 'cancelled'; };
  readonly release: { readonly chunks: number; };
  readonly 'hook-failed': { readonly hook: string; readonly cause: unknown; };
}
export interface ReplayBufferStats {
  readonly state: 'open' | 'ended' | 'failed' | 'cancelled'; readonly released: boolean; readonly readers: number;
  readonly pushed: number; readonly refused: number; readonly chunks: number; readonly bytes: number;
  readonly maxBytes: number; readonly peakBytes: number; readonly spilledBytes: number; readonly spillFailures: number;
  readonly dropped: number; readonly forgotten: number; readonly disconnected: number;
}
export declare class SessionCache<V> implements Keeper, AsyncDisposable {
  readonly kind = "session-cache";
  readonly name: string;
  constructor(options: SessionCacheOptions<V>);
  get bytes(): number; get size(): number;
  get(id: string): V | undefined;
  peek(id: string): V | undefined;
  has(id: string): boolean;
  set(id: string, value: V): void;
  tryAcquire(id: string, owner?: string): Lease<V> | undefined;
  acquire(id: string, options?: AcquireOptions): Promise<Lease<V>>;
  replace(id: string, make: (id: string, info: OpenInfo) => V | Promise<V>, options?: AcquireOptions): Promise<Lease<V>>;
  close(id: string, reason?: string): Promise<CloseResult>;
  forget(id: string): Promise<number>;
  fence(id: string): number | undefined;
  scaleIdle(ratio: number): void;
  shed(request: ShedRequest): Promise<number>;
  drain(deadline?: number | string): Promise<DrainReport>;
  figures(): KeeperFigures;
  stats(): SessionCacheStats;
  tenants(): TenantStats[];
  leases(): HeldLease[];
  on<E extends SessionCacheEvent>(event: E, listener: (event: SessionCacheEvents[E]) => void): () => void;
  sweep(): void;
}
export interface SessionCacheOptions<V> {
  readonly name?: string; readonly maxBytes?: number | string; readonly maxEntries?: number;
  readonly idle?: number | string; readonly maxAge?: number | string; readonly sweep?: number | string;
  readonly policy?: 'lru' | 'arc';
  readonly open?: (id: string, info: OpenInfo) => V | Promise<V>;
  readonly meter?: (value: V, id: string) => Metered;
  readonly dispose?: (value: V, info: DisposeInfo) => void | Promise<void>;
  readonly disposeTimeout?: number | string; readonly disposeRetries?: number;
  readonly onDeadLetter?: (letter: DeadLetter<V>) => void;
  readonly veto?: (value: V, about: { readonly id: string; readonly reason: LeaveReason; }) => boolean;
  readonly tenant?: (id: string) => string;
  readonly park?: ParkingLot;
  readonly freeze?: (value: V, id: string) => unknown;
  readonly thaw?: (parked: unknown, id: string) => V | Promise<V>;
  readonly onCorrupt?: 'open' | 'throw'; readonly leaseWarning?: number | string;
  readonly leaseStacks?: boolean | number; readonly weak?: boolean; readonly scope?: Scope;
  readonly clock?: KeeperClock;
}
export interface AcquireOptions { readonly owner?: string; readonly signal?: AbortSignal; }
export interface OpenInfo { readonly signal: AbortSignal; readonly owner: string | undefined; }
export type CloseResult = 'closed' | 'leased' | 'absent';
export interface DrainReport {
  readonly revoked: readonly HeldLease[]; readonly disposeFailures: number; readonly ms: number;
}
export interface SessionCacheStats extends Readonly<Counters> {
  readonly vetoed: number; readonly parked: number; readonly restored: number; readonly hookFailures: number;
  readonly disposeFailures: number; readonly entries: number; readonly bytes: number; readonly leasedEntries: number;
  readonly leasedBytes: number; readonly doomedEntries: number; readonly doomedBytes: number; readonly closing: number;
  readonly closingBytes: number; readonly opening: number; readonly maxBytes: number; readonly maxEntries: number;
}
export interface TenantStats { readonly tenant: string; readonly entries: number; readonly bytes: number; }
export interface HeldLease {
  readonly id: string; readonly owner: string | undefined; readonly heldMs: number; readonly stack: string | undefined;
}
export type SessionCacheEvent = keyof SessionCacheEvents;
export interface SessionCacheEvents {
  readonly evict: About; readonly expire: About; readonly close: About;
  readonly overcommit: { readonly bytes: number; readonly leasedBytes: number; readonly entries: number; };
  readonly veto: About;
  readonly 'dispose-failed': About & { readonly error: PlimsollError; };
  readonly 'hook-failed': { readonly hook: string; readonly id: string; readonly cause: unknown; };
  readonly 'lease-held-long': HeldLease;
  readonly park: { readonly id: string; readonly bytes: number; readonly parkedBytes: number; readonly ms: number; };
  readonly restore: { readonly id: string; readonly bytes: number; readonly ms: number; };
  readonly 'park-failed': { readonly id: string; readonly error: PlimsollError; };
  readonly 'restore-failed': { readonly id: string; readonly error: unknown; };
  readonly lost: { readonly id: string; readonly bytes: number; readonly error: PlimsollError; };
  readonly collected: { readonly id: string; readonly bytes: number; };
}
export declare class SqliteLot implements ParkingLot {
  constructor(options: SqliteLotOptions);
  get size(): number | undefined;
  put(id: string, form: Uint8Array): Promise<void>;
  remove(id: string): Promise<boolean>;
}
export interface SqliteLotOptions { readonly file: string; readonly maxBytes?: number | string; }
export declare class WeakRegistry<V extends object, Meta = undefined> implements Keeper, Disposable {
  readonly kind = "weak-registry";
  readonly name: string;
  constructor(options: WeakRegistryOptions<Meta>);
  get bytes(): number; get size(): number; get alive(): number;
  add(id: string, value: V, meta?: Meta): boolean;
  get(id: string): V | undefined;
  meta(id: string): Meta | undefined;
  close(id: string): boolean;
  suspects(olderThan: number | string): RegistrySuspect<Meta>[];
  sweep(): boolean;
  shed(request: ShedRequest): Promise<number>;
  on<E extends keyof WeakRegistryEvents>(event: E, listener: (event: WeakRegistryEvents[E]) => void): () => void;
  figures(): KeeperFigures;
  stats(): WeakRegistryStats;
}
export interface WeakRegistryOptions<Meta> {
  readonly name?: string; readonly maxEntries: number; readonly sweep?: number | string;
  readonly onGone?: (id: string, meta: Meta) => void;
  readonly scope?: Scope; readonly clock?: KeeperClock;
}
export interface RegistrySuspect<Meta> { readonly id: string; readonly meta: Meta; readonly ageMs: number; }
export interface WeakRegistryEvents {
  readonly gone: { readonly id: string; };
  readonly full: { readonly entries: number; };
  readonly 'hook-failed': { readonly hook: string; readonly id: string; readonly cause: unknown; };
}
export interface WeakRegistryStats {
  readonly entries: number; readonly maxEntries: number; readonly added: number; readonly closed: number;
  readonly gone: number; readonly refused: number;
}
export declare const anyMessage: MessageShape<unknown>;
export interface MessageShape<M> {
  role(message: M): MessageRole;
  calls(message: M): readonly string[] | undefined;
  answers(message: M): readonly string[] | undefined;
  summary(text: string): M;
}
export declare function fitTokens(text: string): number;
export declare function replay<T>(source: AsyncIterable<T> | ReadableStream<T>, options: ReplayOptions<T>): ReplayBuffer<T>;
export interface ReplayOptions<T> extends ReplayBufferOptions<T> { readonly cancelUnread?: number | string; }

// @plimsoll/keep/session-cache: AcquireOptions CloseResult DeadLetter DisposeInfo DrainReport FileLot FileLotOptions HeldLease Lease LeaveReason Metered OpenInfo ParkingLot SessionCache SessionCacheEvent SessionCacheEvents SessionCacheOptions SessionCacheStats SqliteLot SqliteLotOptions TenantStats
export interface DeadLetter<V> {
  readonly id: string; readonly value: V; readonly reason: LeaveReason; readonly error: PlimsollError;
}
export type LeaveReason = 'evict' | 'expire' | 'age' | 'replace' | 'drain' | 'lost' | (string & {});
export interface DisposeInfo {
  readonly id: string; readonly reason: LeaveReason; readonly attempt: number; readonly signal: AbortSignal;
}

// @plimsoll/keep/replay-buffer: Coalescer LagPolicy ReplayBuffer ReplayBufferEvents ReplayBufferOptions ReplayBufferStats ReplayOptions ReplayReader SpillCodec SpillTarget SubscribeOptions replay
export interface Coalescer<T> { joinable(first: T, next: T): boolean; join(run: readonly T[]): T; }
export type LagPolicy = 'block' | 'drop' | 'disconnect';
export interface SpillCodec<T> { encode(chunks: readonly T[]): Uint8Array; decode(bytes: Uint8Array): T[]; }
export interface SpillTarget { open(): number; }

// @plimsoll/keep/delegation-breaker: Delegation DelegationApproval DelegationBreaker DelegationBreakerOptions DelegationDenied DelegationEvents DelegationLimit DelegationRequest DelegationStats DelegationView Remaining
export interface DelegationApproval {
  readonly agent: string; readonly task: unknown; readonly depth: number; readonly path: readonly string[];
  readonly signal: AbortSignal;
}
export interface DelegationDenied extends PlimsollError {
  readonly limit: DelegationLimit; readonly path: readonly string[];
}
export type DelegationLimit = 'depth' | 'fan-out' | 'live' | 'queue' | 'total' | 'tokens' | 'bytes' | 'time' | 'cycle' | 'ping-pong' | 'reentry' | 'failures' | 'approval' | 'paused' | 'cancelled' | 'closed';
export interface Remaining {
  readonly depth: number; readonly total: number; readonly tokens: number; readonly bytes: number;
  readonly timeMs: number;
}

// @plimsoll/keep/conversation-window: ConversationWindow ConversationWindowOptions DropReason MessageRole MessageShape SummaryRequest WindowEvents WindowSnapshot WindowStats anyMessage fitTokens
export type DropReason = 'bound' | 'summarised' | 'orphan' | 'shed' | 'clear';
export type MessageRole = 'system' | 'user' | 'assistant' | 'tool';
export interface SummaryRequest<M> {
  readonly previous: string | undefined; readonly messages: readonly M[]; readonly signal: AbortSignal;
}

// @plimsoll/keep/output-bag: OutputBag OutputBagEvents OutputBagOptions OutputBagStats PendingOutput PutOptions

// @plimsoll/keep/event-sink: BatchOptions EventSink EventSinkEvents EventSinkOptions EventSinkStats FullPolicy
export type FullPolicy = 'drop-oldest' | 'drop-newest' | 'sample' | 'block';

// @plimsoll/keep/weak-registry: RegistrySuspect WeakRegistry WeakRegistryEvents WeakRegistryOptions WeakRegistryStats

// @plimsoll/keep/pool: Handle Pool PoolEvents PoolOptions PoolStats

// @plimsoll/keep/parking-lot: FileLot FileLotOptions LotClaim ParkingLot PostgresLot PostgresLotClient PostgresLotOptions RedisLot RedisLotClient RedisLotOptions SharedLot SqliteLot SqliteLotOptions
export interface LotClaim { readonly fence: number; readonly form: Uint8Array | undefined; }
export declare class PostgresLot implements SharedLot {
  constructor(options: PostgresLotOptions);
  get claimMs(): number; get bytes(): number | undefined; get size(): number | undefined;
}
export interface SharedLot extends ParkingLot {
  readonly claimMs: number;
  claim(id: string, holder: string): Promise<LotClaim>;
  renew(claims: ReadonlyMap<string, number>): Promise<ReadonlySet<string>>;
  release(id: string, fence: number): Promise<void>;
}
export interface PostgresLotOptions extends SharedBoundsOptions {
  readonly client: PostgresLotClient; readonly table?: string;
}
export interface PostgresLotClient {
  query?(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[]; }>;
  unsafe?(text: string, values: never[]): PromiseLike<readonly unknown[]>;
}
export declare class RedisLot implements SharedLot {
  constructor(options: RedisLotOptions);
  get claimMs(): number; get bytes(): number | undefined; get size(): number | undefined;
}
export interface RedisLotOptions extends SharedBoundsOptions {
  readonly client: RedisLotClient; readonly prefix?: string;
}
export type RedisLotClient = { callBuffer(command: string, ...args: Argument[]): Promise<unknown>; } | {
  sendCommand(args: Argument[], options?: object): Promise<unknown>;
};
type Argument = string | Buffer;
