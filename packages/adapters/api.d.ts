// entry @plimsoll/adapters/a2a
// dist/a2a/index.d.ts
export type { A2aSinkOptions } from './a2a-sink.ts';
export { A2aSink } from './a2a-sink.ts';
export type { ApprovalHandler, ApprovalHandlerOptions } from './approval-handler.ts';
export { approvalHandler } from './approval-handler.ts';
export type { ApprovalServerOptions } from './approval-server.ts';
export { ApprovalServer } from './approval-server.ts';
export type { A2aApprover, A2aDecision, ApprovalsView } from './approval-view.ts';

// dist/a2a/a2a-sink.d.ts
import type { AlertSink } from '@plimsoll/govern/internal/alert/sinks/sink';
import type { Notice } from '@plimsoll/govern/internal/alert/alert';
import type { RecipientRule } from '@plimsoll/govern/internal/policy/sections/alert-rules';
type Environment = Readonly<Record<string, string | undefined>>;
export interface A2aSinkOptions {
    readonly env?: Environment;
    /** Trusted certificates beside those of Node.js. */
    readonly ca?: string;
}
/**
 * Tells another agent, as an A2A client: one message per notice, with a text part for people and language models and a data part that is
 * the CloudEvent. The agent's work on it is not awaited.
 */
export declare class A2aSink implements AlertSink {
    #private;
    readonly name: string;
    constructor(rule: RecipientRule, options?: A2aSinkOptions);
    deliver(notice: Notice, signal: AbortSignal): Promise<void>;
}
export {};

// dist/a2a/approval-handler.d.ts
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { A2aApprover, ApprovalsView } from './approval-view.ts';
export interface ApprovalHandlerOptions {
    readonly approvals: ApprovalsView;
    /** Who a token belongs to; undefined for nobody. Compares in constant time. */
    readonly authenticate: (token: string) => A2aApprover | undefined | Promise<A2aApprover | undefined>;
    /** Name of the program, for the agent card. */
    readonly service: string;
    readonly version?: string;
    /** The address other agents reach it by. */
    readonly url: string;
    /** Host names it answers to; any by default. */
    readonly hosts?: readonly string[];
    /** Most tasks kept, 256 by default, and for how long after their last change, one hour by default. */
    readonly mostTasks?: number;
    readonly keepTasksMs?: number;
    /** Runs each request; for a lane of the program's own that is never refused. */
    readonly lane?: <T>(work: () => Promise<T>) => Promise<T>;
    readonly now?: () => number;
}
/** Handles a request of Node's http server; also a middleware of Express, whose `next` gets what is not ours. */
export type ApprovalHandler = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void;
/** The A2A server for approvals as a request handler. Rejects with PLM_A2A_SDK_MISSING when the SDK is not installed. */
export declare function approvalHandler(options: ApprovalHandlerOptions): Promise<ApprovalHandler>;

// dist/a2a/approval-view.d.ts
import type { ApprovalRow } from '@plimsoll/govern/internal/approvals/approval-row';
/** Who decides, after the token was checked. */
export interface A2aApprover {
    /** `agent:NAME` or `user:NAME`. */
    readonly by: string;
    readonly groups: readonly string[];
}
/** A decision as it comes in over A2A. */
export interface A2aDecision extends A2aApprover {
    readonly id: string;
    readonly digest: string;
    readonly decision: 'approve' | 'deny';
    readonly channel: 'a2a';
    readonly comment: string;
    readonly key: string;
}
/** The approvals of the process, as the A2A server needs them. The desk of `@plimsoll/core/govern` is one. */
export interface ApprovalsView {
    rows(): readonly ApprovalRow[];
    row(id: string): ApprovalRow | undefined;
    /** Throws when the decision does not count. */
    decide(decision: A2aDecision): {
        readonly row: ApprovalRow;
    };
}

// dist/a2a/approval-server.d.ts
import type { ApprovalHandlerOptions } from './approval-handler.ts';
export interface ApprovalServerOptions extends Omit<ApprovalHandlerOptions, 'url' | 'hosts'> {
    /** 127.0.0.1 by default. */
    readonly host?: string;
    /** 0 for any free one. */
    readonly port: number;
    /** The address other agents reach it by; the one it listens on by default. */
    readonly url?: string;
}
/** The A2A server for approvals on a port of its own. It never keeps the process alive. */
export declare class ApprovalServer implements Disposable {
    #private;
    readonly url: string;
    private constructor();
    /** Rejects with PLM_A2A_LISTEN when the port cannot be used, PLM_A2A_SDK_MISSING when the SDK is not installed. */
    static start(options: ApprovalServerOptions): Promise<ApprovalServer>;
    close(): void;
    [Symbol.dispose](): void;
}
