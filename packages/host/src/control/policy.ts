import { setTimeout as pause } from 'node:timers/promises';
import { failure } from '@plimsoll/core/internal/errors';
import type { Mode } from '@plimsoll/core/internal/level';
import type { RollbackRecord } from '@plimsoll/govern/internal/rollback/rollback-record';
import type { RollbackAnswer } from '../protocol/answers.ts';
import type { ControlArgs, ControlOps } from '../protocol/control.ts';
import type { PolicyGuard } from '../parts/govern/rollback.ts';

const modes: readonly Mode[] = ['observe', 'shadow', 'enforce'];
const longestWords = 500;
/** The caller gives up after 5 s. A disk that hangs must not make a rollback that is in force look like a failure. */
const longestRecordMs = 3000;

/** `policy.rollback` with `{ to, by, reason }`, `policy.mode` with `{ mode, by, reason }`, `policy.state`. */
export function rollbackOps(guard: () => PolicyGuard | undefined): ControlOps {
  const governed = (): PolicyGuard => {
    const found = guard();
    if (found === undefined) throw failure('PLM_ROLLBACK_NOT_GOVERNED', { pid: process.pid });
    return found;
  };
  return {
    'policy.rollback': (args) => {
      const found = governed();
      return recorded(found, found.rollBack(targetOf(args), wordsOf(args, 'by'), wordsOf(args, 'reason')));
    },
    'policy.mode': (args) => {
      const found = governed();
      return recorded(found, found.setMode(modeOf(args), wordsOf(args, 'by'), wordsOf(args, 'reason')));
    },
    'policy.state': () => answer(governed(), null),
  };
}

/** The caller may end the process at once, so the answer is sent after the ledger entry is written. */
async function recorded(guard: PolicyGuard, record: RollbackRecord): Promise<RollbackAnswer> {
  const found = answer(guard, record);
  await Promise.race([guard.recorded, pause(longestRecordMs, undefined, { ref: false })]);
  return found;
}

function answer(guard: PolicyGuard, record: RollbackRecord | null): RollbackAnswer {
  const { file, revision, sha256, mode } = guard.policy;
  return { record, state: guard.state, inForce: { file, revision, sha256, mode } };
}

function targetOf({ to = 'last-good' }: ControlArgs): 'last-good' | 'shadow' | number {
  if (to === 'last-good' || to === 'shadow') return to;
  if (typeof to === 'number' && Number.isSafeInteger(to) && to >= 0) return to;
  throw badRequest('"to" names no policy', '"last-good", "shadow" or the revision as a number');
}

function modeOf({ mode }: ControlArgs): Mode | undefined {
  if (mode === undefined || mode === null) return undefined;
  const found = modes.find((each) => each === mode);
  if (found === undefined) throw badRequest('"mode" is no mode', modes.join(', '));
  return found;
}

/** Both words go into the ledger for ever, so both are required. */
function wordsOf(args: ControlArgs, key: 'by' | 'reason'): string {
  const words = args[key];
  if (typeof words === 'string' && words.trim() !== '' && words.length <= longestWords) return words.trim();
  throw badRequest(`"${key}" is missing or longer than ${longestWords} characters`, `{"${key}":"..."}`);
}

function badRequest(reason: string, accepted: string): Error {
  return failure('PLM_CONTROL_BAD_REQUEST', { reason, accepted });
}
