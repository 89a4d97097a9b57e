// @plimsoll/adapters/a2a: A2aApprover A2aDecision A2aSink A2aSinkOptions ApprovalHandler ApprovalHandlerOptions ApprovalServer ApprovalServerOptions ApprovalsView approvalHandler
export interface A2aApprover { readonly by: string; readonly groups: readonly string[]; }
export interface A2aDecision extends A2aApprover {
  readonly id: string; readonly digest: string; readonly decision: 'approve' | 'deny'; readonly channel: 'a2a';
  readonly comment: string; readonly key: string;
}
export declare class A2aSink implements AlertSink {
  readonly name: string;
  constructor(rule: RecipientRule, options?: A2aSinkOptions);
  deliver(notice: Notice, signal: AbortSignal): Promise<void>;
}
export interface A2aSinkOptions { readonly env?: Environment; readonly ca?: string; }
export type ApprovalHandler = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void;
export interface ApprovalHandlerOptions {
  readonly approvals: ApprovalsView;
  readonly recorded?: () => Promise<unknown>;
  readonly authenticate: (token: string) => A2aApprover | undefined | Promise<A2aApprover | undefined>;
  readonly service: string; readonly version?: string; readonly url: string; readonly hosts?: readonly string[];
  readonly mostTasks?: number; readonly keepTasksMs?: number;
  readonly lane?: <T>(work: () => Promise<T>) => Promise<T>;
  readonly now?: () => number;
}
export interface ApprovalsView {
  rows(): readonly ApprovalRow[];
  row(id: string): ApprovalRow | undefined;
  decide(decision: A2aDecision): { readonly row: ApprovalRow; };
}
export declare class ApprovalServer implements Disposable {
  readonly url: string;
  static start(options: ApprovalServerOptions): Promise<ApprovalServer>;
  close(): void;
}
export interface ApprovalServerOptions extends Omit<ApprovalHandlerOptions, 'url' | 'hosts'> {
  readonly host?: string; readonly port: number; readonly url?: string;
}
export declare function approvalHandler(options: ApprovalHandlerOptions): Promise<ApprovalHandler>;

// @plimsoll/adapters/ai: MessageWindowOptions callSignal messageWindow plimsoll toolApproval
export interface MessageWindowOptions { readonly maxBytes: number | string; }
export declare function messageWindow(options: MessageWindowOptions): StepWindow;
type StepWindow = <M extends { role: string; }>(step: { readonly messages: readonly M[]; }) => { messages: M[]; };
export declare function plimsoll(): () => void;
export declare function toolApproval(tools: readonly string[]): (call: {
  readonly toolCall: ToolCall;
}) => Promise<ToolApprovalAnswer>;
interface ToolCall { readonly toolName: string; readonly input?: unknown; }
export type ToolApprovalAnswer = undefined | { readonly type: 'approved' | 'denied'; readonly reason?: string; };

// @plimsoll/adapters/http: HttpOptions plimsoll
export interface HttpOptions {
  readonly from?: () => readonly SessionSource[];
  readonly refuses?: () => boolean;
  readonly sendQueueBytes?: () => number | undefined;
}
export declare function plimsoll(options?: HttpOptions): () => void;

// @plimsoll/adapters/mcp: McpOptions plimsoll
export interface McpOptions {
  readonly closesIdle?: () => boolean;
  readonly mostEvents?: () => number | undefined;
  readonly StreamableHTTPServerTransport?: unknown; readonly WebStandardStreamableHTTPServerTransport?: unknown;
  readonly Server?: unknown;
}
export declare function plimsoll(options?: McpOptions): () => void;

// @plimsoll/adapters/langgraph: CheckpointBounds LangGraphOptions answerInterrupts boundedCheckpointer delegationInterrupt plimsoll
export interface CheckpointBounds {
  readonly mostThreads: number; readonly keepLast?: number; readonly mostBytes?: number;
}
export interface LangGraphOptions { readonly checkpoints?: () => CheckpointBounds | undefined; }
export declare function answerInterrupts(state: unknown, options?: {
  readonly signal?: AbortSignal;
}): Promise<Record<string, boolean> | undefined>;
export declare function boundedCheckpointer<S extends object>(saver: S, bounds: CheckpointBounds): S;
export declare function delegationInterrupt(name: string): DelegationInterrupt | undefined;
export interface DelegationInterrupt { readonly plimsoll: 'delegation'; readonly name: string; readonly depth: number; }
export declare function plimsoll(options?: LangGraphOptions): () => void;

// @plimsoll/adapters/openai-agents: BoundedSession BoundedSessionOptions answerInterruptions inputWindow needsApproval plimsoll
export declare class BoundedSession<Item extends object = object> {
  constructor({ maxBytes, maxItems, sessionId }: BoundedSessionOptions);
  get bytes(): number;
  getSessionId(): Promise<string>;
  getItems(limit?: number): Promise<Item[]>;
  addItems(items: readonly Item[]): Promise<void>;
  popItem(): Promise<Item | undefined>;
  clearSession(): Promise<void>;
}
export interface BoundedSessionOptions {
  readonly maxBytes: number | string; readonly maxItems?: number; readonly sessionId?: string;
}
export declare function answerInterruptions<Item extends ApprovalItem, State extends RunState<Item>>({ interruptions, state }: InterruptedRun<Item, State>, options: {
  readonly depth: number; readonly signal?: AbortSignal;
}): Promise<State | undefined>;
interface ApprovalItem { readonly name?: string | undefined; readonly arguments?: string | undefined; }
interface RunState<Item> { approve(item: Item): void; reject(item: Item, options?: Rejection): void; }
interface InterruptedRun<Item, State> { readonly interruptions?: readonly Item[] | undefined; readonly state: State; }
export declare function inputWindow(options: MessageWindowOptions): InputFilter;
type InputFilter = <D extends { input: object[]; }>(call: { modelData: D; }) => D;
export declare function needsApproval(): Promise<boolean>;
export declare function plimsoll(): () => void;

// @plimsoll/adapters/mastra: MastraOptions MessageProcessorOptions messageProcessor onDelegationStart plimsoll
export interface MastraOptions {
  readonly checkpoints?: () => CheckpointBounds | undefined;
  readonly parkedMs?: () => number | undefined;
}
export interface MessageProcessorOptions extends MessageWindowOptions { readonly maxResultBytes?: number | string; }
export declare function messageProcessor({ maxBytes, maxResultBytes }: MessageProcessorOptions): MessageProcessor;
interface MessageProcessor { id: 'plimsoll'; processInputStep: NewestMessages; processToolResult: CutResult; }
export declare function onDelegationStart({ primitiveId, prompt, }: DelegationStart): Promise<DelegationStartAnswer | undefined>;
interface DelegationStart { readonly primitiveId: string; readonly prompt?: string; }
export interface DelegationStartAnswer { readonly proceed: false; readonly rejectionReason: string; }
export declare function plimsoll(options?: MastraOptions): () => void;

// @plimsoll/adapters/otel: OtelOptions plimsoll
export interface OtelOptions { readonly exportsIds?: () => boolean; }
export declare function plimsoll({ exportsIds }?: OtelOptions): () => void;
