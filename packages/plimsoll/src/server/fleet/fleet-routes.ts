import { hostname } from 'node:os';
import { failure } from '@plimsoll/core/internal/errors';
import type {
  FleetAnswer,
  FleetApprovalsAnswer,
  FleetAutopsyAnswer,
  FleetFindingsAnswer,
  FleetPoliciesAnswer,
  FleetProcess,
  FleetProcessAnswer,
  FleetProcessesAnswer,
  HeatMap,
} from '@plimsoll/host/protocol/fleet';
import { numberOf, textOf } from '../query.ts';
import type { QueryPart, Route, RouteContext } from '../route.ts';
import type { FleetDesk } from './fleet-desk.ts';

const hourMs = 3_600_000;
const hours: QueryPart = {
  name: 'hours',
  type: 'integer',
  description: 'How far back, 1 to 720; 6 when left out.',
};
const service: QueryPart = { name: 'service', type: 'string', description: 'Only this service.' };
const release: QueryPart = { name: 'release', type: 'string', description: 'Only this release.' };

/** The read routes of a fleet. All answers come from the database, a page at a time. */
export const fleetRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/api/fleet',
    summary: 'How many processes of the fleet are live, silent and ended, by level and release',
    access: 'read',
    answer: 'application/json',
    handle: async (context): Promise<FleetAnswer> => ({ summary: await deskOf(context).queries.summary() }),
  },
  {
    method: 'get',
    path: '/api/fleet/processes',
    summary: 'Processes of the fleet, the most endangered first',
    access: 'read',
    query: [
      service,
      release,
      { name: 'offset', type: 'integer', description: 'Rows to leave out; 0 when left out.' },
      { name: 'limit', type: 'integer', description: 'Rows, 1 to 500; 50 when left out.' },
    ],
    answer: 'application/json',
    handle: async (context): Promise<FleetProcessesAnswer> => ({
      rows: await deskOf(context).queries.processes({
        ...filterOf(context),
        offset: numberOf(context.query, 'offset', { least: 0, most: 1_000_000, unless: 0 }),
        limit: numberOf(context.query, 'limit', { least: 1, most: 500, unless: 50 }),
      }),
    }),
  },
  {
    method: 'get',
    path: '/api/fleet/heat',
    summary: 'Pressure over time of the most endangered processes',
    access: 'read',
    query: [service, release, hours],
    answer: 'application/json',
    handle: (context): Promise<HeatMap> => {
      const to = Date.now();
      return deskOf(context).queries.heat(to - spanOf(context), to, {
        ...filterOf(context),
        columns: 120,
        limit: 100,
      });
    },
  },
  {
    method: 'get',
    path: '/api/fleet/findings',
    summary: 'Findings of the fleet, each with its releases side by side',
    access: 'read',
    answer: 'application/json',
    handle: async (context): Promise<FleetFindingsAnswer> => ({
      rows: await deskOf(context).queries.findings({ limit: 50 }),
    }),
  },
  {
    method: 'get',
    path: '/api/fleet/process',
    summary: 'One process of the fleet: its curve, its heaviest scopes and its newest entries',
    access: 'read',
    query: [{ name: 'id', type: 'string', required: true, description: 'Id of the process.' }, hours],
    answer: 'application/json',
    handle: oneProcess,
  },
  {
    method: 'get',
    path: '/api/fleet/autopsy',
    summary: 'Why a process of the fleet died, and the story of the deaths of its service',
    access: 'read',
    query: [{ name: 'id', type: 'string', required: true, description: 'Id of the process.' }],
    answer: 'application/json',
    handle: autopsy,
  },
  {
    method: 'get',
    path: '/api/fleet/approvals',
    summary: 'Approvals of the fleet, open ones first',
    access: 'read',
    answer: 'application/json',
    handle: async (context): Promise<FleetApprovalsAnswer> => ({
      rows: await deskOf(context).queries.approvals({ limit: 100 }),
    }),
  },
  {
    method: 'get',
    path: '/api/fleet/policies',
    summary: 'Roll-outs of policies, with the groups of each side by side',
    access: 'read',
    answer: 'application/json',
    handle: async (context): Promise<FleetPoliciesAnswer> => {
      const { policies } = deskOf(context);
      const services = (await policies.services()).slice(0, 20);
      return { services: await Promise.all(services.map((each) => policies.state(each))) };
    },
  },
];

/** A server without a fleet does not have these routes. */
export function deskOf({ fleet }: RouteContext): FleetDesk {
  return fleet as FleetDesk;
}

function filterOf({ query }: RouteContext): { service?: string | undefined; release?: string | undefined } {
  return { service: query('service')?.slice(0, 200), release: query('release')?.slice(0, 200) };
}

function spanOf({ query }: RouteContext): number {
  return numberOf(query, 'hours', { least: 1, most: 720, unless: 6 }) * hourMs;
}

async function oneProcess(context: RouteContext): Promise<FleetProcessAnswer> {
  const { queries } = deskOf(context);
  const id = textOf(context.query, 'id', 200, 'the id of a process');
  const found = await queries.process(id);
  if (found === undefined) throw failure('PLM_SERVER_NOT_FOUND', { path: `process ${id}` });
  // For an ended process the last hours of its life are shown.
  const to = found.state === 'live' ? Date.now() : (found.ended ?? found.lastSeen) + 60_000;
  const from = to - spanOf(context);
  const [points, scopes, entries] = await Promise.all([
    queries.history(id, from, to),
    queries.scopes(id, from, to),
    queries.entries({ processId: id, limit: 100 }),
  ]);
  return { process: found, points, scopes, entries, live: await liveOf(context, found) };
}

/** Where a process can be seen live: on this server for a process of this machine, else at its own address if it has one. */
async function liveOf({ sources }: RouteContext, found: FleetProcess): Promise<FleetProcessAnswer['live']> {
  if (found.state === 'ended') return null;
  if (found.host === hostname()) {
    const own = (await sources.list().catch(() => [])).find(
      ({ pid, state }) => pid === found.pid && state === 'running',
    );
    if (own !== undefined) return { pid: own.id };
  }
  return isWebAddress(found.live) ? { address: found.live } : null;
}

/** Checks the protocol, because a writer of the database could store a script address. */
function isWebAddress(text: string | null): text is string {
  return text !== null && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

async function autopsy(context: RouteContext): Promise<FleetAutopsyAnswer> {
  const { fleetAutopsy } = await import('../../autopsy/fleet-autopsy.ts');
  const id = textOf(context.query, 'id', 200, 'the id of a process');
  const { autopsy: seen, story, deaths, from } = await fleetAutopsy(deskOf(context).queries, id);
  return { autopsy: seen.isDeath ? seen : null, story, deaths, from };
}
