import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { failure } from '@plimsoll/core/internal/errors';
import type { FleetDecisionAnswer, RolloutAnswer, RolloutBody } from '@plimsoll/host/protocol/fleet';
import { badField, decisionOf } from '../query.ts';
import type { Route, RouteContext } from '../route.ts';
import type { Caller } from '../source.ts';
import { deskOf } from './fleet-routes.ts';

/** The routes that change a fleet. The database records person, time and origin of each change. */
export const fleetChanges: readonly Route[] = [
  {
    method: 'post',
    path: '/api/fleet/approvals/{id}',
    summary: 'Approve or deny for a process of the fleet; needs the role approver',
    access: 'decide',
    body: 'DecisionBody',
    answer: 'application/json',
    handle: decide,
  },
  {
    method: 'post',
    path: '/api/fleet/rollouts',
    summary: 'Take the next step of a policy roll-out; needs the role admin',
    access: 'decide',
    body: 'RolloutBody',
    answer: 'application/json',
    handle: rollOut,
  },
];

async function decide(context: RouteContext): Promise<FleetDecisionAnswer> {
  const { caller, part, body } = context;
  const { decision, digest, comment, key } = decisionOf(await body());
  const { by, groups, isOwner, role } = caller as Caller;
  return deskOf(context).decide({
    id: part('id').slice(0, 200),
    digest,
    decision,
    by,
    groups,
    // The file of roles gives these roles the owner's right to decide.
    isOwner: isOwner || role === 'approver' || role === 'admin',
    channel: 'dashboard',
    origin: originOf(context),
    comment,
    key: key === '' ? randomUUID() : key,
  });
}

async function rollOut(context: RouteContext): Promise<RolloutAnswer> {
  const { caller, body } = context;
  const { by, isOwner, role } = caller as Caller;
  if (!isOwner && role !== 'admin')
    throw failure('PLM_SERVER_ROLE', { what: 'roll out a policy', by, role: 'admin' });
  const { service, version, mode, share, force } = rolloutOf(await body());
  const { policies } = deskOf(context);
  const step = await policies.rollout(
    service,
    { version, mode, share, by, origin: originOf(context) },
    force === true,
  );
  return { step, state: await policies.state(service) };
}

/** The address of the caller. Behind a proxy it is the proxy's address, with the forwarded address as a claim. */
function originOf({ node, headers }: RouteContext): string {
  const address = (node.incoming.socket.remoteAddress ?? 'unknown').replace(/^::ffff:/, '');
  const said = /[\w.:]{2,60}$/.exec(headers('x-forwarded-for') ?? '')?.[0];
  return `${address}${said === undefined ? '' : ` for ${said}`} by the page on ${hostname()}`;
}

function rolloutOf(value: unknown): RolloutBody {
  const body = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const { service, version, mode, share, force = false } = body;
  if (typeof service !== 'string' || service === '' || service.length > 200)
    throw badField('service', service, 'the name of a service');
  if (!Number.isSafeInteger(version) || (version as number) < 1)
    throw badField('version', version, 'the number of a version');
  if (mode !== 'shadow' && mode !== 'enforce') throw badField('mode', mode, '"shadow" or "enforce"');
  if (typeof share !== 'number' || !(share >= 0 && share <= 1))
    throw badField('share', share, 'a number from 0 to 1');
  if (typeof force !== 'boolean') throw badField('force', force, 'true or false');
  return { service, version: version as number, mode, share, force };
}
