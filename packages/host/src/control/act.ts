import { failure } from '@plimsoll/core/internal/errors';
import type { ActionRecord } from '@plimsoll/govern/internal/actions/action';
import type { HandActions } from '@plimsoll/govern/internal/ladder/by-hand';
import type { ActAnswer } from '../protocol/answers.ts';
import { ownerName } from '../protocol/approver-file.ts';
import type { ControlArgs, ControlOps } from '../protocol/control.ts';

const longestWord = 500;
const mostOptions = 16;

/**
 * `act` with `{ action, scope?, options?, off?, by? }`. Only the user that runs the process can open the socket. The page names its caller
 * in `by`.
 */
export function actOps(hand: HandActions): ControlOps {
  return {
    act: async (args): Promise<ActAnswer> => {
      const record = await hand.run({
        action: wordOf(args, 'action') ?? '',
        scope: wordOf(args, 'scope'),
        options: optionsOf(args),
        by: wordOf(args, 'by') ?? ownerName(),
        isOff: args['off'] === true,
      });
      return answerOf(record);
    },
  };
}

function answerOf({ id, action, scope, outcome, text, releasedBytes }: ActionRecord): ActAnswer {
  return { id, action, scope, outcome, text, releasedBytes };
}

function wordOf(args: ControlArgs, key: string): string | undefined {
  const value = args[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && value !== '' && value.length <= longestWord) return value;
  throw bad(`"${key}" is no word`);
}

function optionsOf({ options = {} }: ControlArgs): Readonly<Record<string, string>> {
  if (typeof options !== 'object' || options === null) throw bad('"options" is no map');
  const entries = Object.entries(options);
  const isPlain = entries.every(([, value]) => typeof value === 'string' && value.length <= longestWord);
  if (!isPlain || entries.length > mostOptions) throw bad('"options" holds something else than words');
  return Object.fromEntries(entries) as Record<string, string>;
}

function bad(reason: string): Error {
  const accepted = '{"action":"session.park","options":{"until":"60%"}}';
  return failure('PLM_CONTROL_BAD_REQUEST', { reason, accepted });
}
