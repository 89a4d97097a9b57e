// @plimsoll/pipeline: ContextSnapshot GcController MemoryTracker Pipeline Session StageMemory TrackOptions Tracked autoSummarizing forget holdFor memoryBounded openSession pipeline track tracked
export declare class ContextSnapshot<Values extends object = Readonly<Record<string, unknown>>> {
  readonly bytes: number; readonly values: Readonly<Values>;
  static of<Values extends object>(values: {
    readonly [K in keyof Values]: { readonly value: Values[K]; readonly bytes: number; };
  }): ContextSnapshot<Values>;
  get keys(): readonly string[];
  bytesOf(key: string): number;
  with<Key extends string, Value>(key: Key, value: Value, bytes: number): ContextSnapshot<Omit<Values, Key> & Record<Key, Value>>;
}
export declare class GcController {
  constructor(options?: GcControllerOptions);
  between(): ForcedCollection | undefined;
  collect(): ForcedCollection | undefined;
  stats(): GcControllerStats;
}
export interface GcControllerOptions {
  readonly threshold?: number; readonly every?: number | string; readonly maxTimeRatio?: number;
  readonly heap?: () => { readonly used: number; readonly limit: number; };
  readonly collect?: CollectGarbage;
  readonly now?: () => number;
}
export interface ForcedCollection {
  readonly pauseMs: number; readonly freedBytes: number; readonly freedRatio: number;
}
export interface GcControllerStats {
  readonly collections: number; readonly pauseMs: number; readonly freedBytes: number; readonly freedRatio: number;
  readonly timeRatio: number; readonly stopped: string | null;
}
export declare class MemoryTracker implements Disposable {
  constructor(options?: MemoryTrackerOptions);
  get peak(): number; get growth(): number; get kept(): number; get listeners(): number; get timers(): number;
  run<T>(work: () => T): T;
  finish(): this;
  rows(): readonly StageRow[];
  calls(): readonly StageMemory[];
  table(): string;
  toJSON(): {
    readonly startedAt: number; readonly peak: number; readonly growth: number; readonly kept: number;
    readonly listeners: number; readonly timers: number; readonly stages: readonly StageRow[];
    readonly calls: readonly StageMemory[];
  };
}
export interface MemoryTrackerOptions {
  readonly attachments?: boolean; readonly maxCalls?: number; readonly collect?: boolean;
}
export interface StageMemory {
  readonly stage: string; readonly path: string; readonly run: number; readonly startedAt: number;
  readonly durationMs: number; readonly ok: boolean; readonly before: number; readonly after: number;
  readonly peak: number; readonly returned: number; readonly kept: number; readonly isExact: boolean;
  readonly external: number; readonly charged: number; readonly listeners: number | null;
  readonly timers: number | null; readonly collections: StageCollections;
  readonly process: {
    readonly heapUsed: number; readonly external: number; readonly arrayBuffers: number; readonly isAlone: boolean;
  };
  readonly allocated: Allocated | null;
}
export declare class Pipeline<Input, Outputs extends object, Last> {
  constructor(settings: PipelineSettings);
  get name(): string; get stages(): readonly string[];
  stage<Name extends string, T, After extends keyof Outputs & string = never>(name: Name, options: StageOptions<Input, Outputs, After, T>): Pipeline<Input, Outputs & Record<Name, T>, T>;
  run(input: Input, options?: RunOptions): Promise<PipelineResult<Outputs, Last>>;
}
export interface PipelineSettings {
  readonly name: string; readonly maxBytes: number; readonly concurrency: number; readonly events: number;
  readonly unreadAfter: number;
}
export interface StageOptions<Input, Outputs extends object, After extends keyof Outputs & string, T> {
  readonly after?: readonly After[];
  readonly run: (context: StageContext<Input, Pick<Outputs, After>>) => T | Promise<T>;
  readonly timeout?: number | string; readonly retries?: number; readonly backoff?: number | string;
  readonly budget?: number | string;
}
export interface RunOptions {
  readonly signal?: AbortSignal; readonly parent?: Scope; readonly tracker?: MemoryTracker;
}
export interface PipelineResult<Outputs extends object, Last> {
  readonly value: Last; readonly outputs: Readonly<Partial<Outputs>>; readonly stages: readonly StageMemory[];
  readonly events: readonly unknown[]; readonly dropped: number; readonly durationMs: number;
  readonly peakBytes: number;
}
export declare class Session<M extends object> implements AsyncDisposable {
  readonly scope: Scope; readonly window: ConversationWindow<M>;
  constructor(subject: string, { preset, ...options }: SessionOptions<M>);
  get turns(): number; get bytes(): number;
  turn(message: M, reply: (messages: readonly M[], signal: AbortSignal) => M | Promise<M>): Promise<M>;
  close(): Promise<ForgetReport | null>;
}
export interface SessionOptions<M> extends Partial<ConversationWindowOptions<M>> {
  readonly preset?: keyof typeof presets;
}
export interface ForgetReport {
  readonly cleared: readonly { readonly label: string; readonly entries: number; readonly error?: string; }[];
  readonly proof: { readonly searched: number; readonly found: number; readonly snapshotBytes: number; } | null;
}
export interface TrackOptions {
  readonly root?: object; readonly budget?: number | string; readonly kind?: string; readonly parent?: Scope;
  readonly signal?: AbortSignal; readonly exact?: boolean; readonly attachments?: boolean; readonly allocated?: boolean;
}
export interface Tracked<T> { readonly value: T; readonly memory: StageMemory; }
export declare function autoSummarizing<M extends object>({ reply, ...options }: AutoSummarizingOptions<M>): ConversationStage<M>;
export interface AutoSummarizingOptions<M> extends ConversationWindowOptions<M> {
  readonly reply: (messages: readonly M[], signal: AbortSignal) => M | Promise<M>;
}
export interface ConversationStage<M extends object> extends Disposable {
  (message: M, signal?: AbortSignal): Promise<ConversationTurn<M>>;
  readonly window: ConversationWindow<M>;
}
export declare function forget(subject: string, options?: ForgetOptions): Promise<ForgetReport>;
export interface ForgetOptions { readonly prove?: boolean; }
export declare function holdFor(subject: string, holder: SubjectHolder): () => void;
export interface SubjectHolder {
  readonly label: string;
  forget(): number | Promise<number>;
  samples?(): Iterable<string>;
}
export declare function memoryBounded<Args extends unknown[], T>(stage: (...args: Args) => T | Promise<T>, options: MemoryBoundedOptions<Args>): (...args: Args) => Promise<Bounded<T>>;
export interface MemoryBoundedOptions<Args extends unknown[]> {
  readonly limit: number | string; readonly at: 'collect' | 'spill' | 'fail'; readonly name?: string;
  readonly root?: (...args: Args) => object | undefined;
  readonly spill?: (overBytes: number, ...args: Args) => number | Promise<number>;
  readonly gc?: GcController;
}
export interface Bounded<T> {
  readonly value: T; readonly memory: StageMemory;
  readonly action: {
    readonly at: 'collect' | 'spill' | 'fail'; readonly bytes: number; readonly freed: number;
  } | null;
}
export declare function openSession<M extends object>(subject: string, options?: SessionOptions<M>): Session<M>;
export declare function pipeline<Input = void>(name: string, options?: PipelineOptions): Pipeline<Input, object, undefined>;
export interface PipelineOptions {
  readonly maxBytes?: number | string; readonly concurrency?: number; readonly events?: number;
  readonly unreadAfter?: number;
}
export declare function track<T>(stage: string, work: (scope: Scope) => T | Promise<T>, options?: TrackOptions): Promise<Tracked<T>>;
export declare function tracked<This, Args extends unknown[], T>(stage: string, work: AnyFunction<This, Args, T>, options?: TrackedOptions): TrackedFunction<This, Args, T>;
export declare function tracked<This, Args extends unknown[], T>(method: AnyFunction<This, Args, T>, context: ClassMethodDecoratorContext): TrackedFunction<This, Args, T>;
export declare function tracked(options: TrackedOptions): Decorator;
type AnyFunction<This, Args extends unknown[], T> = (this: This, ...args: Args) => T | Promise<T>;
export interface TrackedOptions extends Omit<TrackOptions, 'root'> {
  readonly root?: (...args: never[]) => object | undefined;
  readonly onMemory?: (memory: StageMemory) => void;
}
type TrackedFunction<This, Args extends unknown[], T> = (this: This, ...args: Args) => Promise<T>;
type Decorator = <This, Args extends unknown[], T>(method: AnyFunction<This, Args, T>, context: ClassMethodDecoratorContext) => TrackedFunction<This, Args, T>;

