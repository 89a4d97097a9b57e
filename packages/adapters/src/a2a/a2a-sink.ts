import type { Client } from '@a2a-js/sdk/client';
import type { AlertSink } from '@plimsoll/govern/internal/alert/sinks/sink';
import type { Notice } from '@plimsoll/govern/internal/alert/alert';
import type { RecipientRule } from '@plimsoll/govern/internal/policy/sections/alert-rules';
import { DeliveryError } from '@plimsoll/govern/internal/alert/sinks/sink';
import { cloudEventOf } from '@plimsoll/govern/internal/alert/cloud-event';
import { guardedFetch } from '@plimsoll/govern/internal/alert/sinks/guarded-fetch';
import { linesOf, titleOf } from '@plimsoll/govern/internal/alert/notice-text';
import { readSecret } from '@plimsoll/govern/internal/alert/secret';
import { failure } from '@plimsoll/core/internal/errors';
import { isPlimsollError } from '@plimsoll/core';
import type { A2aClientSdk } from './sdk.ts';
import { loadClientSdk } from './sdk.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface A2aSinkOptions {
  readonly env?: Environment;
  /** Trusted certificates beside those of Node.js. */
  readonly ca?: string;
}

/** How long an agent card is believed before it is fetched again. */
const cardMs = 600_000;
const longestText = 4000;
/** Only one peer's answer counts, and none of ours is long. */
const mostAnswerBytes = 256 * 1024;

/**
 * Tells another agent, as an A2A client: one message per notice, with a text part for people and language models and a data part that is
 * the CloudEvent. The agent's work on it is not awaited.
 */
export class A2aSink implements AlertSink {
  readonly name: string;
  readonly #rule: RecipientRule;
  readonly #options: A2aSinkOptions;
  #client: Promise<Client> | undefined;
  #sinceMs = 0;

  constructor(rule: RecipientRule, options: A2aSinkOptions = {}) {
    this.name = rule.name;
    this.#rule = rule;
    this.#options = options;
  }

  async deliver(notice: Notice, signal: AbortSignal): Promise<void> {
    const sdk = await this.#sdk();
    let answer: object;
    try {
      const client = await this.#connected(sdk);
      signal.throwIfAborted();
      answer = await client.sendMessage(requestOf(sdk, notice), { signal });
    } catch (error) {
      this.#client = undefined;
      throw deliveryError(error);
    }
    this.#judge(answer as { status?: { state?: number } }, sdk);
  }

  async #sdk(): Promise<A2aClientSdk> {
    try {
      return await loadClientSdk();
    } catch (error) {
      const fix = isPlimsollError(error) ? ` ${error.fix}` : '';
      throw new DeliveryError(`${(error as Error).message}${fix}`, { final: true, cause: error });
    }
  }

  #connected(sdk: A2aClientSdk): Promise<Client> {
    const nowMs = performance.now();
    if (this.#client === undefined || nowMs - this.#sinceMs > cardMs) {
      this.#client = this.#connect(sdk);
      this.#sinceMs = nowMs;
    }
    return this.#client;
  }

  async #connect({ client }: A2aClientSdk): Promise<Client> {
    const { url: given, token, name, allowPrivate, timeoutMs } = this.#rule;
    const { env, ca } = this.#options;
    const url =
      typeof given === 'string' ? given : given === undefined ? '' : await readSecret(given, name, env);
    const { origin } = new URL(url);
    const fetchImpl = guardedFetch({
      allowPrivate,
      timeoutMs,
      mostBytes: mostAnswerBytes,
      ...(token === undefined ? {} : { bearer: { origin, token: () => readSecret(token, name, env) } }),
      ...(ca === undefined ? {} : { ca }),
    });
    const factory = new client.ClientFactory({
      transports: [
        new client.JsonRpcTransportFactory({ fetchImpl }),
        new client.RestTransportFactory({ fetchImpl }),
      ],
      cardResolver: new client.DefaultAgentCardResolver({ fetchImpl }),
    });
    // A full address of a card is taken as it is, a base address gets the well-known path.
    return url.endsWith('.json') ? factory.createFromUrl(url, '') : factory.createFromUrl(withSlash(url));
  }

  /** A message is an answer; a task may go on for long, but must not have been refused. */
  #judge(answer: { readonly status?: { readonly state?: number } }, { core }: A2aClientSdk): void {
    const state = answer.status?.state;
    if (state !== core.TaskState.TASK_STATE_REJECTED && state !== core.TaskState.TASK_STATE_FAILED) return;
    const refused = failure('PLM_A2A_REFUSED', { recipient: this.name, state: core.taskStateToJSON(state) });
    throw new DeliveryError(refused.message, { final: true, cause: refused });
  }
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

function requestOf({ core }: A2aClientSdk, notice: Notice) {
  const text = [titleOf(notice), ...linesOf(notice)].join('\n').slice(0, longestText);
  const part = { metadata: undefined, filename: '' };
  return {
    tenant: '',
    message: {
      messageId: notice.id,
      contextId: '',
      taskId: '',
      role: core.Role.ROLE_USER,
      parts: [
        { ...part, content: { $case: 'text' as const, value: text }, mediaType: 'text/plain' },
        {
          ...part,
          content: { $case: 'data' as const, value: cloudEventOf(notice) },
          mediaType: 'application/cloudevents+json',
        },
      ],
      metadata: { level: notice.level },
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: {
      acceptedOutputModes: ['text/plain', 'application/json'],
      taskPushNotificationConfig: undefined,
      historyLength: 0,
      returnImmediately: true,
    },
    metadata: undefined,
  };
}

/** What went wrong, without addresses, because one of them may be a secret. */
function deliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const final = isPlimsollError(error) && ['PLM_ALERT_ADDRESS', 'PLM_ALERT_NO_SECRET'].includes(error.code);
  return new DeliveryError(text.replaceAll(/https?:\/\/\S+/g, 'its address').slice(0, 200), {
    final,
    cause: error,
  });
}
