import type { AlertLevel, InhibitRule } from '../policy/sections/alert-rules.ts';
import { alertLevels } from '../policy/sections/alert-rules.ts';
import type { BookEntry } from './alert-book.ts';
import type { Labels } from './alert.ts';

/**
 * Says which of the firing alerts others mute. An alert about the process mutes all others; one about scopes mutes those of its own kind
 * only, for a session that is over its budget says nothing of the process. What only happened mutes nothing, for it does not go on; and
 * nothing but its own higher level mutes an approval, for one that nobody hears of can only expire. An incident mutes the alerts about its
 * own parts, so that one leak is one alert. Computed once. Each question then looks into a few sets.
 */
export function inhibitionOf(
  firing: readonly BookEntry[],
  rules: readonly InhibitRule[],
): (entry: BookEntry) => boolean {
  const sources = firing.filter((entry) => !entry.momentary);
  const highest = new Map<string, number>();
  for (const { labels } of sources) {
    const key = subjectOf(labels);
    highest.set(key, Math.max(highest.get(key) ?? 0, rank(labels.level)));
  }
  const byRule = rules.map((rule) => ({
    rule,
    values: new Set(
      sources
        .filter(({ labels }) => labels.level === rule.source)
        .map(({ labels }) => valuesOf(labels, rule, labels.kind)),
    ),
  }));
  const incidents = new Set(
    sources
      .filter(({ labels }) => labels.alertname === 'memory.incident')
      .map(({ labels }) => placeOf(labels)),
  );
  return ({ labels }) => {
    if (isPartOfIncident(labels) && incidents.has(placeOf(labels))) return true;
    if ((highest.get(subjectOf(labels)) ?? 0) > rank(labels.level)) return true;
    if (labels.alertname === 'memory.approval') return false;
    return byRule.some(
      ({ rule, values }) =>
        rule.source !== labels.level &&
        rule.target.includes(labels.level) &&
        values.size > 0 &&
        ['process', labels.kind].some((kind) => values.has(valuesOf(labels, rule, kind))),
    );
  };
}

/** The same alert at a higher level says everything its lower levels say. */
function subjectOf({ alertname, service, pod, kind, subject }: Labels): string {
  return `${alertname}\0${service}\0${pod}\0${kind}\0${subject}`;
}

/** What an incident of the same process says as well. Levels of sessions and agents are stories of their own. */
function isPartOfIncident({ alertname, kind }: Labels): boolean {
  return alertname === 'memory.level' ? kind === 'process' : incidentParts.has(alertname);
}

const incidentParts: ReadonlySet<string> = new Set(['memory.finding', 'memory.gc', 'memory.survivors']);

function placeOf({ service, pod }: Labels): string {
  return `${service}\0${pod}`;
}

/** `kind` is that of the source. */
function valuesOf(labels: Labels, { equal }: InhibitRule, kind: string): string {
  return [kind, ...equal.map((label) => labels[label])].join('\0');
}

export function rank(level: AlertLevel): number {
  return alertLevels.indexOf(level);
}