// @plimsoll/pipeline/agent-loop: AgentCycle AgentCycleOptions AgentHooks FileHandleGuard MessageSizeValidator StaleRequestPurger agentCycle
export interface AgentCycle<Result> {
  readonly results: readonly Result[]; readonly refusedMessages: number; readonly refusedTasks: number;
  readonly refusedResults: number; readonly failed: readonly unknown[]; readonly memory: readonly StageMemory[];
}
export interface AgentCycleOptions {
  readonly maxMessages?: number; readonly maxTasks?: number; readonly size?: MessageSizeValidator;
  readonly signal?: AbortSignal;
}
export declare class MessageSizeValidator {
  constructor(options: MessageSizeOptions);
  get accepted(): number; get refused(): number;
  check(message: unknown): number;
  fits(message: unknown): boolean;
}
export interface AgentHooks<Message, Task, Result> {
  inbox(scope: Scope): readonly Message[] | Promise<readonly Message[]>;
  tasks(messages: readonly Message[], scope: Scope): readonly Task[] | Promise<readonly Task[]>;
  execute(task: Task, scope: Scope): Result | Promise<Result>;
  gates?(result: Result, scope: Scope): boolean | Promise<boolean>;
  done?(results: readonly Result[], scope: Scope): void | Promise<void>;
}
export declare class FileHandleGuard {
  constructor(options: FileHandleGuardOptions);
  get open(): number; get refused(): number;
  take(openFile: () => Promise<FileHandle>): Promise<FileHandle>;
}
export interface FileHandleGuardOptions { readonly max: number; readonly scope?: Scope; }
export declare class StaleRequestPurger implements Disposable {
  constructor(options: StaleRequestsOptions);
  get size(): number; get purged(): number;
  begin(id: string): AbortSignal;
  touch(id: string): void;
  end(id: string): boolean;
  purge(): number;
}
export interface StaleRequestsOptions {
  readonly after: number | string; readonly max?: number;
  readonly onStale?: (id: string, ageMs: number) => void;
  readonly now?: () => number;
}
export declare function agentCycle<Message, Task, Result>(agent: string, hooks: AgentHooks<Message, Task, Result>, options?: AgentCycleOptions): Promise<AgentCycle<Result>>;
