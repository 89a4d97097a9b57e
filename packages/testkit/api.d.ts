// @plimsoll/testkit: GrowthOptions GrowthReport GuardOptions Ignore LeakError LeakGuard LeakRow LeftBehind PeakOptions ReleaseOptions UnderLimitOptions UnderLimitReport Watch WatchOptions doesNotLeak growthOf isCollected leakGuard releases staysUnder underLimit watch
export interface GrowthOptions {
  readonly per?: string; readonly name?: string; readonly tolerance?: number | string; readonly warmup?: number;
  readonly patience?: number | string;
  readonly settle?: () => unknown;
  readonly ignore?: readonly Ignore[]; readonly dir?: string;
}
export interface Ignore { readonly through: string | RegExp; readonly why: string; }
export interface GrowthReport {
  readonly verdict: 'leak' | 'clean'; readonly by: 'bytes' | 'objects' | 'unexplained bytes'; readonly name: string;
  readonly per: string; readonly calls: number; readonly warmup: number; readonly rounds: readonly number[];
  readonly callsPerRound: number; readonly bytesPerCall: number; readonly externalBytesPerCall: number;
  readonly steps: readonly number[]; readonly leaks: readonly LeakRow[];
  readonly ignored: readonly { readonly code: string; readonly why: string; }[];
  readonly snapshots: readonly string[]; readonly ms: number;
}
export interface LeakRow {
  readonly fingerprint: string; readonly name: string; readonly counts: readonly number[];
  readonly objectsPerCall: number; readonly bytes: number; readonly trace: Growth['trace']; readonly code: string;
  readonly site?: string;
  readonly knownLeak?: { readonly title: string; readonly cure: string; readonly link: string; };
  readonly fix: string;
}
export interface GuardOptions {
  readonly scopes?: boolean; readonly listeners?: boolean; readonly timers?: boolean; readonly handles?: boolean;
  readonly ignore?: readonly Ignore[];
}
export declare class LeakError<Report = unknown> extends PlimsollError {
  readonly report: Report;
  constructor(error: PlimsollError, body: readonly string[], report: Report);
  toString(): string;
}
export declare class LeakGuard {
  constructor(options?: GuardOptions);
  left(): Promise<readonly LeftBehind[]>;
  end(): Promise<void>;
  stop(): void;
}
export interface LeftBehind {
  readonly kind: AttachmentKind | 'scope'; readonly subject: string; readonly count: number;
  readonly site: string | undefined;
}
export interface PeakOptions { readonly every?: number; }
export interface ReleaseOptions { readonly under?: number | string; readonly kept?: number; readonly dir?: string; }
export interface UnderLimitOptions {
  readonly args?: readonly string[]; readonly execArgv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly timeout?: number | string;
}
export interface UnderLimitReport { readonly module: string; readonly limitBytes: number; readonly stdout: string; }
export declare class Watch {
  constructor(options?: WatchOptions);
  get size(): number;
  add<T extends object>(object: T, label?: string): T;
  survivors(): Promise<readonly string[]>;
  collected(): Promise<void>;
}
export interface WatchOptions { readonly dir?: string; }
export declare function doesNotLeak(work: Work, options?: GrowthOptions): Promise<void>;
export type Work = (call: number) => unknown;
export declare function growthOf(work: Work, options?: GrowthOptions): Promise<GrowthReport>;
export declare function isCollected(work: () => unknown, options?: WatchOptions & {
  readonly label?: string;
}): Promise<void>;
export declare function leakGuard(options?: GuardOptions): LeakGuard;
export declare function releases(work: Work, options?: ReleaseOptions): Promise<void>;
export declare function staysUnder(work: () => unknown, limit: number | string, options?: PeakOptions): Promise<void>;
export declare function underLimit(limit: number | string, module: string | URL, options?: UnderLimitOptions): Promise<UnderLimitReport>;
export declare function watch(options?: WatchOptions): Watch;

// @plimsoll/testkit/vitest: leakGuard underLimit watch
export declare function leakGuard(options?: GuardOptions): void;

// @plimsoll/testkit/node: doesNotLeak isCollected leakGuard releases staysUnder underLimit watch
export declare function leakGuard(options?: GuardOptions): void;

// @plimsoll/testkit/jest: doesNotLeak leakGuard underLimit watch
export declare function leakGuard(options?: GuardOptions): void;

// @plimsoll/testkit/mocks: MockOptions agentsModel aiModel chatModel mastraModel mockTool
export interface MockOptions {
  readonly seed?: number;
  readonly text?: string | ((call: number) => string);
  readonly chunks?: number;
  readonly tools?: readonly { readonly name: string; readonly input?: Readonly<Record<string, unknown>>; }[];
  readonly delay?: number | readonly [least: number, most: number];
  readonly failures?: number;
}
export declare function agentsModel(Usage: new () => object, options?: MockOptions): AgentsModel;
export interface AgentsModel {
  getResponse(request: AgentsRequest): Promise<{ usage: object; output: object[]; responseId: string; }>;
  getStreamedResponse(request: AgentsRequest): AsyncIterable<{ type: string; }>;
}
export declare function aiModel(options?: AiModelOptions): AiModel;
export interface AiModelOptions extends MockOptions { readonly version?: 'v2' | 'v3' | 'v4'; }
export interface AiModel {
  readonly specificationVersion: 'v2' | 'v3' | 'v4'; readonly provider: string; readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]>;
  doGenerate(options: AiCall): Promise<AiResult>;
  doStream(options: AiCall): Promise<{ stream: ReadableStream<AiPart>; }>;
}
export declare function chatModel<Model extends object>(parts: LangChain<Model>, options?: MockOptions): Model;
export interface LangChain<Model extends object> {
  readonly BaseChatModel: abstract new (fields: never) => Model;
  readonly AIMessage: new (fields: never) => object;
  readonly AIMessageChunk: new (fields: never) => object;
  readonly ChatGenerationChunk: new (fields: never) => object;
}
export declare function mastraModel(options?: MockOptions): AiModel;
export declare function mockTool(options?: MockToolOptions): (input?: unknown) => Promise<string>;
export interface MockToolOptions extends Pick<MockOptions, 'seed' | 'delay' | 'failures'> { readonly bytes?: number; }
