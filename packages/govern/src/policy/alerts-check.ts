import { isIP } from 'node:net';
import type { PlimsollError } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import type { Place } from './form/place.ts';
import { suggestion } from './form/suggestion.ts';
import type { RecipientKind } from './sections/alert-rules.ts';
import { alertDefaults, alertLevels, alertRulesOf } from './sections/alert-rules.ts';
import type { AlertsDocument, RecipientDocument } from './sections/alerts.ts';

type At = (...path: (string | number)[]) => { place: string; path: string };

/** The options a kind takes beside `kind`. */
const optionsOf: Readonly<Record<RecipientKind, readonly string[]>> = {
  log: [],
  webhook: ['url', 'secret', 'timeout', 'attempts', 'allow-private'],
  slack: ['url', 'timeout', 'attempts', 'allow-private'],
  alertmanager: ['url', 'token', 'timeout', 'resend', 'allow-private'],
  a2a: ['url', 'token', 'timeout', 'attempts', 'allow-private'],
};
const neededBy: Readonly<Record<RecipientKind, readonly string[]>> = {
  log: [],
  webhook: ['url', 'secret'],
  slack: ['url'],
  alertmanager: ['url'],
  a2a: ['url'],
};

/** The rules of `alerts` that join several keys. */
export function alertsProblems(given: AlertsDocument, at: At): PlimsollError[] {
  if (given === undefined) return [];
  const problems: PlimsollError[] = [];
  const recipients = given.recipients ?? {};
  for (const [name, each] of Object.entries(recipients)) problems.push(...recipientProblems(name, each, at));
  const names = [...new Set(['log', ...Object.keys(recipients)])];
  for (const level of alertLevels)
    for (const [i, name] of (given.routes?.[level] ?? []).entries()) {
      if (names.includes(name)) continue;
      const near = suggestion(name, names);
      problems.push(
        failure('PLM_POLICY_UNKNOWN_RECIPIENT', {
          ...at('alerts', 'routes', level, i),
          name,
          names,
          ...(near === undefined ? {} : { suggestion: near }),
        }),
      );
    }
  const { repeat = alertDefaults.repeatMs, 'group-interval': interval = alertDefaults.groupIntervalMs } =
    given;
  if (repeat < interval)
    problems.push(
      failure('PLM_POLICY_ORDER', {
        ...at('alerts', given.repeat === undefined ? 'group-interval' : 'repeat'),
        message: '"repeat" is shorter than "group-interval", so that it could not be kept.',
        fix: 'raise "repeat" or lower "group-interval".',
      }),
    );
  return problems;
}

/** Checks that `ledger.anchor-to` names a webhook, because only webhooks are signed. */
export function anchorProblems(name: string | undefined, given: AlertsDocument, at: At): PlimsollError[] {
  if (name === undefined) return [];
  const webhooks = Object.entries(given?.recipients ?? {}).filter(([, { kind }]) => kind === 'webhook');
  const names = webhooks.map(([each]) => each);
  if (names.includes(name)) return [];
  const other = given?.recipients?.[name];
  if (other === undefined) {
    const near = suggestion(name, names);
    return [
      failure('PLM_POLICY_UNKNOWN_RECIPIENT', {
        ...at('ledger', 'anchor-to'),
        name,
        names,
        ...(near === undefined ? {} : { suggestion: near }),
      }),
    ];
  }
  return [
    failure('PLM_POLICY_RECIPIENT', {
      ...at('ledger', 'anchor-to'),
      recipient: `${name} (${other.kind})`,
      message: 'heads of the audit chain are sent to a webhook only',
      fix: 'name a recipient with "kind: webhook", which has a secret',
    }),
  ];
}

function recipientProblems(name: string, given: RecipientDocument, at: At): PlimsollError[] {
  const problems: PlimsollError[] = [];
  const { kind } = given;
  if (kind === undefined) return problems;
  const recipient = `${name} (${kind})`;
  const bad = (message: string, fix: string, ...path: string[]): void => {
    problems.push(
      failure('PLM_POLICY_RECIPIENT', {
        ...at('alerts', 'recipients', name, ...path),
        recipient,
        message,
        fix,
      }),
    );
  };
  if (name === 'log' && kind !== 'log')
    bad('"log" is the built-in recipient', 'give yours another name', 'kind');
  else if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name))
    bad('its name cannot be used in a route', 'use letters, digits, ".", "_" and "-", up to 64');
  const has = (key: string): boolean => given[key as keyof RecipientDocument] !== undefined;
  for (const key of neededBy[kind])
    if (!has(key)) {
      const example = key === 'url' ? 'url: https://alerts.example.com/hook' : `${key}: { env: NAME }`;
      bad(`it has no "${key}"`, `add ${example}`);
    }
  for (const key of Object.keys(given)) {
    if (key === 'kind' || optionsOf[kind].includes(key)) continue;
    const keys = ['kind', ...optionsOf[kind]].join(', ');
    bad(`"${key}" is not an option of this kind`, `remove it; options are ${keys}`, key);
  }
  for (const key of ['url', 'secret', 'token'] as const) {
    const value = given[key];
    if (typeof value !== 'object') continue;
    if ((value.env === undefined) === (value.file === undefined))
      bad(
        `"${key}" names ${value.env === undefined ? 'no place' : 'two places'}`,
        `write ${key}: { env: NAME } or ${key}: { file: PATH }`,
        key,
      );
  }
  return problems;
}

/** Notes on values of `alerts` that are allowed but probably not meant. */
export function alertsNotes(
  given: AlertsDocument,
  placeOf: (path: readonly (string | number)[]) => Place,
  /** The recipient that `ledger.anchor-to` names. */
  anchorTo?: string,
): { readonly text: string; readonly place: Place }[] {
  const notes: { text: string; place: Place }[] = [];
  if (given === undefined) return notes;
  const rules = alertRulesOf(given, placeOf);
  const routed = new Set(Object.values(rules.routes).flat());
  for (const { name, kind, url, place } of rules.recipients) {
    const note = (text: string): void => void notes.push({ text: `recipient "${name}" ${text}`, place });
    if (kind !== 'log' && !routed.has(name) && name !== anchorTo)
      note('is in no route and never gets an alert.');
    if (typeof url !== 'string') continue;
    if (isPlainToPublic(url))
      note(`is sent to ${new URL(url).host} without TLS: anyone on the network can read and change alerts.`);
    if (kind === 'slack' || /\/services\/T[A-Z0-9]+\//.test(url))
      note(
        'has its address in the policy. Anyone who knows a Slack address can post to it, so use url: { env: NAME }.',
      );
  }
  const host = rules.a2aServer?.host;
  if (rules.a2aServer !== undefined && host !== '127.0.0.1' && host !== '::1' && host !== 'localhost')
    notes.push({
      text: `the A2A server listens on ${host}, without TLS: put a proxy with TLS before it.`,
      place: rules.a2aServer.place,
    });
  return notes;
}

/** True for http:// to an address other than this machine and names without a dot, which services of a cluster have. */
function isPlainToPublic(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'http:') return false;
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 4) return !/^(10\.|127\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.)/.test(host);
  if (isIP(host) === 6) return !/^(::1$|f[cd]|fe[89ab])/i.test(host);
  return (
    host !== 'localhost' && host.includes('.') && !/\.(local|internal|svc|localhost)$|\.svc\./.test(host)
  );
}
