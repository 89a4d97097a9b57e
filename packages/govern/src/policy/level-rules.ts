import { levelPresets } from './built-in.ts';
import type { PolicyDocument } from './document.ts';
import type { LevelRule, LevelRules } from './policy.ts';
import type { RaisedLevel } from '@plimsoll/core/internal/level';

/** The levels of a document. Each missing key keeps its default. */
export function levelRulesOf(given: PolicyDocument['levels']): LevelRules {
  if (typeof given === 'string') return levelPresets[given];
  const merge = (level: RaisedLevel): LevelRule => {
    const base = levelPresets.strict[level];
    const own = given?.[level];
    return {
      enterRatio: own?.enter ?? base.enterRatio,
      exitRatio: own?.exit ?? base.exitRatio,
      forMs: own?.for ?? base.forMs,
      keepMs: own?.keep ?? base.keepMs,
    };
  };
  return { warning: merge('warning'), critical: merge('critical'), emergency: merge('emergency') };
}
