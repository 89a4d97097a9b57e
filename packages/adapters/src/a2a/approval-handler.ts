import type { IncomingMessage, ServerResponse } from 'node:http';
import { agentCard } from './agent-card.ts';
import { ApprovalExecutor, ApproverUser } from './approval-executor.ts';
import { ApprovalStore } from './approval-store.ts';
import type { A2aApprover, ApprovalsView } from './approval-view.ts';
import { RequestRefusal, bearerOf, bodyOf, checkSource, sendJson } from './request-guard.ts';
import type { A2aServerSdk } from './sdk.ts';
import { loadServerSdk } from './sdk.ts';

export interface ApprovalHandlerOptions {
  readonly approvals: ApprovalsView;
  /** Resolves when everything so far is recorded; a decision is answered after it. */
  readonly recorded?: () => Promise<unknown>;
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

const mostAtOnce = 16;
const cardPath = '/.well-known/agent-card.json';

/** The A2A server for approvals as a request handler. Rejects with PLM_A2A_SDK_MISSING when the SDK is not installed. */
export async function approvalHandler(options: ApprovalHandlerOptions): Promise<ApprovalHandler> {
  const sdk = await loadServerSdk();
  const { version = '0.0.0', lane = (work) => work() } = options;
  const card = agentCard({ service: options.service, url: options.url, version });
  const cardJson = sdk.core.AgentCard.toJSON(card);
  const rpc = rpcOf(sdk, card, options);
  let active = 0;
  return (request, response, next) => {
    const path = URL.parse(request.url ?? '/', 'http://localhost')?.pathname ?? '/';
    const isCard = path === cardPath && (request.method === 'GET' || request.method === 'HEAD');
    if (!isCard && path !== '/') {
      if (next !== undefined) return next();
      return sendJson(response, 404, { error: 'there is nothing here' });
    }
    if (active >= mostAtOnce)
      return sendJson(response, 503, { error: 'too many requests at once' }, { 'retry-after': '1' });
    active++;
    const work = async (): Promise<void> => {
      checkSource(request, options.hosts);
      if (isCard) return sendJson(response, 200, cardJson);
      if (request.method !== 'POST') throw new RequestRefusal(405, 'send POST', { allow: 'POST' });
      const approver = await options.authenticate(bearerOf(request));
      if (approver === undefined)
        throw new RequestRefusal(401, 'this token is not known', {
          'www-authenticate': 'Bearer realm="plimsoll", error="invalid_token"',
        });
      return sendJson(response, 200, await rpc(await bodyOf(request), request, approver));
    };
    lane(work)
      .catch((error: unknown) => {
        const refusal =
          error instanceof RequestRefusal
            ? error
            : new RequestRefusal(500, 'this request could not be handled');
        sendJson(response, refusal.status, { error: refusal.message }, refusal.headers);
      })
      .finally(() => active--);
    return undefined;
  };
}

type Rpc = (body: unknown, request: IncomingMessage, approver: A2aApprover) => Promise<unknown>;

function rpcOf(sdk: A2aServerSdk, card: ReturnType<typeof agentCard>, options: ApprovalHandlerOptions): Rpc {
  const { server, errors } = sdk;
  const now = options.now ?? Date.now;
  const { approvals, mostTasks, keepTasksMs } = options;
  const store = new ApprovalStore({
    sdk,
    approvals,
    now,
    ...(mostTasks === undefined ? {} : { most: mostTasks }),
    ...(keepTasksMs === undefined ? {} : { keepMs: keepTasksMs }),
  });
  const handler = new server.DefaultRequestHandler(
    card,
    store,
    new ApprovalExecutor({ sdk, approvals, now, recorded: options.recorded }),
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    // A bus kept for each task that needs input would be one per unanswered question, for ever.
    { keepBusAliveStates: [] },
  );
  const transport = new server.JsonRpcTransportHandler(handler);
  return async (body, request, approver) => {
    const given = plain(body);
    const id = typeof given['id'] === 'string' || typeof given['id'] === 'number' ? given['id'] : null;
    try {
      const version = request.headers['a2a-version'];
      const context = new server.ServerCallContext({
        user: new ApproverUser(approver),
        ...(typeof version === 'string' ? { requestedVersion: version } : {}),
      });
      server.validateVersion(context.requestedVersion, card, 'JSONRPC');
      if (given['method'] === 'SendStreamingMessage' || given['method'] === 'SubscribeToTask')
        throw new errors.UnsupportedOperationError('streams are not offered; ask with GetTask');
      return await transport.handle(given, context);
    } catch (error) {
      return { jsonrpc: '2.0', id, error: server.JsonRpcTransportHandler.mapToJSONRPCError(error) };
    }
  };
}

/** A request without the fields that the SDK would log (`referenceTaskIds`) or keep a map for (`tenant`). */
function plain(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null) return {};
  const given = body as Record<string, unknown>;
  const params = given['params'];
  if (typeof params !== 'object' || params === null) return given;
  const { tenant: _, message, ...rest } = params as Record<string, unknown>;
  if (typeof message !== 'object' || message === null) return { ...given, params: { ...rest, message } };
  const { referenceTaskIds: __, ...words } = message as Record<string, unknown>;
  return { ...given, params: { ...rest, message: words } };
}
