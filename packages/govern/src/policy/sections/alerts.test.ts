import { describe, expect, test } from 'vitest';
import { parsePolicy } from '../parse.ts';
import { problemsOf, withHeader } from '../policy.fixture.ts';
import type { AlertRules } from './alert-rules.ts';
import { alertDefaults } from './alert-rules.ts';

const rulesOf = (text: string): AlertRules => parsePolicy(withHeader(text), 'plimsoll.yaml').alerts;
const notesOf = (text: string): string[] =>
  parsePolicy(withHeader(text), 'plimsoll.yaml').notes.map(({ text, place }) => `${place.line}: ${text}`);

test('without a section alerts go to the log only, and nobody asked for lines on stderr', () => {
  expect(rulesOf('mode: observe')).toBe(alertDefaults);
  expect(rulesOf('alerts:').declared).toBe(true);
});

test('recipients with the customary names are told by level without a word about routes', () => {
  const recipient = (name: string): string => `${name}: { kind: a2a, url: "https://${name}.example.com" }`;
  const { routes } = rulesOf(
    `alerts: { recipients: { ${['coordinator', 'captain', 'integration', 'other'].map(recipient).join(', ')} } }`,
  );
  expect(routes).toEqual({
    warning: ['log', 'coordinator'],
    critical: ['log', 'captain', 'coordinator'],
    emergency: ['log', 'captain', 'coordinator', 'integration'],
  });
  expect(
    rulesOf(
      `alerts: { recipients: { ${recipient('captain')} }, routes: { warning: [ captain, captain ], critical: } }`,
    ).routes,
  ).toEqual({
    warning: ['captain'],
    critical: [],
    emergency: ['log', 'captain'],
  });
});

test('every option of a recipient has its default', () => {
  const [log, ops] = rulesOf(
    'alerts: { group-wait: 500ms, recipients: { ops: { kind: webhook, url: { file: /run/url }, secret: { env: S } } } }',
  ).recipients;
  expect(log).toMatchObject({ name: 'log', kind: 'log' });
  expect(ops).toEqual({
    name: 'ops',
    kind: 'webhook',
    url: { file: '/run/url' },
    secret: { env: 'S' },
    timeoutMs: 5000,
    attempts: 5,
    resendMs: 60_000,
    allowPrivate: false,
    place: { file: 'plimsoll.yaml', line: 2, column: 44 },
  });
  // An emergency never waits longer than anything else.
  expect(rulesOf('alerts: { group-wait: 500ms }').urgentWaitMs).toBe(500);
});

