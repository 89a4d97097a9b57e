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
  [Symbol.dispose](): void;
}
export interface ApprovalServerOptions extends Omit<ApprovalHandlerOptions, 'url' | 'hosts'> {
  readonly host?: string; readonly port: number; readonly url?: string;
}
export declare function approvalHandler(options: ApprovalHandlerOptions): Promise<ApprovalHandler>;

// @plimsoll/adapters/ai: callSignal plimsoll
export declare function plimsoll(): () => void;

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
  readonly StreamableHTTPServerTransport?: unknown; readonly Server?: unknown;
}
export declare function plimsoll(options?: McpOptions): () => void;

// @plimsoll/adapters/langgraph: CheckpointBounds LangGraphOptions boundedCheckpointer plimsoll
export interface CheckpointBounds {
  readonly mostThreads: number; readonly keepLast?: number; readonly mostBytes?: number;
}
export interface LangGraphOptions { readonly checkpoints?: () => CheckpointBounds | undefined; }
export declare function boundedCheckpointer<S extends object>(saver: S, bounds: CheckpointBounds): S;
export declare function plimsoll(options?: LangGraphOptions): () => void;

// @plimsoll/adapters/openai-agents: plimsoll
export declare function plimsoll(): () => void;

// @plimsoll/adapters/mastra: MastraOptions plimsoll
export interface MastraOptions { readonly parkedMs?: () => number | undefined; }
export declare function plimsoll(options?: MastraOptions): () => void;

// @plimsoll/adapters/otel: plimsoll
export declare function plimsoll(): () => void;
