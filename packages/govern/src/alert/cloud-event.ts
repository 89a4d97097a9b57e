import type { Alert, Notice } from './alert.ts';
import { titleOf } from './notice-text.ts';

/** A notice as an event of CloudEvents 1.0. */
interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: 'dev.plimsoll.alert.firing' | 'dev.plimsoll.alert.resolved';
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly data: {
    readonly title: string;
    readonly level: string;
    readonly group: Readonly<Record<string, string>>;
    readonly firing: readonly EventAlert[];
    readonly resolved: readonly EventAlert[];
    readonly stillFiring: number;
    /** Number of alerts that did not fit. */
    readonly leftOff: number;
  };
}

type EventAlert = Omit<Alert, 'startsAt' | 'endsAt'> & {
  readonly startsAt: string;
  readonly endsAt: string | null;
};

/** Largest body that the Standard Webhooks specification advises. */
const mostEventBytes = 20_000;

/** The notice as a CloudEvent of less than 20 kB: alerts at the end are left off and counted. */
export function cloudEventOf(notice: Notice, mostBytes = mostEventBytes): CloudEvent {
  let firing = notice.firing.map(eventAlert);
  let resolved = notice.resolved.map(eventAlert);
  const all = firing.length + resolved.length;
  for (;;) {
    const event = build(notice, firing, resolved, all - firing.length - resolved.length);
    if (
      Buffer.byteLength(JSON.stringify(event)) < mostBytes ||
      (firing.length === 0 && resolved.length === 0)
    )
      return event;
    if (resolved.length > 0) resolved = resolved.slice(0, Math.floor(resolved.length / 2));
    else firing = firing.slice(0, Math.floor(firing.length / 2));
  }
}

function build(
  notice: Notice,
  firing: readonly EventAlert[],
  resolved: readonly EventAlert[],
  leftOff: number,
): CloudEvent {
  const [first] = [...notice.firing, ...notice.resolved];
  const { service = '', pod = '' } = first?.labels ?? {};
  return {
    specversion: '1.0',
    id: notice.id,
    source: `/plimsoll/${encodeURIComponent(service)}/${encodeURIComponent(pod)}`,
    type: notice.firing.length > 0 ? 'dev.plimsoll.alert.firing' : 'dev.plimsoll.alert.resolved',
    subject: Object.entries(notice.group)
      .map(([label, value]) => `${label}=${value}`)
      .join(','),
    time: new Date(notice.at).toISOString(),
    datacontenttype: 'application/json',
    data: {
      title: titleOf(notice),
      level: notice.level,
      group: notice.group,
      firing,
      resolved,
      stillFiring: notice.stillFiring,
      leftOff,
    },
  };
}

function eventAlert(alert: Alert): EventAlert {
  return {
    ...alert,
    startsAt: new Date(alert.startsAt).toISOString(),
    endsAt: alert.endsAt === null ? null : new Date(alert.endsAt).toISOString(),
  };
}
