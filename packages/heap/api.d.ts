// @plimsoll/heap: Analysis AnalyzeOptions CaptureOptions CapturePrediction CaptureResult Diff DiffOptions DominatorRow Growth GuardOptions HeapError HeapErrorCode HeapGraph HeapObject KnownLeak KnownLeakMatcher LeakTrace Paint RedactOptions RedactResult ScopeRow Severity Snapshot SnapshotCost SnapshotOptions Suspect TraceStep analysisText analyze analyzeOpened bytesText captureStream captureToFile classText colours costNow costOf diff diffText heapErrors isAtLeast isHeapError nodeText open openSnapshot plain predictCapture redact renderHtml scopeText traceText
export interface Analysis {
    readonly file: string;
    readonly fileBytes: number;
    readonly nodes: number;
    readonly edges: number;
    readonly heapBytes: number;
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
    readonly scopes?: readonly ScopeRow[];
    readonly severity: Severity;
    readonly showsStrings: boolean;
}
export interface ConstructorRow {
    readonly name: string;
    readonly count: number;
    readonly shallowBytes: number;
    readonly retainedBytes: number;
}
export interface Suspect {
    readonly fingerprint: string;
    readonly name: string;
    readonly kind: Candidate['kind'];
    readonly count: number;
    readonly retainedBytes: number;
    readonly ratio: number;
    readonly severity: Severity;
    readonly summary: string;
    readonly holders: number;
    readonly code: string;
    readonly trace: LeakTrace['steps'];
    readonly otherTraces?: readonly LeakTrace['steps'][];
    readonly endedRatio?: number;
    readonly keys?: string;
    readonly knownLeak?: KnownLeak;
}
export interface Observation {
    readonly kind: 'duplicate-strings' | 'slices' | 'ropes' | 'buffers' | 'listeners';
    readonly bytes: number;
    readonly count: number;
    readonly text: string;
    readonly ids: readonly number[];
}
export interface ScopeRow {
    readonly path: string;
    readonly state: string;
    readonly retainedBytes: number;
    readonly roots: number;
}
export type Severity = 'info' | 'low' | 'medium' | 'high' | 'critical';
export interface AnalyzeOptions extends SnapshotOptions {
    readonly top?: number;
    readonly suspects?: number;
}
export interface SnapshotOptions extends OpenOptions, NamesOptions {
}
export interface CaptureOptions extends GuardOptions {
    readonly numericValues?: boolean;
}
export interface GuardOptions {
    readonly force?: boolean;
    readonly ask?: (prediction: CapturePrediction) => boolean | Promise<boolean>;
    readonly askTimeoutMs?: number;
    readonly maxStopMs?: number;
    readonly reserveBytes?: number;
    readonly memory?: () => FreeMemory;
    readonly analyse?: boolean;
}
export interface CapturePrediction {
    readonly objects: number;
    readonly exact: boolean;
    readonly neededBytes: number;
    readonly peakBytes: number;
    readonly stopMs: number;
    readonly freeBytes: number;
    readonly limitBytes: number;
    readonly binds: FreeMemory['binds'];
    readonly fits: boolean;
}
export interface FreeMemory {
    readonly freeBytes: number;
    readonly limitBytes: number;
    readonly binds: 'cgroup' | 'host';
}
export interface CaptureResult {
    readonly file: string;
    readonly fileBytes: number;
    readonly prediction: CapturePrediction;
    readonly stopMs: number;
    readonly totalMs: number;
}
export interface Diff {
    readonly files: readonly string[];
    readonly sameProcess: boolean;
    readonly heapBytes: readonly number[];
    readonly nodes: readonly number[];
    readonly growth: readonly Growth[];
    readonly constructors: readonly ConstructorChange[];
    readonly appeared?: Turnover;
    readonly vanished?: Turnover;
    readonly ms: number;
    readonly peakRssBytes: number;
    readonly severity: Severity;
}
export interface Growth {
    readonly fingerprint: string;
    readonly name: string;
    readonly counts: readonly number[];
    readonly fresh: number;
    readonly bytes: readonly number[];
    readonly newBytes: number;
    readonly severity: Severity;
    readonly summary: string;
    readonly code: string;
    readonly trace: LeakTrace['steps'];
    readonly knownLeak?: KnownLeak;
}
export interface ConstructorChange {
    readonly name: string;
    readonly counts: readonly number[];
    readonly shallowBytes: readonly number[];
    readonly retainedBytes: readonly number[];
}
export interface Turnover {
    readonly objects: number;
    readonly bytes: number;
}
export interface DiffOptions extends SnapshotOptions {
    readonly limit?: number;
    readonly top?: number;
    readonly onOpen?: (snapshot: Snapshot, index: number) => void;
}
export declare class Snapshot {
    readonly graph: HeapGraph;
    readonly names: Names;
    constructor(graph: HeapGraph, options?: NamesOptions);
    get file(): string;
    get heapBytes(): number;
    constructors(): readonly ConstructorRow[];
    dominators(options?: {
        readonly under?: number;
        readonly limit?: number;
    }): DominatorRow[];
    visibleChildren(top: number): number[];
    pathsTo(id: number, options?: {
        readonly limit?: number;
    }): LeakTrace[];
    tracesTo(nodes: readonly number[]): ReadonlyMap<number, LeakTrace>;
    retainersOf(name: string): {
        readonly instances: number;
        readonly paths: readonly ClassPath[];
    };
    object(id: number): HeapObject;
    scopesMatching(text: string): readonly ScopeRow[];
    traceOf(path: readonly Hop[], about?: Accumulation): LeakTrace;
    find(predicate: (object: HeapObject) => boolean, options?: {
        readonly limit?: number;
    }): HeapObject[];
    scopes(): readonly ScopeRow[];
    suspects(options?: SuspectOptions): Suspect[];
    observations(): Observation[];
    rootsOf(path: string): number[];
    close(): void;
    [Symbol.dispose](): void;
}
export interface DominatorRow extends HeapObject {
    readonly children: number;
}
export interface HeapObject {
    readonly id: number;
    readonly type: string;
    readonly name: string;
    readonly selfBytes: number;
    readonly retainedBytes: number;
}
export declare class HeapError extends Error {
    readonly code: HeapErrorCode;
    readonly where: string;
    readonly fix: string;
    readonly docs: string;
    readonly offset: number | undefined;
    constructor(code: HeapErrorCode, text: ErrorText, options?: {
        cause?: unknown;
        offset?: number | undefined;
    });
    toString(): string;
}
export type HeapErrorCode = keyof typeof catalogue;
export interface ErrorText {
    readonly message: string;
    readonly where: string;
    readonly fix: string;
}
export interface HeapGraph {
    readonly nodeCount: number;
    readonly edgeCount: number;
    readonly file: string | null;
    readonly fileBytes: number;
    readonly meta: SnapshotMeta;
    nodeType(node: number): string;
    nodeName(node: number): string;
    nodeNameIndex(node: number): number;
    nodeId(node: number): number;
    selfBytes(node: number): number;
    detachedness(node: number): number;
    location(node: number): Location | undefined;
    closuresByScript(): ReadonlyMap<number, readonly number[]>;
    firstEdge(node: number): number;
    lastEdge(node: number): number;
    edgeTo(edge: number): number;
    edgeType(edge: number): string;
    edgeName(edge: number): string | number;
    forEachEdge(node: number, visit: (edge: number, to: number) => void): void;
    retainers(node: number): readonly Retainer[];
    retainersOfFew(nodes: Iterable<number>): readonly (Retainer & {
        to: number;
    })[];
    pinnedTexts(): PinnedTexts;
    survey(): Survey;
    isVisible(node: number): boolean;
    classKey(node: number): number | undefined;
    groupsBelow(node: number): readonly Group[];
    groupsDominated(node: number): readonly Group[];
    heavyNodes(leastBytes: number): Uint32Array;
    paths(targets: Iterable<number>, without?: Iterable<number>): Map<number, Hop[]>;
    allPaths(): PathForest;
    isEssentialEdge(from: number, edge: number): boolean;
    string(index: number): string;
    eachString(bits: Uint8Array, visit: (text: string) => void): void;
    dominators(): Dominators;
    constructors(nameOf?: (name: string) => string): readonly ConstructorRow[];
    close(): void;
}
export interface SnapshotMeta {
    readonly format: string;
    readonly extraNativeBytes: number;
    readonly rootNode: number;
    readonly nodeTypes: readonly string[];
    readonly edgeTypes: readonly string[];
    readonly stringCount: number;
    readonly locationCount: number;
}
export interface Location {
    readonly scriptId: number;
    readonly line: number;
    readonly column: number;
}
export interface Retainer {
    readonly from: number;
    readonly edge: number;
}
export interface PinnedTexts {
    readonly slices: number;
    readonly parents: Uint32Array;
}
export interface Survey {
    readonly roles: Uint8Array;
    readonly wide: readonly number[];
    readonly functionLists: readonly number[];
    readonly big: readonly number[];
    readonly scopeMarkers: readonly number[];
    readonly repeated: readonly Repeated[];
    readonly ropes: {
        readonly count: number;
        readonly bytes: number;
    };
    readonly inCode: Uint8Array;
}
export interface Group {
    readonly members: Uint32Array;
    readonly bytes: number;
}
export interface Hop {
    readonly from: number;
    readonly edge: number;
    readonly to: number;
}
export interface PathForest {
    readonly order: Uint32Array;
    parentOf(node: number): number;
    edgeTo(node: number): number;
    pathTo(node: number): Hop[];
}
export interface Dominators {
    idom(node: number): number;
    retainedBytes(node: number): number;
    depth(node: number): number;
    children(node: number): readonly number[];
    heaviestChild(node: number, above: number, accept?: (child: number) => boolean): number;
    readonly unreachable: number;
}
export interface KnownLeak {
    readonly id: string;
    readonly framework: string;
    readonly versions: string;
    readonly title: string;
    readonly cure: string;
    readonly link: string;
}
export interface KnownLeakMatcher extends KnownLeak {
    readonly path: readonly string[];
}
export interface LeakTrace {
    readonly steps: readonly TraceStep[];
    readonly fingerprint: string;
    readonly code: string;
    readonly pattern: readonly PatternStep[];
}
export interface TraceStep {
    readonly type: 'root' | 'object' | 'function' | 'string' | 'native';
    readonly name: string;
    readonly via: string;
    readonly id: number;
    readonly retainedBytes: number;
    readonly leaking: Leaking;
    readonly why: string;
    readonly suspect: boolean;
    readonly times?: number;
    readonly entries?: number;
    readonly at?: string;
    readonly scope?: string;
}
export interface PatternStep {
    readonly via: string;
    readonly name: string;
    readonly script?: string;
}
export interface Paint {
    bold(text: string): string;
    dim(text: string): string;
    red(text: string): string;
    yellow(text: string): string;
    green(text: string): string;
}
export interface RedactOptions {
    readonly keepNames?: Iterable<string>;
    readonly onProgress?: (done: number, total: number) => void;
    readonly signal?: AbortSignal;
}
export interface RedactResult {
    readonly input: string;
    readonly output: string;
    readonly inputBytes: number;
    readonly outputBytes: number;
    readonly keptStrings: number;
    readonly replacedStrings: number;
}
export interface SnapshotCost {
    readonly objects: number;
    readonly neededBytes: number;
    readonly stopMs: number;
}
export declare function analysisText(analysis: Analysis, options?: TextOptions): string;
export interface TextOptions {
    readonly paint?: Paint;
    readonly traces?: number;
}
export declare function analyze(source: string | AsyncIterable<Uint8Array> | Readable, options?: AnalyzeOptions): Promise<Analysis>;
export declare function analyzeOpened(snapshot: Snapshot, readMs: number, options?: AnalyzeOptions): Analysis;
export declare function bytesText(bytes: number): string;
export declare function captureStream(options?: CaptureOptions): Promise<Readable>;
export declare function captureToFile(file: string, options?: CaptureOptions): Promise<CaptureResult>;
export declare function classText(name: string, found: {
    readonly instances: number;
    readonly paths: readonly ClassPath[];
}, paint?: Paint): string;
export interface ClassPath {
    readonly instances: number;
    readonly trace: LeakTrace;
}
export declare const colours: Paint;
export declare function costNow(spaces?: readonly SpaceUse[]): SnapshotCost;
export type SpaceUse = Pick<v8.HeapSpaceInfo, 'space_name' | 'space_used_size'>;
export declare function costOf({ objects, indices, extraObjectBytes, slowness }: CostInput): SnapshotCost;
export interface CostInput {
    readonly objects: number;
    readonly indices: number;
    readonly extraObjectBytes?: number;
    readonly slowness?: number;
}
export declare function diff(sources: readonly string[], options?: DiffOptions): Promise<Diff>;
export declare function diffText(diff: Diff, options?: {
    readonly paint?: Paint;
    readonly traces?: number;
}): string;
export declare const catalogue: {
    PLM_HEAP_NO_NODE: ErrorEntry<{
        file: string;
        id: number;
    }>;
    PLM_HEAP_NO_CLASS: ErrorEntry<{
        file: string;
        name: string;
        near: string[];
    }>;
    PLM_HEAP_NO_SCOPE: ErrorEntry<{
        file: string;
        scope: string;
        known: number;
    }>;
    PLM_HEAP_DIFF_COUNT: ErrorEntry<{
        count: number;
    }>;
    PLM_HEAP_REDACT_TARGET: ErrorEntry<{
        file: string;
        reason: string;
    }>;
    PLM_HEAP_REDACT_SOURCE: ErrorEntry<{
        file: string;
        reason: string;
    }>;
    PLM_HEAP_CAPTURE_REFUSED: ErrorEntry<{
        objects: string;
        needed: string;
        free: string;
        limit: string;
        stop: string;
        binds: string;
    }>;
    PLM_HEAP_CAPTURE_PAUSE: ErrorEntry<{
        objects: string;
        stop: string;
        allowed: string;
    }>;
    PLM_HEAP_CAPTURE_DENIED: ErrorEntry<{
        reason: string;
    }>;
    PLM_HEAP_NOT_FOUND: ErrorEntry<{
        file: string;
        reason: string;
    }>;
    PLM_HEAP_NOT_A_FILE: ErrorEntry<{
        file: string;
        kind: string;
    }>;
    PLM_HEAP_EMPTY: ErrorEntry<{
        file: string;
        offset: number;
    }>;
    PLM_HEAP_NOT_A_SNAPSHOT: ErrorEntry<{
        file: string;
        offset: number;
        found: string;
    }>;
    PLM_HEAP_HEADER: ErrorEntry<{
        file: string;
        offset: number;
        problem: string;
    }>;
    PLM_HEAP_TRUNCATED: ErrorEntry<{
        file: string;
        offset: number;
        section: string;
        detail: string;
    }>;
    PLM_HEAP_SYNTAX: ErrorEntry<{
        file: string;
        offset: number;
        found: string;
        expected: string;
    }>;
    PLM_HEAP_COUNT: ErrorEntry<{
        file: string;
        offset: number;
        what: string;
        found: number;
        expected: number;
    }>;
    PLM_HEAP_INDEX: ErrorEntry<{
        file: string;
        offset: number;
        what: string;
        value: number;
        limit: number;
    }>;
    PLM_HEAP_RANGE: ErrorEntry<{
        file: string;
        offset: number;
        what: string;
        limit: number;
    }>;
    PLM_HEAP_SECTION: ErrorEntry<{
        file: string;
        offset: number;
        section: string;
        problem: string;
    }>;
    PLM_HEAP_COMPRESSED: ErrorEntry<{
        file: string;
        offset: number;
        reason: string;
    }>;
    PLM_HEAP_READ: ErrorEntry<{
        file: string;
        offset: number;
        reason: string;
    }>;
    PLM_HEAP_TOO_LARGE: ErrorEntry<{
        file: string;
        offset: number;
        what: string;
        count: number;
        limit: number;
    }>;
    PLM_HEAP_MEMORY: ErrorEntry<{
        file: string;
        offset: number;
        bytes: number;
    }>;
    PLM_HEAP_ABORTED: ErrorEntry<{
        file: string;
        offset: number;
    }>;
    PLM_HEAP_CLOSED: ErrorEntry<{
        file: string;
    }>;
};
export interface ErrorEntry<Details> {
    readonly help: string;
    readonly text: (details: Details) => ErrorText;
    readonly example: Details;
}
export declare function isAtLeast(severity: Severity, bar: Severity): boolean;
export declare function isHeapError(value: unknown): value is HeapError;
export declare function nodeText(object: HeapObject, paths: readonly LeakTrace[], paint?: Paint): string;
export declare function open(source: string | AsyncIterable<Uint8Array> | Readable, options?: SnapshotOptions): Promise<Snapshot>;
export declare function openSnapshot(source: string | AsyncIterable<Uint8Array> | Readable, options?: OpenOptions): Promise<HeapGraph>;
export interface OpenOptions {
    readonly kernel?: 'auto' | 'wasm' | 'typescript';
    readonly onProgress?: (progress: {
        phase: string;
        ratio: number;
    }) => void;
    readonly signal?: AbortSignal;
}
export declare const plain: Paint;
export declare function predictCapture(options?: GuardOptions): Promise<CapturePrediction>;
export declare function redact(input: string, output: string, options?: RedactOptions): Promise<RedactResult>;
export declare function renderHtml(snapshot: Snapshot, analysis: Analysis): string;
export declare function scopeText(scopes: readonly ScopeRow[], holds: readonly DominatorRow[]): string;
export declare function traceText(steps: readonly TraceStep[], paint?: Paint): string;

// @plimsoll/heap/browser: HeapError Snapshot SnapshotOptions Suspect TraceStep TreemapNode isHeapError open treemapTree
export interface TreemapNode {
    readonly n: string;
    readonly b: number;
    readonly i?: number;
    readonly c?: readonly TreemapNode[];
}
export declare function treemapTree(snapshot: Snapshot): TreemapNode;

// @plimsoll/heap/capture-cost: CostInput SnapshotCost SpaceUse costMargin costNow costOf heapShape smallestMeanBytes stopMsOf
export declare const costMargin = 1.25;
export declare function heapShape(spaces: readonly SpaceUse[]): {
    readonly smallBytes: number;
    readonly indices: number;
};
export declare const smallestMeanBytes = 36;
export declare function stopMsOf(bytes: number): number;
