import { failure } from '@plimsoll/core/internal/errors';
import type { RecipientRule } from '../../policy/sections/alert-rules.ts';
import type { AlertClock, Notice } from '../alert.ts';
import { cloudEventOf } from '../cloud-event.ts';
import type { AlertSink } from './sink.ts';
import { DeliveryError, reasonOf } from './sink.ts';
import type { WebTargetOptions } from './web-target.ts';
import { postJson, secretOf, urlOf } from './web-target.ts';
import { createHmac } from 'node:crypto';

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
    const message = { id: notice.id, at: this.#clock.now(), body: JSON.stringify(cloudEventOf(notice)) };
    await postSigned(message, this.#rule, signal, this.#options);
  }
}

/** A signed CloudEvent for a webhook. */
interface SignedMessage {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly body: string;
}

/** Posts a CloudEvent to a webhook, signed by Standard Webhooks with every secret that the webhook has. */
export async function postSigned(
  { id, at, body }: SignedMessage,
  rule: RecipientRule,
  signal: AbortSignal,
  options: WebTargetOptions = {},
): Promise<void> {
  const keys = webhookKeys(await secretOf(rule, 'secret', options));
  if (keys === undefined) {
    const from = describeRef(rule);
    const reason = 'a secret is "whsec_" and the base64 of 24 to 64 bytes';
    throw new DeliveryError(
      reasonOf(failure('PLM_ALERT_NO_SECRET', { recipient: rule.name, from, reason })),
      { final: true },
    );
  }
  const headers = {
    'content-type': 'application/cloudevents+json; charset=utf-8',
    ...webhookHeaders(keys, id, at, body),
  };
  await postJson(await urlOf(rule, options), rule, options, body, headers, signal);
}

function describeRef({ secret }: RecipientRule): string {
  if (secret === undefined) return 'the policy';
  return 'env' in secret ? `environment variable ${secret.env}` : `file ${secret.file}`;
}

const leastKeyBytes = 24;
const mostKeyBytes = 64;
const mostKeys = 5;

/** The keys in a text of one or more secrets ("whsec_" and base64), separated by white space; undefined when one has another form. */
export function webhookKeys(text: string): readonly Buffer[] | undefined {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '');
  if (parts.length === 0 || parts.length > mostKeys) return undefined;
  const keys = parts.map((part) => {
    const base64 = part.replace(/^whsec_/, '');
    const key = /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : Buffer.alloc(0);
    return key;
  });
  return keys.every((key) => key.length >= leastKeyBytes && key.length <= mostKeyBytes) ? keys : undefined;
}

/** The headers of the Standard Webhooks specification: one signature v1 (HMAC-SHA256 over id, time and body) per key. */
export function webhookHeaders(
  keys: readonly Buffer[],
  id: string,
  atMs: number,
  body: string,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(atMs / 1000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
