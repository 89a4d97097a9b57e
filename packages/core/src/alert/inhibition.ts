import type { AlertLevel, InhibitRule } from '../policy/sections/alert-rules.ts';
import { alertLevels } from '../policy/sections/alert-rules.ts';
import type { BookEntry } from './alert-book.ts';
import type { Labels } from './alert.ts';

/** The firing alert that mutes another, if one does. What only happened mutes nothing: it does not go on. */
export function inhibitorOf(
  entry: BookEntry,
  firing: readonly BookEntry[],
  rules: readonly InhibitRule[],
): BookEntry | undefined {
  return firing.find(
    (source) => source !== entry && !source.momentary && mutes(source.labels, entry.labels, rules),
  );
}

function mutes(source: Labels, target: Labels, rules: readonly InhibitRule[]): boolean {
  if (rank(source.level) <= rank(target.level)) return isTarget(source, target, rules);
  return isSameButLevel(source, target) || isTarget(source, target, rules);
}

function isTarget(source: Labels, target: Labels, rules: readonly InhibitRule[]): boolean {
  // A rule never mutes what asks for an answer: an approval that nobody hears of can only expire.
  if (target.alertname === 'memory.approval') return false;
  return rules.some(
    (rule) =>
      rule.source === source.level &&
      rule.source !== target.level &&
      rule.target.includes(target.level) &&
      rule.equal.every((label) => source[label] === target[label]),
  );
}

/** The same alert at a higher level says everything its lower levels say. */
function isSameButLevel(a: Labels, b: Labels): boolean {
  return (
    a.alertname === b.alertname &&
    a.service === b.service &&
    a.pod === b.pod &&
    a.kind === b.kind &&
    a.subject === b.subject
  );
}

export function rank(level: AlertLevel): number {
  return alertLevels.indexOf(level);
}
