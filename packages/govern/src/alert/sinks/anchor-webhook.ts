import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { RecipientRule } from '../../policy/sections/alert-rules.ts';
import type { WebTargetOptions } from './web-target.ts';
import { postSigned } from './webhook-sink.ts';

/** The head of an audit chain at one moment. */
interface AnchorHead {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Folder of the ledger. */
  readonly dir: string;
  readonly seq: number;
  readonly hash: string;
}

/**
 * Sends the head of an audit chain to a webhook, as a signed CloudEvent of type `dev.plimsoll.ledger.anchor`. Its `data` is the line that
 * `plimsoll ledger verify --anchors FILE` reads.
 */
export function sendAnchor(
  anchor: AnchorHead,
  rule: RecipientRule,
  service: string,
  options: WebTargetOptions = {},
): Promise<void> {
  const id = randomUUID();
  const body = JSON.stringify({
    specversion: '1.0',
    id,
    source: `/plimsoll/${encodeURIComponent(service)}/${encodeURIComponent(hostname())}`,
    type: 'dev.plimsoll.ledger.anchor',
    subject: `seq=${anchor.seq}`,
    time: new Date(anchor.at).toISOString(),
    datacontenttype: 'application/json',
    data: anchor,
  });
  return postSigned({ id, at: Date.now(), body }, rule, AbortSignal.timeout(rule.timeoutMs), options);
}
