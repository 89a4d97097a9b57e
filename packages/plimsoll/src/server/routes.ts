import { readRegularText } from '@plimsoll/core/internal/read-regular-file';
import { failure } from '@plimsoll/core/internal/errors';
import { isPlimsollError } from '@plimsoll/core';
import { version } from '@plimsoll/core/internal/version';
import type {
  ApprovalsAnswer,
  AuditAnswer,
  DecisionAnswer,
  ExplainAnswer,
  FrameAnswer,
  HistoryAnswer,
  PolicyAnswer,
  ProcessesAnswer,
  ScopeHistoryAnswer,
  ScopesAnswer,
  SessionAnswer,
  WouldHaveRow,
} from '@plimsoll/host/protocol/api';
import { decisionOf, numberOf, textOf, timeOf } from './query.ts';
import { scopePage } from './scope-page.ts';
import type { Lookup } from './query.ts';
import { actRoutes } from './act-routes.ts';
import { autopsyRoutes } from './autopsy-routes.ts';
import { snapshotRoutes } from './snapshot-routes.ts';
import { streams } from './route.ts';
import type { QueryPart, Route, RouteContext } from './route.ts';
import type { Caller, Source } from './source.ts';

const from: QueryPart = {
  name: 'from',
  type: 'string',
  description: 'Begin: milliseconds since 1970 or an ISO date.',
};
const to: QueryPart = { name: 'to', type: 'string', description: 'End, not included; now when left out.' };
const points: QueryPart = {
  name: 'points',
  type: 'integer',
  description: 'About how many points, 1 to 5000; 300 when left out.',
};
const longestPath = 4096;
const longestPolicy = 256 * 1024;

/** All routes under /api. */
export const apiRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/api/session',
    summary: 'The caller and the rights of the caller',
    access: 'read',
    ofProcess: true,
    answer: 'SessionAnswer',
    handle: session,
  },
  {
    method: 'post',
    path: '/api/link',
    summary: 'Exchanges a one-time link for the token of a page',
    access: 'link',
    body: 'LinkBody',
    answer: 'LinkAnswer',
    handle: async ({ body, exchange }): Promise<{ token: string }> => {
      const { link } = ((await body()) ?? {}) as { link?: unknown };
      const token = typeof link === 'string' ? exchange(link) : undefined;
      if (token === undefined) throw failure('PLM_SERVER_LINK_USED', {});
      return { token };
    },
  },
  {
    method: 'get',
    path: '/api/processes',
    summary: 'Processes that run here or are known from a ledger',
    access: 'read',
    answer: 'ProcessesAnswer',
    handle: async ({ sources }): Promise<ProcessesAnswer> => ({ processes: await sources.list() }),
  },
  {
    method: 'get',
    path: '/api/frame',
    summary: 'The newest frame',
    access: 'read',
    ofProcess: true,
    answer: 'Frame',
    handle: async ({ source }): Promise<FrameAnswer> => (await source()).frame(),
  },
  {
    method: 'get',
    path: '/api/stream',
    summary: 'Live events: frame, scopes, skipped, process',
    access: 'read',
    ofProcess: true,
    answer: 'text/event-stream',
    handle: stream,
  },
  {
    method: 'get',
    path: '/api/scopes',
    summary: 'Open scopes, heaviest first, a page at a time',
    access: 'read',
    ofProcess: true,
    query: [
      { name: 'offset', type: 'integer', description: 'Rows to leave out; `next` of the page before.' },
      { name: 'limit', type: 'integer', description: 'Rows at most, 1 to 10000; 1000 when left out.' },
    ],
    answer: 'ScopesAnswer',
    handle: async ({ source, query }): Promise<ScopesAnswer> =>
      scopePage(await (await source()).scopes(), query),
  },
  {
    method: 'get',
    path: '/api/scopes/history',
    summary: 'Bytes of one scope over time',
    access: 'read',
    ofProcess: true,
    query: [
      { name: 'path', type: 'string', required: true, description: 'Path of the scope.' },
      from,
      to,
      points,
    ],
    answer: 'ScopeHistoryAnswer',
    handle: scopeHistory,
  },
  {
    method: 'get',
    path: '/api/history',
    summary: 'Memory of the process over time',
    access: 'read',
    ofProcess: true,
    query: [from, to, points],
    answer: 'HistoryAnswer',
    handle: history,
  },
  {
    method: 'get',
    path: '/api/audit',
    summary: 'Entries of the ledger, oldest first',
    access: 'read',
    ofProcess: true,
    query: [
      from,
      to,
      { name: 'kind', type: 'string', description: 'One kind, or several with commas.' },
      { name: 'scope', type: 'string', description: 'This scope and everything in it.' },
      { name: 'limit', type: 'integer', description: 'Number of newest entries, 1 to 5000; default 500.' },
    ],
    answer: 'AuditAnswer',
    handle: audit,
  },
  {
    method: 'get',
    path: '/api/approvals',
    summary: 'Approvals, open ones first',
    access: 'read',
    ofProcess: true,
    answer: 'ApprovalsAnswer',
    handle: async ({ source }): Promise<ApprovalsAnswer> => ({ rows: await (await source()).approvals() }),
  },
  {
    method: 'post',
    path: '/api/approvals/{id}',
    summary: 'Approve or deny',
    access: 'decide',
    ofProcess: true,
    body: 'DecisionBody',
    answer: 'DecisionAnswer',
    handle: decide,
  },
  {
    method: 'get',
    path: '/api/policy',
    summary: 'The policy in force; its text only with a token',
    access: 'read',
    ofProcess: true,
    answer: 'PolicyAnswer',
    handle: policy,
  },
  {
    method: 'get',
    path: '/api/policy/explain',
    summary: 'Which rule gives a scope which number',
    access: 'read',
    ofProcess: true,
    query: [{ name: 'scope', type: 'string', required: true, description: 'Path of the scope.' }],
    answer: 'ExplainAnswer',
    handle: async ({ source, query }): Promise<ExplainAnswer> =>
      (await source()).explain(textOf(query, 'scope', longestPath, 'the path of a scope')),
  },
  ...actRoutes,
  ...autopsyRoutes,
  ...snapshotRoutes,
];

