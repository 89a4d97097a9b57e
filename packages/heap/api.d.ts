// @plimsoll/heap: Analysis AnalyzeOptions Diff DiffOptions DominatorRow Growth HeapError HeapObject KnownLeak LeakTrace RedactOptions RedactResult RetainedScope Severity Snapshot SnapshotOptions Suspect TraceStep analyze diff isAtLeast isHeapError open redact
export interface Analysis {
  readonly file: string; readonly fileBytes: number; readonly nodes: number; readonly edges: number;
  readonly heapBytes: number;
  readonly ms: {
    readonly read: number; readonly graph: number; readonly dominators: number; readonly suspects: number;
    readonly total: number;
  };
  readonly peakRssBytes: number; readonly constructors: readonly ConstructorRow[];
  readonly suspects: readonly Suspect[]; readonly observations: readonly Observation[];
  readonly scopes?: readonly RetainedScope[]; readonly severity: Severity; readonly showsStrings: boolean;
}
export interface ConstructorRow {
  readonly name: string; readonly count: number; readonly shallowBytes: number; readonly retainedBytes: number;
}
export interface Suspect {
  readonly fingerprint: string; readonly name: string; readonly kind: Candidate['kind']; readonly count: number;
  readonly retainedBytes: number; readonly ratio: number; readonly severity: Severity; readonly summary: string;
  readonly holders: number; readonly code: string; readonly trace: LeakTrace['steps'];
  readonly otherTraces?: readonly LeakTrace['steps'][]; readonly endedRatio?: number; readonly keys?: string;
  readonly knownLeak?: KnownLeak; readonly bound?: CacheBound;
}
export interface Observation {
  readonly kind: 'duplicate-strings' | 'slices' | 'ropes' | 'buffers' | 'listeners';
  readonly bytes: number; readonly count: number; readonly text: string; readonly ids: readonly number[];
}
export interface RetainedScope {
  readonly path: string; readonly state: string; readonly retainedBytes: number; readonly roots: number;
}
export type Severity = 'info' | 'low' | 'medium' | 'high' | 'critical';
export interface AnalyzeOptions extends SnapshotOptions { readonly top?: number; readonly suspects?: number; }
export interface SnapshotOptions extends SnapshotReadOptions, NamesOptions { readonly scripts?: ScriptLookup; }
export interface Diff {
  readonly files: readonly string[]; readonly sameProcess: boolean; readonly heapBytes: readonly number[];
  readonly nodes: readonly number[]; readonly growth: readonly Growth[]; readonly swollen: readonly Growth[];
  readonly constructors: readonly ConstructorChange[]; readonly appeared?: Turnover; readonly vanished?: Turnover;
  readonly ms: number; readonly peakRssBytes: number; readonly severity: Severity;
}
export interface Growth {
  readonly fingerprint: string; readonly name: string; readonly counts: readonly number[]; readonly fresh: number;
  readonly bytes: readonly number[]; readonly keptBytes: number; readonly newBytes: number; readonly holders: number;
  readonly severity: Severity; readonly summary: string; readonly code: string; readonly trace: LeakTrace['steps'];
  readonly knownLeak?: KnownLeak; readonly bound?: CacheBound;
}
interface ConstructorChange {
  readonly name: string; readonly counts: readonly number[]; readonly shallowBytes: readonly number[];
  readonly retainedBytes: readonly number[];
}
export interface Turnover { readonly objects: number; readonly bytes: number; }
export interface DiffOptions extends SnapshotOptions {
  readonly limit?: number; readonly top?: number; readonly leastBytes?: number; readonly leastObjects?: number;
  readonly onOpen?: (snapshot: Snapshot, index: number) => void;
}
export declare class Snapshot {
  readonly graph: HeapGraph; readonly names: Names;
  constructor(graph: HeapGraph, options?: Pick<SnapshotOptions, keyof NamesOptions | 'scripts'>);
  get file(): string; get heapBytes(): number;
  constructors(): readonly ConstructorRow[];
  dominators(options?: { readonly under?: number; readonly limit?: number; }): DominatorRow[];
  visibleChildren(top: number): number[];
  pathsTo(id: number, options?: { readonly limit?: number; }): LeakTrace[];
  tracesTo(nodes: readonly number[]): ReadonlyMap<number, LeakTrace>;
  retainersOf(name: string): { readonly instances: number; readonly paths: readonly ClassPath[]; };
  object(id: number): HeapObject;
  scopesMatching(text: string): readonly RetainedScope[];
  traceOf(path: readonly Hop[], about?: Accumulation): LeakTrace;
  find(predicate: (object: HeapObject) => boolean, options?: { readonly limit?: number; }): HeapObject[];
  scopes(): readonly RetainedScope[];
  suspects(options?: SuspectOptions): Suspect[];
  observations(): Observation[];
  rootsOf(path: string): number[];
  close(): void;
  [Symbol.dispose](): void;
}
export interface DominatorRow extends HeapObject { readonly children: number; }
export interface HeapObject {
  readonly id: number; readonly type: string; readonly name: string; readonly selfBytes: number;
  readonly retainedBytes: number;
}
export declare class HeapError extends Error {
  readonly code: HeapErrorCode; readonly where: string; readonly fix: string; readonly docs: string;
  readonly offset: number | undefined;
  constructor(code: HeapErrorCode, text: HeapErrorText, options?: { cause?: unknown; offset?: number | undefined; });
  toString(): string;
}
export type HeapErrorCode = keyof typeof catalogue;
export interface HeapErrorText { readonly message: string; readonly where: string; readonly fix: string; }
export interface KnownLeak {
  readonly id: string; readonly framework: string; readonly versions: string; readonly title: string;
  readonly cure: string; readonly link: string;
}
export interface LeakTrace {
  readonly steps: readonly TraceStep[]; readonly fingerprint: string; readonly code: string;
  readonly pattern: readonly PatternStep[];
}
export interface TraceStep {
  readonly type: 'root' | 'object' | 'function' | 'string' | 'native'; readonly name: string; readonly via: string;
  readonly id: number; readonly retainedBytes: number; readonly leaking: Leaking; readonly why: string;
  readonly suspect: boolean; readonly times?: number; readonly entries?: number; readonly at?: string;
  readonly scope?: string;
}
export interface PatternStep {
  readonly via: string; readonly name: string; readonly script?: string; readonly times?: number;
}
export interface RedactOptions {
  readonly keepNames?: Iterable<string>;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}
