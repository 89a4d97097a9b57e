import { failure } from '@plimsoll/core/internal/errors';
import type { ActBody } from '@plimsoll/host/protocol/api';
import type { ActAnswer } from '@plimsoll/host/protocol/answers';
import type { Route, RouteContext } from './route.ts';

/** Actions by hand. They affect all users of a process, so only its owner may ask. The process checks everything else. */
export const actRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/api/act',
    summary: 'Run an action of the ladder by hand, such as a quarantine of one scope',
    access: 'decide',
    ofProcess: true,
    body: 'ActBody',
    answer: 'ActAnswer',
    handle: act,
  },
];

async function act({ source, caller, body }: RouteContext): Promise<ActAnswer> {
  if (caller?.isOwner !== true) throw failure('PLM_SERVER_OWNER_ONLY', { what: 'an action by hand' });
  const given = ((await body()) ?? {}) as Partial<ActBody>;
  if (typeof given.action !== 'string')
    throw failure('PLM_CONTROL_BAD_REQUEST', {
      reason: '"action" is missing',
      accepted: '{"action":"scope.quarantine","scope":"session:42"}',
    });
  const { action, scope, options, off } = given;
  return (await source()).act(
    {
      action,
      ...(scope !== undefined && { scope }),
      ...(options !== undefined && { options }),
      ...(off === true && { off }),
    },
    caller.by,
  );
}
