import type { AlertLevel, InhibitRule } from '../policy/sections/alert-rules.ts';
import { alertLevels } from '../policy/sections/alert-rules.ts';
import type { BookEntry } from './alert-book.ts';
import type { Labels } from './alert.ts';

/**
 * Decides which firing alerts are muted by others.
 * - An alert about the process mutes all others.
 * - An alert about scopes mutes only those of its own kind, because a session over its budget says nothing about the process.
 * - A single event mutes nothing, because it does not last.
 * - An approval is muted only by its own higher level, because an approval that nobody hears of expires.
 * - An incident mutes the alerts about its own parts, so that one leak is one alert.
 * The sets are computed once, so each question is cheap.
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

/** Key of an alert without its level. The higher level of the same alert covers its lower levels. */
function subjectOf({ alertname, service, pod, kind, subject }: Labels): string {
  return `${alertname}\0${service}\0${pod}\0${kind}\0${subject}`;
}

/** True for alerts that an incident of the same process covers. Levels of sessions and agents are not among them. */
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
