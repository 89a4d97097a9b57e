import type { Policy, Rung } from '../policy/policy.ts';
import type { Mode, RaisedLevel } from '@plimsoll/core/internal/level';
import { raisedLevels } from '@plimsoll/core/internal/level';
import type { PolicyMark } from './rollback-record.ts';

/** True when something of the policy may act: all of it, or a rung with a mode of its own. */
export function isEnforcing(policy: Policy): boolean {
  if (policy.mode === 'enforce') return true;
  return raisedLevels.some((level) => policy.ladder[level].some((rung) => rung.mode === 'enforce'));
}

/** The same policy in another mode. Below enforce no rung keeps a mode of its own: it would go on acting. */
export function inMode(policy: Policy, mode: Mode): Policy {
  const strip = ({ mode: _, ...rung }: Rung): Rung => rung;
  const ladder = (level: RaisedLevel): readonly Rung[] =>
    mode === 'enforce' ? policy.ladder[level] : policy.ladder[level].map(strip);
  return Object.freeze({
    ...policy,
    mode,
    ladder: { warning: ladder('warning'), critical: ladder('critical'), emergency: ladder('emergency') },
  });
}

export function markOf({ file, revision, sha256, mode }: Policy): PolicyMark {
  return { file, revision, sha256, mode };
}
