import type { AlertEvent } from '@plimsoll/govern/internal/alert/alert-router';
import type { Labels } from '@plimsoll/govern/internal/alert/alert';
import { formatMatcher } from '@plimsoll/govern/internal/alert/silence';

type Body = Readonly<Record<string, string | number>>;
const longestText = 2000;

/** The ledger entry of an alert: the recipient and the text, or the reason why nobody was told. */
export function alertEntry(event: AlertEvent): Body {
  switch (event.event) {
    case 'sent':
    case 'lost':
      return deliveryEntry(event);
    case 'suppressed': {
      const { recipient, by, labels } = event;
      const text = `not sent to ${recipient}: ${nameOf(labels)}, muted by ${by === 'silence' ? 'a silence' : 'a graver alert'}`;
      return { event: 'suppressed', recipient, by, text };
    }
    case 'mirror-failed': {
      const { recipient, reason } = event;
      return { event: 'failed', recipient, reason, text: `could not reach ${recipient}: ${reason}` };
    }
    default: {
      const { id, author, comment, endsAt, matchers } = event.silence;
      const words = matchers.map(formatMatcher).join(' ');
      const text =
        event.event === 'silenced'
          ? `silence ${id}: ${words}, until ${new Date(endsAt).toISOString()}, by ${author}`
          : `silence ${id} was ended by ${event.by}: ${words}`;
      return { event: event.event, id, by: event.by, matchers: words, comment, text };
    }
  }
}

function deliveryEntry(event: Extract<AlertEvent, { readonly event: 'sent' | 'lost' }>): Body {
  const { notice, attempts, reason } = event;
  const { id, recipient, level, firing, resolved } = notice;
  const alerts = [
    ...firing.map(({ labels }) => nameOf(labels)),
    ...resolved.map(({ labels }) => `the end of ${nameOf(labels)}`),
  ].join('; ');
  const told =
    event.event === 'sent'
      ? `sent to ${recipient}: ${alerts}`
      : `not delivered to ${recipient}, ${reason}: ${alerts}`;
  return {
    event: event.event,
    recipient,
    id,
    level,
    attempts,
    ...(reason === undefined ? {} : { reason }),
    text: told.slice(0, longestText),
  };
}

function nameOf({ level, alertname, kind, subject }: Labels): string {
  return [level, alertname, kind, subject].filter((word) => word !== '').join(' ');
}
