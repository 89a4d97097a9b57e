import type { Frame } from '@plimsoll/host/protocol/frame';

/** One event by the log data model of OpenTelemetry. */
interface LogEvent {
  /** Identifies an event, which may be in several frames. */
  readonly id: string;
  readonly name: 'plimsoll.finding' | 'plimsoll.level' | 'plimsoll.action';
  /** Ms since the epoch. */
  readonly at: number;
  readonly severity: 'INFO' | 'WARN' | 'ERROR' | 'FATAL';
  readonly text: string;
  readonly scope: string;
  readonly attributes: Readonly<Record<string, string | number>>;
}

const byLevel = { normal: 'INFO', warning: 'WARN', critical: 'ERROR', emergency: 'FATAL' } as const;
const bySeverity = { info: 'INFO', low: 'INFO', medium: 'WARN', high: 'ERROR', critical: 'FATAL' } as const;
/** OpenTelemetry's numbers of severities. */
const severityNumbers = { INFO: 9, WARN: 13, ERROR: 17, FATAL: 21 } as const;

/** The events of a process, oldest first: each finding once, each change of a level, each action when its outcome is known. */
export function eventsOf(frame: Frame): readonly LogEvent[] {
  const levels = frame.levels.map(({ at, scope, from, level, usedBytes, limitBytes, source }): LogEvent => ({
    id: `level ${scope} ${at} ${level}`,
    name: 'plimsoll.level',
    at,
    severity: byLevel[level],
    text: `${scope} went from ${from} to ${level}`,
    scope,
    attributes: {
      'plimsoll.level': level,
      'plimsoll.level.previous': from,
      'plimsoll.used': usedBytes,
      'plimsoll.limit': limitBytes,
      'plimsoll.limit.source': source,
    },
  }));
  const findings = frame.findings.map(
    ({ fingerprint, firstSeen, kind, severity, scope, bytes, fix }): LogEvent => ({
      // A finding is sent again when its severity changes.
      id: `finding ${fingerprint} ${severity}`,
      name: 'plimsoll.finding',
      at: firstSeen,
      severity: bySeverity[severity],
      text: `${kind} in ${scope}: ${fix}`,
      scope,
      attributes: {
        'plimsoll.finding.fingerprint': fingerprint,
        'plimsoll.finding.kind': kind,
        'plimsoll.finding.severity': severity,
        'plimsoll.finding.bytes': bytes,
      },
    }),
  );
  const isOver = ({ outcome }: { readonly outcome: string }): boolean =>
    outcome === 'done' || outcome === 'would-have' || outcome === 'skipped' || outcome === 'failed';
  const actions = frame.governance.actions
    .filter(isOver)
    .map(({ id, at, action, outcome, mode, scope, text, freedBytes }): LogEvent => ({
      id: `action ${id} ${outcome}`,
      name: 'plimsoll.action',
      at,
      severity: outcome === 'failed' ? 'ERROR' : 'INFO',
      text,
      scope,
      attributes: {
        'plimsoll.action': action,
        'plimsoll.action.outcome': outcome,
        'plimsoll.action.mode': mode,
        ...(freedBytes === null ? {} : { 'plimsoll.action.freed': freedBytes }),
      },
    }));
  return [...levels, ...findings, ...actions].sort((a, b) => a.at - b.at);
}

/** Events that were already sent. It is bounded, because a frame has only the newest rows and old ones never return. */
export class SentEvents {
  readonly #sent = new Set<string>();

  /** The events of a frame that were not sent yet. */
  fresh(frame: Frame): readonly LogEvent[] {
    return eventsOf(frame).filter(({ id }) => !this.#sent.has(id));
  }

  note(events: readonly LogEvent[]): void {
    for (const { id } of events) this.#sent.add(id);
    for (const id of this.#sent) {
      if (this.#sent.size <= mostSent) return;
      this.#sent.delete(id);
    }
  }
}

const mostSent = 5000;

type Value =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number };

function keyValue([key, value]: readonly [string, unknown]): { readonly key: string; readonly value: Value } {
  if (typeof value !== 'number') return { key, value: { stringValue: String(value) } };
  return { key, value: Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value } };
}

/** The body of a request to `/v1/logs` in OTLP's JSON. */
export function otlpLogs(
  frame: Pick<Frame, 'traces'>,
  events: readonly LogEvent[],
  resource: Readonly<Record<string, unknown>>,
): object {
  return {
    resourceLogs: [
      {
        resource: { attributes: Object.entries(resource).map(keyValue) },
        scopeLogs: [
          {
            scope: { name: 'plimsoll' },
            logRecords: events.map(({ at, name, severity, text, scope, attributes }) => ({
              timeUnixNano: `${Math.round(at)}000000`,
              severityNumber: severityNumbers[severity],
              severityText: severity,
              eventName: name,
              body: { stringValue: text },
              attributes: Object.entries({
                'event.name': name,
                'plimsoll.scope.path': scope,
                ...attributes,
              }).map(keyValue),
              ...frame.traces?.[scope],
            })),
          },
        ],
      },
    ],
  };
}
