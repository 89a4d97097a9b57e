import { formatUsedOfLimit } from '@plimsoll/core/units';
import { formatDuration } from '@plimsoll/core/units';
import type { Alert, Notice } from './alert.ts';

/** "EMERGENCY: 2 alerts of checkout on pod-1 fire, 1 ended". */
export function titleOf(notice: Notice): string {
  const { firing, resolved, level } = notice;
  const [first] = [...firing, ...resolved];
  const where = first === undefined ? '' : ` of ${first.labels.service} on ${first.labels.pod}`;
  const count = (n: number): string => (n === 1 ? '1 alert' : `${n} alerts`);
  if (firing.length === 0) return `resolved: ${count(resolved.length)}${where}`;
  const ended = resolved.length === 0 ? '' : `, ${resolved.length} ended`;
  const verb = firing.length === 1 ? 'fires' : 'fire';
  return `${level.toUpperCase()}: ${count(firing.length)}${where} ${verb}${ended}`;
}

/** All details for a person, one alert after the other. */
export function linesOf(notice: Notice): readonly string[] {
  return [...notice.firing, ...notice.resolved].flatMap(alertLines);
}

function alertLines(alert: Alert): string[] {
  const { labels, status, summary, offenders, offenderCount, actions, fix, startsAt, endsAt } = alert;
  const subject = labels.subject === '' ? '' : ` ${labels.subject}`;
  if (status === 'resolved')
    return [
      `resolved after ${formatDuration((endsAt ?? startsAt) - startsAt)}: ${labels.alertname}${subject} (${labels.kind}, ${labels.level})`,
    ];
  const others = offenderCount - offenders.length;
  return [
    `${labels.level} ${labels.alertname}${subject} (${labels.kind}): ${summary}`,
    ...(offenders.length > 1
      ? offenders.map(
          ({ scope, usedBytes, limitBytes }) => `  ${scope} ${formatUsedOfLimit(usedBytes, limitBytes)}`,
        )
      : []),
    ...(others > 0 ? [`  and ${others} more`] : []),
    ...actions.map((action) => `  done: ${action}`),
    ...(fix === undefined ? [] : [`  fix: ${fix}`]),
  ];
}
