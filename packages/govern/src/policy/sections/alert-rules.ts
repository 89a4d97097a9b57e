import type { Place } from '../form/place.ts';
import type { AlertsDocument, RecipientDocument, SecretDocument } from './alerts.ts';

const second = 1000;
const minute = 60_000;
const hour = 3_600_000;

export const alertLevels = ['warning', 'critical', 'emergency'] as const;
export type AlertLevel = (typeof alertLevels)[number];

/** The labels of every alert. Grouping and inhibition compare them. */
export const alertLabels = ['alertname', 'level', 'service', 'pod', 'kind'] as const;
export type AlertLabel = (typeof alertLabels)[number];

export const recipientKinds = ['log', 'webhook', 'slack', 'alertmanager', 'a2a'] as const;
export type RecipientKind = (typeof recipientKinds)[number];

/** The place of a secret. The policy itself never contains one. */
export type SecretRef = { readonly env: string } | { readonly file: string };

/** One recipient of alerts. */
export interface RecipientRule {
  readonly name: string;
  readonly kind: RecipientKind;
  /** Absent for `log`. A reference to a secret when the address itself is secret, as with Slack. */
  readonly url?: string | SecretRef;
  readonly secret?: SecretRef;
  readonly token?: SecretRef;
  readonly timeoutMs: number;
  readonly attempts: number;
  readonly resendMs: number;
  readonly allowPrivate: boolean;
  readonly place: Place;
}

/** While an alert of level `source` fires, those of `target` with equal labels are not sent. */
export interface InhibitRule {
  readonly source: AlertLevel;
  readonly target: readonly AlertLevel[];
  readonly equal: readonly AlertLabel[];
}

/** Where the server for approvals over A2A listens. */
interface A2aServerRule {
  readonly host: string;
  readonly port: number;
  /** The address under which others reach it, if it differs from the listening address. */
  readonly url?: string;
  readonly place: Place;
}

/** The section `alerts`, with every default filled in. */
export interface AlertRules {
  /** False when the policy has no such section: alerts then go to the channel and the ledger only. */
  readonly declared: boolean;
  readonly service?: string;
  readonly groupBy: readonly AlertLabel[];
  readonly groupWaitMs: number;
  readonly urgentWaitMs: number;
  readonly groupIntervalMs: number;
  readonly repeatMs: number;
  readonly inhibit: readonly InhibitRule[];
  readonly recipients: readonly RecipientRule[];
  readonly routes: Readonly<Record<AlertLevel, readonly string[]>>;
  readonly a2aServer?: A2aServerRule;
}

const logPlace: Place = { file: 'built-in', line: 0, column: 0 };
const logRecipient: RecipientRule = {
  name: 'log',
  kind: 'log',
  timeoutMs: 5 * second,
  attempts: 1,
  resendMs: minute,
  allowPrivate: false,
  place: logPlace,
};

/** Recipients that a route gets by name when they are declared, for teams of agents. */
const customaryRoutes: Readonly<Record<AlertLevel, readonly string[]>> = {
  warning: ['coordinator'],
  critical: ['captain', 'coordinator'],
  emergency: ['captain', 'coordinator', 'integration'],
};

/** The alert rules of a policy without `alerts`. */
export const alertDefaults: AlertRules = {
  declared: false,
  groupBy: ['service', 'level'],
  groupWaitMs: 30 * second,
  urgentWaitMs: second,
  groupIntervalMs: 5 * minute,
  repeatMs: 4 * hour,
  inhibit: [{ source: 'emergency', target: ['critical', 'warning'], equal: ['service', 'pod'] }],
  recipients: [logRecipient],
  routes: { warning: ['log'], critical: ['log'], emergency: ['log'] },
};

/** The rules of a policy, with every default filled in. */
export function alertRulesOf(
  given: AlertsDocument,
  placeOf: (path: readonly (string | number)[]) => Place,
): AlertRules {
  if (given === undefined) return alertDefaults;
  const declared = Object.entries(given.recipients ?? {}).map(([name, each]) =>
    recipientOf(name, each, placeOf(['alerts', 'recipients', name])),
  );
  const names = declared.map(({ name }) => name);
  const server = given['a2a-server'];
  const route = (level: AlertLevel): readonly string[] => [
    ...new Set(
      given.routes?.[level] ?? ['log', ...customaryRoutes[level].filter((name) => names.includes(name))],
    ),
  ];
  return {
    declared: true,
    ...(given.service === undefined ? {} : { service: given.service }),
    groupBy: given['group-by'] ?? alertDefaults.groupBy,
    groupWaitMs: given['group-wait'] ?? alertDefaults.groupWaitMs,
    urgentWaitMs: Math.min(given['urgent-wait'] ?? alertDefaults.urgentWaitMs, given['group-wait'] ?? minute),
    groupIntervalMs: given['group-interval'] ?? alertDefaults.groupIntervalMs,
    repeatMs: given.repeat ?? alertDefaults.repeatMs,
    inhibit: given.inhibit ?? alertDefaults.inhibit,
    recipients: names.includes('log') ? declared : [logRecipient, ...declared],
    routes: { warning: route('warning'), critical: route('critical'), emergency: route('emergency') },
    ...(server === undefined
      ? {}
      : {
          a2aServer: {
            host: server.host ?? '127.0.0.1',
            port: server.port,
            ...(server.url === undefined ? {} : { url: server.url }),
            place: placeOf(['alerts', 'a2a-server']),
          },
        }),
  };
}

function recipientOf(name: string, given: RecipientDocument, place: Place): RecipientRule {
  return {
    name,
    kind: given.kind,
    ...(given.url === undefined ? {} : { url: typeof given.url === 'string' ? given.url : refOf(given.url) }),
    ...(given.secret === undefined ? {} : { secret: refOf(given.secret) }),
    ...(given.token === undefined ? {} : { token: refOf(given.token) }),
    timeoutMs: given.timeout ?? 5 * second,
    attempts: given.attempts ?? 5,
    resendMs: given.resend ?? minute,
    allowPrivate: given['allow-private'] ?? false,
    place,
  };
}

function refOf(given: SecretDocument): SecretRef {
  return given.env === undefined ? { file: given.file ?? '' } : { env: given.env };
}
