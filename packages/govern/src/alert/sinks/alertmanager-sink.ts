import type { RecipientRule } from '../../policy/sections/alert-rules.ts';
import { formatUsedOfLimit } from '@plimsoll/core/units';
import type { Alert, AlertClock } from '../alert.ts';
import type { MirrorSink } from './sink.ts';
import type { WebTargetOptions } from './web-target.ts';
import { postJson, secretOf, urlOf } from './web-target.ts';

/** Alertmanager ends an alert that was not sent again for this many intervals, so that the alerts of a dead process end. */
const missedResends = 4;

/** Prometheus Alertmanager (API v2), which groups, inhibits and silences itself and therefore gets the whole state. */
export class AlertmanagerSink implements MirrorSink {
  readonly name: string;
  readonly resendMs: number;
  readonly #rule: RecipientRule;
  readonly #clock: Pick<AlertClock, 'now'>;
  readonly #options: WebTargetOptions;

  constructor(rule: RecipientRule, clock: Pick<AlertClock, 'now'>, options: WebTargetOptions = {}) {
    this.name = rule.name;
    this.resendMs = rule.resendMs;
    this.#rule = rule;
    this.#clock = clock;
    this.#options = options;
  }

  async mirror(alerts: readonly Alert[], signal: AbortSignal): Promise<void> {
    const base = await urlOf(this.#rule, this.#options);
    const url = new URL(base);
    url.pathname = `${base.pathname.replace(/\/$/, '')}/api/v2/alerts`;
    const token = await secretOf(this.#rule, 'token', this.#options);
    const body = JSON.stringify(alerts.map((alert) => this.#posted(alert)));
    const headers = {
      'content-type': 'application/json',
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    };
    await postJson(url, this.#rule, this.#options, body, headers, signal);
  }

  #posted(alert: Alert): object {
    const { labels, startsAt, endsAt, summary, offenders, offenderCount, fix } = alert;
    const ends = endsAt ?? this.#clock.now() + missedResends * this.resendMs;
    return {
      labels: { ...withoutEmpty(labels), severity: labels.level },
      annotations: withoutEmpty({
        summary,
        offenders: offenders
          .map(({ scope, usedBytes, limitBytes }) => `${scope} ${formatUsedOfLimit(usedBytes, limitBytes)}`)
          .join('; '),
        offender_count: offenderCount === 0 ? '' : String(offenderCount),
        fix: fix ?? '',
      }),
      startsAt: new Date(startsAt).toISOString(),
      endsAt: new Date(ends).toISOString(),
    };
  }
}

/** Alertmanager drops labels with empty values, so they are left out. */
function withoutEmpty(labels: Readonly<Record<string, string>> | Alert['labels']): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ''));
}