describe('what is refused', () => {
  test('routes to nobody, recipients that lack or have too much, names that cannot be used', () => {
    expect(
      problemsOf(
        withHeader(`alerts:
  group-interval: 5m
  repeat: 2m
  recipients:
    ops: { kind: webhook, url: "https://a.example.com" }
    chat: { kind: slack, url: { env: A, file: /b }, secret: { env: S } }
    log: { kind: slack, url: { env: A } }
    "o ps": { kind: a2a }
    am: { kind: alertmanager, url: { } }
  routes:
    warning: [ opps ]
    critical: [ nobody ]`),
      ),
    ).toMatchInlineSnapshot(`
      "PLM_POLICY_ORDER: "repeat" is shorter than "group-interval", so that it could not be kept.
        at:  plimsoll.yaml:4:11  alerts.repeat
        fix: raise "repeat" or lower "group-interval".

      PLM_POLICY_RECIPIENT: recipient ops (webhook): it has no "secret".
        at:  plimsoll.yaml:6:5  alerts.recipients.ops
        fix: add secret: { env: NAME }.

      PLM_POLICY_RECIPIENT: recipient chat (slack): "url" names two places.
        at:  plimsoll.yaml:7:31  alerts.recipients.chat.url
        fix: write url: { env: NAME } or url: { file: PATH }.

      PLM_POLICY_RECIPIENT: recipient chat (slack): "secret" is not an option of this kind.
        at:  plimsoll.yaml:7:61  alerts.recipients.chat.secret
        fix: remove it; options are kind, url, timeout, attempts, allow-private.

      PLM_POLICY_RECIPIENT: recipient log (slack): "log" is the built-in recipient.
        at:  plimsoll.yaml:8:18  alerts.recipients.log.kind
        fix: give yours another name.

      PLM_POLICY_RECIPIENT: recipient o ps (a2a): its name cannot be used in a route.
        at:  plimsoll.yaml:9:5  alerts.recipients."o ps"
        fix: use letters, digits, ".", "_" and "-", up to 64.

      PLM_POLICY_RECIPIENT: recipient o ps (a2a): it has no "url".
        at:  plimsoll.yaml:9:5  alerts.recipients."o ps"
        fix: add url: https://alerts.example.com/hook.

      PLM_POLICY_RECIPIENT: recipient am (alertmanager): "url" names no place.
        at:  plimsoll.yaml:10:36  alerts.recipients.am.url
        fix: write url: { env: NAME } or url: { file: PATH }.

      PLM_POLICY_UNKNOWN_RECIPIENT: "opps" is not a recipient.
        at:  plimsoll.yaml:12:16  alerts.routes.warning[0]
        fix: write "ops". Recipients: log, ops, chat, o ps, am.

      PLM_POLICY_UNKNOWN_RECIPIENT: "nobody" is not a recipient.
        at:  plimsoll.yaml:13:17  alerts.routes.critical[0]
        fix: declare it under alerts.recipients. Recipients: log, ops, chat, o ps, am."
    `);
  });

  test('heads of the audit chain go to a webhook that is declared', () => {
    const hook = 'kind: webhook, url: https://audit.example.com, secret: { env: AUDIT }';
    expect(
      problemsOf(withHeader(`ledger: { anchor-to: audti }\nalerts:\n  recipients:\n    audit: { ${hook} }`)),
    ).toMatchInlineSnapshot(`
      "PLM_POLICY_UNKNOWN_RECIPIENT: "audti" is not a recipient.
        at:  plimsoll.yaml:2:22  ledger.anchor-to
        fix: write "audit". Recipients: audit."
    `);
    expect(
      problemsOf(
        withHeader(
          'ledger: { anchor-to: am }\nalerts:\n  recipients:\n    am: { kind: alertmanager, url: https://am.example.com }',
        ),
      ),
    ).toMatchInlineSnapshot(`
      "PLM_POLICY_RECIPIENT: recipient am (alertmanager): heads of the audit chain are sent to a webhook only.
        at:  plimsoll.yaml:2:22  ledger.anchor-to
        fix: name a recipient with "kind: webhook", which has a secret."
    `);
    expect(problemsOf(withHeader('ledger: { anchor-to: audit }'))).toContain('Recipients: none.');
    const policy = parsePolicy(
      withHeader(`ledger: { anchor-to: audit }\nalerts:\n  recipients:\n    audit: { ${hook} }`),
      'plimsoll.yaml',
    );
    expect(policy.retention.anchorTo).toBe('audit');
    expect(policy.notes).toEqual([]);
  });

  test('secrets in the text, addresses with passwords, wrong labels and units', () => {
    expect(
      problemsOf(
        withHeader(`alerts:
  group-by: [ colour ]
  repeat: 4
  inhibit: [ { source: emergency } ]
  recipients:
    a: { kind: webhook, url: "https://user:pw@a.example.com", secret: whsec_abc }
    b: { kind: mail, url: "ftp://b", attempts: 99, allow-private: "yes" }
  a2a-server: { port: 70000 }`),
      ),
    ).toMatchInlineSnapshot(`
      "PLM_POLICY_BAD_VALUE: "colour" is not accepted here; it has to be a label: alertname, level, service, pod, kind.
        at:  plimsoll.yaml:3:15  alerts.group-by[0]
        fix: write alertname.

      PLM_POLICY_NO_UNIT: 4 has no unit.
        at:  plimsoll.yaml:4:11  alerts.repeat
        fix: write the unit you mean, such as 4s.

      PLM_POLICY_MISSING_KEY: an inhibition needs the key "target".
        at:  plimsoll.yaml:5:14  alerts.inhibit[0]
        fix: add "target: ...".

      PLM_POLICY_MISSING_KEY: an inhibition needs the key "equal".
        at:  plimsoll.yaml:5:14  alerts.inhibit[0]
        fix: add "equal: ...".

      PLM_POLICY_RECIPIENT: recipient a (webhook): it has no "url".
        at:  plimsoll.yaml:7:5  alerts.recipients.a
        fix: add url: https://alerts.example.com/hook.

      PLM_POLICY_RECIPIENT: recipient a (webhook): it has no "secret".
        at:  plimsoll.yaml:7:5  alerts.recipients.a
        fix: add secret: { env: NAME }.

      PLM_POLICY_BAD_VALUE: what is written is not accepted here; it has to be an address that begins with https:// or http://, without user name and password.
        at:  plimsoll.yaml:7:30  alerts.recipients.a.url
        fix: write https://alerts.example.com/hook.

      PLM_POLICY_BAD_VALUE: what is written is not accepted here; it has to be { env: NAME } or { file: PATH }, never the secret itself.
        at:  plimsoll.yaml:7:71  alerts.recipients.a.secret
        fix: write { env: NAME }.

      PLM_POLICY_BAD_VALUE: "mail" is not accepted here; it has to be a kind of recipient: log, webhook, slack, alertmanager, a2a.
        at:  plimsoll.yaml:8:16  alerts.recipients.b.kind
        fix: write log.

      PLM_POLICY_BAD_VALUE: what is written is not accepted here; it has to be an address that begins with https:// or http://, without user name and password.
        at:  plimsoll.yaml:8:27  alerts.recipients.b.url
        fix: write https://alerts.example.com/hook.

      PLM_POLICY_BAD_VALUE: 99 is not accepted here; it has to be a number of attempts from 1 to 10, such as 5.
        at:  plimsoll.yaml:8:48  alerts.recipients.b.attempts
        fix: write 5.

      PLM_POLICY_BAD_VALUE: "yes" is not accepted here; it has to be true or false.
        at:  plimsoll.yaml:8:67  alerts.recipients.b.allow-private
        fix: write true.

      PLM_POLICY_BAD_VALUE: 70000 is not accepted here; it has to be a port from 0 to 65535, such as 7434.
        at:  plimsoll.yaml:9:23  alerts.a2a-server.port
        fix: write 7434."
    `);
  });
});