async function session({ source, caller, fleet }: RouteContext): Promise<SessionAnswer> {
  const found = await source().catch((error: unknown) => {
    if (isPlimsollError(error) && error.code === 'PLM_SERVER_NO_PROCESS') return undefined;
    throw error;
  });
  const live = found !== undefined && found.run === undefined;
  return {
    live,
    canDecide: live && caller !== undefined && caller.role !== 'viewer',
    as: caller?.name ?? null,
    version,
    process: found?.process ?? null,
    ...(fleet !== undefined && { fleet: true, fleetRole: fleetRoleOf(caller) }),
  };
}

/** Role of a caller in the fleet. Approvers of the folder have none; they decide where a policy names them. */
function fleetRoleOf(caller: Caller | undefined): NonNullable<SessionAnswer['fleetRole']> {
  if (caller === undefined) return 'viewer';
  return caller.isOwner ? 'admin' : (caller.role ?? 'approver');
}

function stream({ hub, query, node, isOwner }: RouteContext): typeof streams {
  const { incoming, outgoing } = node;
  // A HEAD request is answered by the handler of GET, and a stream has no end.
  if (incoming.method !== 'GET')
    throw failure('PLM_SERVER_WRONG_METHOD', { path: `${incoming.method} /api/stream`, allowed: 'GET' });
  hub.checkPlace(isOwner);
  outgoing.writeHead(200, {
    ...Object.fromEntries(
      Object.entries(outgoing.getHeaders()).map(([name, value]) => [name, String(value)]),
    ),
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  });
  outgoing.flushHeaders();
  hub.open(outgoing, query('pid'));
  return streams;
}

async function scopeHistory({ sources, source, query }: RouteContext): Promise<ScopeHistoryAnswer> {
  const path = textOf(query, 'path', longestPath, 'the path of a scope');
  const found = await source();
  return sources.desk.ask(ledgerOf(found), 'scopeHistory', { path, run: found.run, ...spanOf(query) });
}

async function history({ sources, source, query }: RouteContext): Promise<HistoryAnswer> {
  const found = await source();
  return sources.desk.ask(ledgerOf(found), 'history', { run: found.run, ...spanOf(query) });
}

async function audit({ sources, source, query }: RouteContext): Promise<AuditAnswer> {
  const found = await source();
  const kinds = query('kind')
    ?.split(',')
    .filter((kind) => kind !== '')
    .slice(0, 20);
  return sources.desk.ask(ledgerOf(found), 'audit', {
    run: found.run,
    from: timeOf(query, 'from'),
    to: timeOf(query, 'to'),
    kinds: kinds === undefined || kinds.length === 0 ? undefined : kinds,
    scope: query('scope')?.slice(0, longestPath),
    limit: numberOf(query, 'limit', { least: 1, most: 5000, unless: 500 }),
  });
}

function spanOf(query: Lookup): { from: number | undefined; to: number | undefined; points: number } {
  return {
    from: timeOf(query, 'from'),
    to: timeOf(query, 'to'),
    points: numberOf(query, 'points', { least: 1, most: 5000, unless: 300 }),
  };
}

function ledgerOf({ ledgerDir }: Source): string {
  if (ledgerDir === null)
    throw failure('PLM_SERVER_NO_LEDGER', { dir: 'ledger', reason: 'the process keeps none' });
  return ledgerDir;
}

async function decide({ source, part, body, caller }: RouteContext): Promise<DecisionAnswer> {
  const decision = decisionOf(await body());
  const found = await source();
  return { row: await found.decide({ id: part('id'), ...decision, caller: caller as Caller }) };
}

async function policy({ sources, source, caller }: RouteContext): Promise<PolicyAnswer> {
  const found = await source();
  const frame = await found.frame();
  const inForce = await found.policy();
  const file = frame.policy.file;
  const wouldHave: readonly WouldHaveRow[] =
    found.ledgerDir === null
      ? []
      : await sources.desk
          .ask(found.ledgerDir, 'wouldHave', { run: found.run, pid: found.process.pid ?? undefined })
          .catch(() => []);
  return {
    file,
    mode: frame.policy.mode,
    revision: frame.policy.revision,
    sha256: file === null ? null : (inForce?.sha256 ?? null),
    text: file === null || caller === undefined ? null : policyText(file),
    fault: frame.policy.fault,
    budgets: inForce?.budgets ?? [],
    wouldHave,
  };
}

function policyText(file: string): string | null {
  try {
    return readRegularText(file, { maxBytes: longestPolicy });
  } catch {
    return null;
  }
}
