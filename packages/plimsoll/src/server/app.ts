import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { failure } from '@plimsoll/core/internal/errors';
import { isPlimsollError } from '@plimsoll/core';
import type { PlimsollError } from '@plimsoll/core';
import { Hono } from 'hono';
import type { Context } from 'hono';
import type { ErrorAnswer } from '@plimsoll/host/protocol/api';
import type { Frame } from '@plimsoll/host/protocol/frame';
import type { Asset } from './assets.ts';
import type { FleetDesk } from './fleet/fleet-desk.ts';
import { fleetChanges } from './fleet/fleet-changes.ts';
import { fromDatabase } from './fleet/fleet-desk.ts';
import { fleetRoutes } from './fleet/fleet-routes.ts';
import type { Gate, Reader } from './guard/gate.ts';
import { securityHeaders, workerPolicy } from './guard/headers.ts';
import type { RoleBook } from './guard/roles.ts';
import type { HostList } from './guard/host-list.ts';
import type { WorkBound } from './guard/work-bound.ts';
import { readBody } from './guard/read-body.ts';
import { describeRoutes } from './openapi.ts';
import { Answer, streams } from './route.ts';
import type { Route, RouteContext } from './route.ts';
import { apiRoutes } from './routes.ts';
import type { Caller } from './source.ts';
import type { Sources } from './sources.ts';
import type { StreamHub } from './stream/stream-hub.ts';
import { systemRoutes } from './system-routes.ts';
import type { MetricsText } from './system-routes.ts';
import { screenLines } from '../screen/frame-text.ts';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** The output of `plimsoll top` as a page without scripts, for when the dashboard has not been built. */
function plainPage(frame: Frame | undefined, why: string): string {
  const lines =
    frame === undefined
      ? [why]
      : screenLines(frame, { sort: 'bytes', filter: '', rows: 60, columns: 140, colour: false }).slice(0, -2);
  const text = lines.join('\n').replace(/[&<>"]/g, (character) => escapes[character] as string);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2"><meta name="viewport" content="width=device-width"><title>plimsoll</title><pre>${text}</pre></html>\n`;
}

interface AppParts {
  readonly sources: Sources;
  readonly hub: StreamHub;
  readonly fleet: FleetDesk | undefined;
  /** Finds the caller by the header of a trusted proxy. */
  readonly byProxy: RoleBook['byProxy'] | undefined;
  readonly gate: Gate;
  readonly hosts: HostList;
  readonly assets: ReadonlyMap<string, Asset>;
  readonly metrics: MetricsText;
  readonly bound: WorkBound;
}

type Env = { Bindings: HttpBindings; Variables: { caller: Caller | undefined } };
type Ctx = Context<Env>;

/** The server's routes behind its guards, as one function from request to response. */
export function buildApp(parts: AppParts): Hono<Env> {
  const app = new Hono<Env>();
  const routes = allRoutes(parts);
  app.onError((error, c) => refuse(c, error));
  app.use(async (c, next) => {
    setHeaders(c);
    checkHost(c, parts.hosts);
    await next();
  });
  for (const route of routes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    app.on(route.method.toUpperCase(), path, (c) => answer(c, route, parts));
    app.all(path, (c) => refuse(c, wrongMethod(c, route)));
  }
  app.get('*', (c) => page(c, parts));
  app.all('*', (c) => refuse(c, failure('PLM_SERVER_NOT_FOUND', { path: `${c.req.method} ${c.req.path}` })));
  return app;
}

/** Every route of the server. The OpenAPI description is made from the same list. */
export function allRoutes(
  parts: Pick<AppParts, 'metrics'> & Partial<Pick<AppParts, 'fleet'>>,
): readonly Route[] {
  const routes =
    parts.fleet === undefined
      ? apiRoutes
      : [...apiRoutes, ...withDatabase([...fleetRoutes, ...fleetChanges])];
  const system = systemRoutes(parts.metrics, () => describeRoutes([...routes, ...system]));
  return [...routes, ...system];
}

function withDatabase(routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => ({
    ...route,
    handle: (context: RouteContext) =>
      fromDatabase(`${route.method.toUpperCase()} ${route.path}`, async () => route.handle(context)),
  }));
}

async function answer(c: Ctx, route: Route, parts: AppParts): Promise<Response> {
  checkOrigin(c, route, parts.hosts);
  const caller =
    (await parts.gate.callerOf(c.req.header('authorization'))) ??
    parts.byProxy?.((name) => c.req.header(name), c.env.incoming.socket.remoteAddress);
  const reader = parts.gate.readerOf(caller, c.req.header('cookie'));
  checkAccess(c, route, reader, caller);
  if (caller !== undefined || (reader !== undefined && !parts.gate.isPublic))
    parts.bound.isKnown(c.env.incoming.socket);
  // The token came in a header. EventSource cannot send headers and sends this cookie instead.
  if (route.path === '/api/session' && caller !== undefined)
    c.header('set-cookie', parts.gate.setCookie(caller));
  const value = await route.handle(contextOf(c, parts, caller, reader === 'owner'));
  if (value === streams) return RESPONSE_ALREADY_SENT;
  if (!(value instanceof Answer)) {
    c.header('content-type', 'application/json');
    return c.body(jsonOf(value as object));
  }
  for (const [name, text] of Object.entries(value.headers)) c.header(name, text);
  c.header('content-type', value.type);
  return c.body(value.body, value.status as 200);
}

/** The JSON of answers that several clients share, such as a frame or all scopes, so that it is made once. */
const written = new WeakMap<object, string>();

function jsonOf(value: object): string {
  const known = written.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  written.set(value, text);
  return text;
}

function contextOf(c: Ctx, parts: AppParts, caller: Caller | undefined, isOwner: boolean): RouteContext {
  const query = (name: string): string | undefined => c.req.query(name);
  return {
    sources: parts.sources,
    hub: parts.hub,
    fleet: parts.fleet,
    source: () => parts.sources.pick(query('pid')),
    query,
    part: (name) => c.req.param(name) ?? '',
    caller,
    isOwner,
    exchange: (link) => parts.gate.exchange(link),
    body: () => readBody(c.env.incoming),
    headers: (name) => c.req.header(name),
    node: c.env,
  };
}

function setHeaders(c: Ctx): void {
  // Set on the raw response as well, because a stream writes its own head.
  for (const [name, value] of Object.entries(securityHeaders)) {
    c.header(name, value);
    c.env.outgoing.setHeader(name, value);
  }
}

function checkHost(c: Ctx, hosts: HostList): void {
  const host = c.env.incoming.headers.host;
  if (!hosts.allows(host)) throw failure('PLM_SERVER_WRONG_HOST', { host: (host ?? '').slice(0, 100) });
}

/** Refuses requests from pages of other sites. Browsers send the Origin of the page; programs send none. */
function checkOrigin(c: Ctx, route: Route, hosts: HostList): void {
  const { origin, host } = c.env.incoming.headers;
  const site = c.req.header('sec-fetch-site');
  const isForeign = origin !== undefined && !hosts.isOwnOrigin(origin.toLowerCase(), host);
  const isForeignSite = site === 'cross-site' || site === 'same-site';
  if (route.access !== 'open' && (isForeign || isForeignSite))
    throw failure('PLM_SERVER_CROSS_ORIGIN', { origin: (origin ?? site ?? '').slice(0, 100) });
}

function checkAccess(c: Ctx, route: Route, reader: Reader | undefined, caller: Caller | undefined): void {
  if (route.access === 'open' || route.access === 'link') return;
  const isWelcome =
    route.access === 'decide' ? caller !== undefined && caller.role !== 'viewer' : reader !== undefined;
  if (!isWelcome) throw failure('PLM_SERVER_NO_TOKEN', { path: `${c.req.method} ${c.req.path}` });
}

function wrongMethod(c: Ctx, route: Route): PlimsollError {
  const allowed = route.method.toUpperCase();
  c.header('allow', allowed);
  return failure('PLM_SERVER_WRONG_METHOD', { path: `${c.req.method} ${c.req.path}`, allowed });
}

/** The page and its files. When it has not been built, the plain page. */
async function page(c: Ctx, parts: AppParts): Promise<Response> {
  const asset = parts.assets.get(c.req.path);
  if (asset !== undefined) {
    c.header('content-type', asset.type);
    if (asset.isImmutable) c.header('cache-control', 'public, max-age=31536000, immutable');
    if (/worker/i.test(c.req.path)) c.header('content-security-policy', workerPolicy);
    return c.body(asset.body);
  }
  if (c.req.path !== '/') throw failure('PLM_SERVER_NOT_FOUND', { path: `GET ${c.req.path}` });
  const caller = await parts.gate.callerOf(c.req.header('authorization'));
  if (parts.gate.readerOf(caller, c.req.header('cookie')) === undefined)
    throw failure('PLM_SERVER_NO_TOKEN', { path: 'GET /' });
  return c.html(await plain(parts));
}

async function plain({ sources }: AppParts): Promise<string> {
  try {
    return plainPage(await (await sources.pick(undefined)).frame(), '');
  } catch (error) {
    return plainPage(undefined, `waiting for the first reading: ${(error as Error).message}`);
  }
}

const statuses: Readonly<Record<string, number>> = {
  PLM_SERVER_WRONG_HOST: 403,
  PLM_SERVER_CROSS_ORIGIN: 403,
  PLM_SERVER_NO_TOKEN: 401,
  PLM_SERVER_LINK_USED: 401,
  PLM_SERVER_NOT_FOUND: 404,
  PLM_SERVER_WRONG_METHOD: 405,
  PLM_SERVER_BODY_TOO_LARGE: 413,
  PLM_SERVER_BUSY: 503,
  PLM_SERVER_NO_PROCESS: 404,
  PLM_SERVER_NO_READING: 503,
  PLM_SERVER_NO_LEDGER: 404,
  PLM_SERVER_NOT_LIVE: 409,
  PLM_SERVER_OWNER_ONLY: 403,
  PLM_SERVER_ROLE: 403,
  PLM_FLEET_QUERY: 503,
  PLM_FLEET_PROCESS_UNKNOWN: 404,
  PLM_FLEET_PROCESS_ALIVE: 409,
  PLM_FLEET_POLICY_UNKNOWN: 404,
  PLM_FLEET_POLICY_UNTRIED: 409,
  PLM_SERVER_NO_SNAPSHOT: 404,
  PLM_SNAPSHOT_BUSY: 409,
  PLM_LEDGER_NOT_FOUND: 404,
  PLM_LEDGER_UNREADABLE: 500,
  PLM_APPROVAL_UNKNOWN: 404,
  PLM_APPROVAL_DECIDED: 409,
  PLM_APPROVAL_DIGEST: 409,
  PLM_APPROVAL_KEY: 409,
  PLM_APPROVAL_NOT_ALLOWED: 403,
  PLM_APPROVAL_SELF: 403,
  PLM_APPROVAL_TOKEN: 401,
  PLM_APPROVAL_FILE: 500,
  PLM_CONTROL_UNREACHABLE: 502,
  PLM_CONTROL_TIMEOUT: 504,
  PLM_CONTROL_UNKNOWN_OP: 501,
  PLM_CONTROL_BUSY: 503,
  PLM_CONTROL_FAILED: 502,
  PLM_CONTROL_TOO_LARGE: 502,
};

/** An error as JSON, with its fix. For a bug of ours there are no details. */
function refuse(c: Ctx, error: unknown): Response {
  if (!isPlimsollError(error)) {
    const body: ErrorAnswer = {
      error: { code: 'PLM_BUG', message: 'the server failed.', fix: 'report it as a bug of Plimsoll.' },
    };
    return c.json(body, 500);
  }
  const { code, message, fix } = error;
  const status = statuses[code] ?? 400;
  if (status === 401) c.header('www-authenticate', 'Bearer realm="plimsoll"');
  if (status === 503) c.header('retry-after', '2');
  // The body of the request may not have been read, so the connection ends here.
  if (status === 413) c.header('connection', 'close');
  return c.json({ error: { code, message, fix } } satisfies ErrorAnswer, status as 400);
}
