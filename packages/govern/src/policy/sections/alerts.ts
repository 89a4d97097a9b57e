import { duration, whole, word } from '../form/quantity.ts';
import type { Choice, Leaf, ValueOf } from '../form/shape.ts';
import { list, named, optional, required, table } from '../form/shape.ts';
import { alertLabels, alertLevels, recipientKinds } from './alert-rules.ts';

const second = 1000;
const minute = 60_000;
const hour = 3_600_000;
const day = 24 * hour;

/** One line of text without control characters. */
function text(accepted: string, example: string, form: RegExp): Leaf<string> {
  return {
    kind: 'leaf',
    accepted,
    example,
    read: (value) => (typeof value === 'string' && form.test(value) ? value : undefined),
    json: { type: 'string', pattern: form.source },
  };
}

function flag(): Leaf<boolean> {
  return {
    kind: 'leaf',
    accepted: 'true or false',
    example: 'true',
    read: (value) => (typeof value === 'boolean' ? value : undefined),
    json: { type: 'boolean' },
  };
}

const address = /^https?:\/\/[^\s@/?#]+([/?#][^\s]*)?$/;
const webAddress: Leaf<string> = {
  kind: 'leaf',
  accepted: 'an address that begins with https:// or http://, without user name and password',
  example: 'https://alerts.example.com/hook',
  hidden: true,
  read: (value) =>
    typeof value === 'string' && address.test(value) && URL.canParse(value) ? value : undefined,
  json: { type: 'string', pattern: address.source },
};
const secretTable = table('a secret', {
  env: optional(
    text('the name of an environment variable', 'OPS_SECRET', /^[A-Za-z_][A-Za-z0-9_]{0,199}$/),
    'Environment variable that holds it.',
  ),
  file: optional(
    text('the path of a file', '/run/secrets/ops', /^[^\0\n\r]{1,1000}$/),
    'File with the secret. It is read at each delivery, so that a rotated secret is used.',
  ),
});
const secretPlace: Choice<ValueOf<typeof secretTable>> = {
  kind: 'choice',
  word: {
    kind: 'leaf',
    accepted: '{ env: NAME } or { file: PATH }, never the secret itself',
    example: '{ env: NAME }',
    hidden: true,
    read: () => undefined,
    json: { type: 'string', pattern: '^(?!)' },
  },
  table: secretTable,
};
const addressOrSecret: Choice<string | ValueOf<typeof secretTable>> = {
  kind: 'choice',
  word: webAddress,
  table: secretTable,
};
export const recipientName = text(
  'the name of a recipient',
  'coordinator',
  /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
);
const routeList = list('a list of recipients', recipientName);
const label = word('a label', alertLabels);
const level = word('a level', alertLevels);

const recipient = table('a recipient', {
  kind: required(
    word('a kind of recipient', recipientKinds),
    'log: the channel plimsoll:alert and the logger you pass. webhook: signed CloudEvents. slack: an incoming webhook of Slack. alertmanager: the API of Prometheus Alertmanager. a2a: an agent, over the A2A protocol.',
  ),
  url: optional(
    addressOrSecret,
    'Where to send; { env: NAME } or { file: PATH } when the address is itself a secret.',
  ),
  secret: optional(
    secretPlace,
    'Signs webhooks (Standard Webhooks, "whsec_" and base64). With several, separated by spaces or lines, all sign, so that a secret can be rotated.',
  ),
  token: optional(secretPlace, 'Sent as "Authorization: Bearer", to alertmanager and a2a.'),
  timeout: optional(duration('5s', 100, minute), 'Longest time for one attempt. Default 5s.'),
  attempts: optional(
    whole('a number of attempts', '5', 1, 10),
    'How often one notice is tried, with growing pauses, before it counts as lost. Default 5.',
  ),
  resend: optional(
    duration('1m', 5 * second, 10 * minute),
    'How often firing alerts are sent again to an alertmanager. Default 1m.',
  ),
  'allow-private': optional(
    flag(),
    'Whether the address may be a loopback, private or link-local one. Default false.',
  ),
});

/** The section `alerts` of a policy. */
export const alertsSection = table('the alerts', {
  service: optional(
    text('a name of up to 100 letters, digits and ._@:-', 'checkout', /^[\w.@:-]{1,100}$/),
    'Label "service" of every alert. Default: the name of the program.',
  ),
  'group-by': optional(
    list('a list of labels', label),
    'Alerts with equal labels go out as one notice. Default [ service, level ].',
  ),
  'group-wait': optional(
    duration('30s', 0, hour),
    'How long an alert has to fire before it is sent. One that ends earlier is never sent. Default 30s.',
  ),
  'urgent-wait': optional(
    duration('1s', 0, minute),
    'The same for emergencies and for approvals that wait. Default 1s.',
  ),
  'group-interval': optional(
    duration('5m', second, day),
    'Least time between two notices of one group. Default 5m.',
  ),
  repeat: optional(
    duration('4h', minute, 30 * day),
    'After this time an alert that still fires is sent again. Not shorter than "group-interval". Default 4h.',
  ),
  inhibit: optional(
    list(
      'a list of rules',
      table('an inhibition', {
        source: required(level, 'While an alert of this level fires,'),
        target: required(list('a list of levels', level), 'those of these levels are not sent,'),
        equal: required(list('a list of labels', label), 'when these labels are equal.'),
      }),
    ),
    'Which alerts mute others. The same alert at a higher level always mutes its lower ones. An alert about scopes mutes only its own kind, one about the process mutes all. Default: an emergency mutes critical and warning of the same service and pod.',
  ),
  recipients: optional(
    named('recipients', recipient),
    'Recipients, by a name of your choice. "log" is always there.',
  ),
  routes: optional(
    table('the routes', {
      warning: optional(
        routeList,
        'Recipients at warning. Default: log, and coordinator when it is declared.',
      ),
      critical: optional(routeList, 'Recipients at critical. Default: log, captain and coordinator.'),
      emergency: optional(
        routeList,
        'Recipients at emergency. Default: log, captain, coordinator and integration.',
      ),
    }),
    'Recipients by level.',
  ),
  'a2a-server': optional(
    table('the A2A server', {
      port: required(whole('a port', '7434', 0, 65_535), 'Port to listen on; 0 for any free one.'),
      host: optional(
        text('an address or a host name', '127.0.0.1', /^[A-Za-z0-9.:_-]{1,253}$/),
        'Address to listen on. Default 127.0.0.1.',
      ),
      url: optional(webAddress, 'The address other agents reach it by, for the agent card.'),
    }),
    'Takes decisions on approvals from other agents (skill memory.approve).',
  ),
});

export type AlertsDocument = ValueOf<typeof alertsSection> | undefined;
export type RecipientDocument = ValueOf<typeof recipient>;
export type SecretDocument = ValueOf<typeof secretTable>;
