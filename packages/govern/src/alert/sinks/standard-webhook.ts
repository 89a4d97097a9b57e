import { createHmac } from 'node:crypto';

const leastKeyBytes = 24;
const mostKeyBytes = 64;
const mostKeys = 5;

/** The keys in a text of one or more secrets ("whsec_" and base64), separated by white space; undefined when one has not that form. */
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
