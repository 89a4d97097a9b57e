import { channel } from 'node:diagnostics_channel';
import { failure, warnOnce } from '../errors.ts';
import type { ActionName } from '../policy/actions.ts';
import { formatLine } from '../policy/place.ts';
import type { Mode, Policy, RaisedLevel, Rung } from '../policy/policy.ts';
import { levels } from '../policy/policy.ts';
import { actionRunners } from './action-runners.ts';
import type { ActionEffect, ActionRecord } from './action.ts';
import type { LevelChange } from './level-change.ts';

const actionChannel = channel('plimsoll:action');

/** Runs the rungs of every level that a rise reaches, from the lowest up, each under its own mode. */
export function climb(policy: Policy, change: LevelChange): readonly ActionRecord[] {
  const records: ActionRecord[] = [];
  for (let i = levels.indexOf(change.from) + 1; i <= levels.indexOf(change.level); i++) {
    const level = levels[i] as RaisedLevel;
    for (const rung of policy.ladder[level]) {
      const mode = rung.mode ?? policy.mode;
      if (mode === 'observe') continue;
      const record = runRung(rung, level, mode, change);
      records.push(record);
      if (actionChannel.hasSubscribers) actionChannel.publish(record);
    }
  }
  return records;
}

function runRung(rung: Rung, level: RaisedLevel, mode: Mode, change: LevelChange): ActionRecord {
  const base = {
    action: rung.action,
    scope: change.scope,
    level: change.level,
    mode,
    rule: `ladder.${level} (${formatLine(rung.place)})`,
    change,
    at: change.at,
    policy: change.policy,
  };
  try {
    const run = actionRunners[rung.action as ActionName];
    if (mode === 'shadow')
      return { ...base, outcome: 'would-have', text: `would have run ${rung.action}`, freedBytes: 0 };
    const effect: ActionEffect = run({ change, options: rung.options });
    return { ...base, outcome: 'done', ...effect };
  } catch (error) {
    const details = { action: rung.action, scope: change.scope, reason: String(error) };
    warnOnce('PLM_GOVERN_ACTION', details);
    return { ...base, outcome: 'failed', text: failure('PLM_GOVERN_ACTION', details).message, freedBytes: 0 };
  }
}
