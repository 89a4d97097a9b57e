import type { RecipientRule } from '../../policy/sections/alert-rules.ts';
import { failure } from '@plimsoll/core/internal/errors';
import { isPlimsollError } from '@plimsoll/core';
import { readSecret } from '../secret.ts';
import type { GuardedAnswer } from './guarded-request.ts';
import { guardedRequest } from './guarded-request.ts';
import { DeliveryError, reasonOf } from './sink.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What a web recipient needs besides the policy. */
export interface WebTargetOptions {
  readonly env?: Environment;
  readonly ca?: string;
}

/** The address of a recipient; from a secret when the policy says so. */
export async function urlOf(rule: RecipientRule, options: WebTargetOptions): Promise<URL> {
  const text = typeof rule.url === 'string' ? rule.url : await secretOf(rule, 'url', options);
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new DeliveryError('its address is not one that begins with https:// or http://', { final: true });
  return url;
}

/** A secret of a recipient. When it is missing, this notice fails for good; the next one tries again. */
export async function secretOf(
  rule: RecipientRule,
  key: 'url' | 'secret' | 'token',
  options: WebTargetOptions,
): Promise<string> {
  const ref = rule[key];
  if (ref === undefined || typeof ref === 'string') return '';
  try {
    return await readSecret(ref, rule.name, options.env);
  } catch (error) {
    throw new DeliveryError(reasonOf(error), { final: true, cause: error });
  }
}

/** Posts JSON; resolves for 2xx only. */
export async function postJson(
  url: URL,
  rule: RecipientRule,
  options: WebTargetOptions,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  let answer: GuardedAnswer;
  try {
    answer = await guardedRequest(url, {
      body,
      headers,
      signal,
      allowPrivate: rule.allowPrivate,
      mostBytes: 0,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    });
  } catch (error) {
    // A refused address stays refused. Other errors may be temporary.
    const final = isPlimsollError(error) && error.code === 'PLM_ALERT_ADDRESS';
    throw error instanceof DeliveryError
      ? error
      : new DeliveryError(reasonOf(error), { final, cause: error });
  }
  const { status } = answer;
  if (status >= 200 && status < 300) return;
  const refused = failure('PLM_ALERT_ANSWER', { host: url.host, status });
  throw new DeliveryError(reasonOf(refused), {
    gone: status === 410,
    final: (status >= 300 && status < 400) || status === 410,
    retryAfterMs: 1000 * (Number(answer.headers['retry-after'] ?? 0) || 0),
    cause: refused,
  });
}