export interface RedactResult {
  readonly input: string; readonly output: string; readonly inputBytes: number; readonly outputBytes: number;
  readonly keptStrings: number; readonly replacedStrings: number;
}
export declare function analyze(source: string | AsyncIterable<Uint8Array> | Readable, options?: AnalyzeOptions): Promise<Analysis>;
export declare function diff(sources: readonly string[], options?: DiffOptions): Promise<Diff>;
export declare function isAtLeast(severity: Severity, bar: Severity): boolean;
export declare function isHeapError(value: unknown): value is HeapError;
export declare function open(source: string | AsyncIterable<Uint8Array> | Readable, options?: SnapshotOptions): Promise<Snapshot>;
export declare function redact(input: string, output: string, options?: RedactOptions): Promise<RedactResult>;

// @plimsoll/heap/browser: HeapError Snapshot SnapshotOptions Suspect TraceStep TreemapNode isHeapError open treemapTree
export interface TreemapNode {
  readonly n: string; readonly b: number; readonly i?: number; readonly c?: readonly TreemapNode[];
}
export declare function treemapTree(snapshot: Snapshot): TreemapNode;

// @plimsoll/heap/capture: CaptureGuardOptions CaptureOptions CapturePrediction CaptureResult captureStream captureToFile predictCapture
export interface CaptureGuardOptions {
  readonly force?: boolean;
  readonly ask?: (prediction: CapturePrediction) => boolean | Promise<boolean>;
  readonly askTimeoutMs?: number; readonly maxStopMs?: number; readonly reserveBytes?: number;
  readonly memory?: () => FreeMemory;
  readonly analyse?: boolean;
}
export interface CapturePrediction {
  readonly objects: number; readonly exact: boolean; readonly neededBytes: number; readonly peakBytes: number;
  readonly stopMs: number; readonly freeBytes: number; readonly limitBytes: number; readonly binds: FreeMemory['binds'];
  readonly fits: boolean;
}
export interface FreeMemory {
  readonly freeBytes: number; readonly limitBytes: number; readonly binds: 'cgroup' | 'host';
}
export interface CaptureOptions extends CaptureGuardOptions { readonly numericValues?: boolean; }
export interface CaptureResult {
  readonly file: string; readonly fileBytes: number; readonly prediction: CapturePrediction; readonly stopMs: number;
  readonly totalMs: number;
}
export declare function captureStream(options?: CaptureOptions): Promise<Readable>;
export declare function captureToFile(file: string, options?: CaptureOptions): Promise<CaptureResult>;
export declare function predictCapture(options?: CaptureGuardOptions): Promise<CapturePrediction>;

// @plimsoll/heap/capture-cost: SnapshotCost costMargin costNow costOf heapShape smallestMeanBytes stopMsOf
export interface SnapshotCost { readonly objects: number; readonly neededBytes: number; readonly stopMs: number; }
export declare const costMargin = 1.25;
export declare function costNow(spaces?: readonly SpaceUse[]): SnapshotCost;
type SpaceUse = Pick<v8.HeapSpaceInfo, 'space_name' | 'space_used_size'>;
export declare function costOf({ objects, indices, extraObjectBytes, slowness }: CostInput): SnapshotCost;
interface CostInput {
  readonly objects: number; readonly indices: number; readonly extraObjectBytes?: number; readonly slowness?: number;
}
export declare function heapShape(spaces: readonly SpaceUse[]): {
  readonly smallBytes: number; readonly indices: number;
};
export declare const smallestMeanBytes = 36;
export declare function stopMsOf(bytes: number): number;

// @plimsoll/heap/report: Paint analysisText classText colours diffText nodeText plain renderHtml scopeText traceText
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  green(text: string): string;
}
export declare function analysisText(analysis: Analysis, options?: TextOptions): string;
interface TextOptions { readonly paint?: Paint; readonly traces?: number; }
export declare function classText(name: string, found: {
  readonly instances: number; readonly paths: readonly ClassPath[];
}, paint?: Paint): string;
export interface ClassPath { readonly instances: number; readonly trace: LeakTrace; }
export declare const colours: Paint;
export declare function diffText(diff: Diff, options?: { readonly paint?: Paint; readonly traces?: number; }): string;
export declare function nodeText(object: HeapObject, paths: readonly LeakTrace[], paint?: Paint): string;
export declare const plain: Paint;
export declare function renderHtml(snapshot: Snapshot, analysis: Analysis): string;
export declare function scopeText(scopes: readonly RetainedScope[], holds: readonly DominatorRow[]): string;
export declare function traceText(steps: readonly TraceStep[], paint?: Paint): string;
