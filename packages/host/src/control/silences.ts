import type { AlertRouter } from '@plimsoll/govern/internal/alert/alert-router';
import { parseMatcher } from '@plimsoll/govern/internal/alert/silence';
import { failure } from '@plimsoll/core/internal/errors';
import type { SilencesAnswer } from '../protocol/answers.ts';
import { ownerName } from '../protocol/approver-file.ts';
import type { ControlArgs, ControlOps } from '../protocol/control.ts';

/**
 * `silences` with `{}` to list, `{ add: { matchers, forMs, comment? } }` or `{ remove: ID }`. Only the user that runs the process can open
 * the socket, so that user is the author.
 */
export function silenceOps(router: AlertRouter): ControlOps {
  return {
    silences: (args): SilencesAnswer => {
      const id = change(router, args);
      const { counts } = router;
      return { silences: router.silences(), alerts: router.alerts(), counts, id };
    },
  };
}

function change(router: AlertRouter, { add, remove }: ControlArgs): string | null {
  const author = ownerName();
  if (add !== undefined) {
    const { matchers, forMs, comment } = add as { matchers?: unknown; forMs?: unknown; comment?: unknown };
    if (!Array.isArray(matchers) || typeof forMs !== 'number')
      throw bad('"add" lacks "matchers" or "forMs"', '{"add":{"matchers":["kind=session"],"forMs":3600000}}');
    return router.silence({
      matchers: matchers.slice(0, 100).map((each) => parseMatcher(String(each))),
      forMs,
      author,
      comment: typeof comment === 'string' ? comment : '',
    }).id;
  }
  if (remove === undefined) return null;
  if (typeof remove !== 'string' || !router.unsilence(remove, author))
    throw failure('PLM_ALERT_BAD_SILENCE', {
      message: `there is no silence ${JSON.stringify(remove).slice(0, 60)}`,
      fix: 'see the list: plimsoll silence list',
    });
  return remove;
}

function bad(reason: string, accepted: string): Error {
  return failure('PLM_CONTROL_BAD_REQUEST', { reason, accepted });
}
