import { failure } from '@plimsoll/core/internal/errors';
import type { RecipientRule } from '../../policy/sections/alert-rules.ts';
import type { AlertClock, Notice } from '../alert.ts';
import { cloudEventOf } from '../cloud-event.ts';
import { webhookHeaders, webhookKeys } from './standard-webhook.ts';
import type { AlertSink } from './sink.ts';
import { DeliveryError, reasonOf } from './sink.ts';
import type { WebTargetOptions } from './web-target.ts';
import { postJson, secretOf, urlOf } from './web-target.ts';

/** A webhook that takes CloudEvents, signed by Standard Webhooks with every secret it has. */
export class WebhookSink implements AlertSink {
  readonly name: string;
  readonly #rule: RecipientRule;
  readonly #clock: Pick<AlertClock, 'now'>;
  readonly #options: WebTargetOptions;

  constructor(rule: RecipientRule, clock: Pick<AlertClock, 'now'>, options: WebTargetOptions = {}) {
    this.name = rule.name;
    this.#rule = rule;
    this.#clock = clock;
    this.#options = options;
  }

  async deliver(notice: Notice, signal: AbortSignal): Promise<void> {
    const keys = webhookKeys(await secretOf(this.#rule, 'secret', this.#options));
    if (keys === undefined) {
      const from = describeRef(this.#rule);
      const reason = 'a secret is "whsec_" and the base64 of 24 to 64 bytes';
      throw new DeliveryError(
        reasonOf(failure('PLM_ALERT_NO_SECRET', { recipient: this.name, from, reason })),
        { final: true },
      );
    }
    const url = await urlOf(this.#rule, this.#options);
    const body = JSON.stringify(cloudEventOf(notice));
    const headers = {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      ...webhookHeaders(keys, notice.id, this.#clock.now(), body),
    };
    await postJson(url, this.#rule, this.#options, body, headers, signal);
  }
}

function describeRef({ secret }: RecipientRule): string {
  if (secret === undefined) return 'the policy';
  return 'env' in secret ? `environment variable ${secret.env}` : `file ${secret.file}`;
}