test('what is allowed but probably not meant is noted', () => {
  expect(
    notesOf(`alerts:
  recipients:
    plain: { kind: webhook, url: "http://alerts.example.com/hook", secret: { env: S } }
    cluster: { kind: alertmanager, url: "http://alertmanager:9093", allow-private: true }
    inside: { kind: alertmanager, url: "http://am.monitoring.svc.cluster.local:9093", allow-private: true }
    local: { kind: alertmanager, url: "http://10.0.0.7:9093", allow-private: true }
    six: { kind: alertmanager, url: "http://[fd00::7]:9093", allow-private: true }
    open: { kind: alertmanager, url: "http://93.184.216.34", allow-private: true }
    chat: { kind: slack, url: "https://hooks.slack.com/services/T0/B0/x" }
    idle: { kind: a2a, url: "https://agent.example.com" }
  routes:
    emergency: [ plain, cluster, inside, local, six, open, chat ]
  a2a-server: { port: 7434, host: 0.0.0.0 }`),
  ).toMatchInlineSnapshot(`
    [
      "4: recipient "plain" is sent to alerts.example.com without TLS: anyone on the network can read and change alerts.",
      "9: recipient "open" is sent to 93.184.216.34 without TLS: anyone on the network can read and change alerts.",
      "10: recipient "chat" has its address in the policy. Anyone who knows a Slack address can post to it, so use url: { env: NAME }.",
      "11: recipient "idle" is in no route and never gets an alert.",
      "14: the A2A server listens on 0.0.0.0, without TLS: put a proxy with TLS before it.",
    ]
  `);
});
