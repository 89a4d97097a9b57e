import { isSerious, type Severity } from '@plimsoll/leak/internal/findings/finding';
import type { ActionRecord } from '../actions/action.ts';
import { formatByteSize } from '@plimsoll/core/units';
import { formatDuration } from '@plimsoll/core/units';
import type { FireOptions } from './alert-book.ts';
import type { AlertDetails, AlertName } from './alert.ts';
import type { AlertLevel } from '../policy/sections/alert-rules.ts';
import type { Trouble } from '../health/trouble.ts';
import { kindOfScope } from './scope-kind.ts';

/** The part of a finding that an alert needs. */
export interface FindingFact {
  readonly id: string;
  readonly kind: string;
  readonly severity: Severity;
  readonly scope: string;
  readonly fingerprint: string;
  readonly count: number;
  readonly bytes: number;
  readonly fix: string;
  /** Set when the finding was withdrawn. */
  readonly endedAt?: number;
}

/** The part of an approval that an alert needs. */
export interface ApprovalFact {
  readonly id: string;
  readonly digest: string;
  readonly action: string;
  readonly scope: string;
  readonly why: string;
  readonly evidence: Readonly<Record<string, string | number | null>>;
  readonly at: number;
  readonly deadlineAt: number;
  readonly onExpiry: string;
  readonly state: string;
}

/** Any other event that is worth an alert. */
export interface RaisedFact {
  readonly name: AlertName;
  readonly level: AlertLevel;
  /** Scope path; the process by default. */
  readonly scope?: string;
  readonly subject?: string;
  readonly summary: string;
  readonly fix?: string;
  readonly values?: Readonly<Record<string, string | number | null>>;
}

/** A fact in the form of the alert book. */
export interface AlertFact {
  readonly name: AlertName;
  readonly level: AlertLevel;
  readonly kind: string;
  readonly subject: string;
  /** Absent when the alert ends. */
  readonly details?: AlertDetails;
  readonly options?: FireOptions;
}

/** How long an event that happened once fires. */
const momentaryMs = 600_000;
const once: FireOptions = { momentary: true, holdMs: momentaryMs };
const longestText = 500;
/** Actions of which people are told whatever the outcome. */
const loudActions: readonly string[] = ['process.restart', 'scope.stop', 'self-disable'];

/** The alert of an action; undefined when it needs none. */
export function factOfAction(record: ActionRecord): AlertFact | undefined {
  const { action, scope, outcome, text } = record;
  const level = record.level === 'normal' ? 'warning' : record.level;
  const kind = kindOfScope(scope);
  const isRestart = action === 'process.restart';
  if (outcome === 'failed')
    return {
      name: 'memory.action.failed',
      level,
      kind,
      subject: action,
      details: plain(text),
      options: once,
    };
  // A process that restarts may end before the action is done.
  const isUnderWay = isRestart && (outcome === 'running' || outcome === 'settling');
  if ((outcome !== 'done' && !isUnderWay) || !loudActions.includes(action)) return undefined;
  return {
    name: isRestart ? 'memory.restart' : 'memory.action',
    level: isRestart ? 'emergency' : level,
    kind,
    subject: action,
    details: plain(text),
    options: once,
  };
}

/** The alert of a finding. A suspicion has none, and a withdrawn finding ends its alert. */
export function factOfFinding(finding: FindingFact): AlertFact | undefined {
  const { severity, scope, fingerprint, id, count, bytes, fix, kind } = finding;
  const subject = fingerprint.slice(0, 16);
  if (finding.endedAt !== undefined)
    return { name: 'memory.finding', level: 'warning', kind: kindOfScope(scope), subject };
  if (!isSerious(severity)) return undefined;
  const held = bytes > 0 ? `, ${formatByteSize(bytes)} held` : '';
  return {
    name: 'memory.finding',
    level: severity === 'critical' ? 'critical' : 'warning',
    kind: kindOfScope(scope),
    subject,
    details: {
      summary: `${severity} finding ${id} (${kind}), seen ${count} times, such as at ${scope}${held}.`.slice(
        0,
        longestText,
      ),
      offenders: [],
      offenderCount: 0,
      actions: [],
      fix: fix.slice(0, longestText),
    },
  };
}

/** The alert of an approval, which fires while the approval is open. */
export function factOfApproval(row: ApprovalFact): AlertFact {
  const { id, digest, action, scope, why, evidence, at, deadlineAt, onExpiry } = row;
  const found = evidence['level'];
  const level = found === 'warning' || found === 'emergency' ? found : 'critical';
  const base = {
    name: 'memory.approval',
    level,
    kind: kindOfScope(scope),
    subject: id.slice(0, 60),
  } as const;
  if (row.state !== 'open') return base;
  return {
    ...base,
    details: {
      summary:
        `approval ${id} waits: ${action} on ${scope}, because ${why.replace(/\.$/, '')}. No answer within ${formatDuration(Math.max(0, deadlineAt - at))} means ${onExpiry}.`.slice(
          0,
          longestText,
        ),
      offenders: [],
      offenderCount: 0,
      actions: [],
      fix: `plimsoll approvals approve ${id}, or deny ${id}.`,
      values: { approval: id, digest, deadline: new Date(deadlineAt).toISOString() },
    },
    options: { urgent: true, momentary: true, holdMs: Math.max(1, deadlineAt - at) },
  };
}

/** The alert about missing readings. Without readings, levels stay and nothing acts. */
export function factOfStale(staleMs: number | null): AlertFact {
  const base = { name: 'memory.sensor.stale', level: 'critical', kind: 'process', subject: '' } as const;
  if (staleMs === null) return base;
  return {
    ...base,
    details: {
      ...plain(`no reading for ${formatDuration(staleMs)}: levels are held and no action runs.`),
      fix: 'look for a blocked event loop or a stopped sampler.',
    },
  };
}

/** The alert of a trouble, which fires until the trouble is withdrawn. */
export function factOfTrouble({ name, level, subject = '', summary, fix }: Trouble): AlertFact {
  const base = { name, level, kind: 'process', subject: subject.slice(0, 60) };
  if (summary === null) return base;
  const details = { ...plain(summary), ...(fix === undefined ? {} : { fix: fix.slice(0, longestText) }) };
  return { ...base, details };
}

export function factOfRaised(fact: RaisedFact): AlertFact {
  const { name, level, scope = 'process', subject = '', summary, fix, values } = fact;
  return {
    name,
    level,
    kind: kindOfScope(scope),
    subject: subject.slice(0, 60),
    details: {
      ...plain(summary),
      ...(fix === undefined ? {} : { fix: fix.slice(0, longestText) }),
      ...(values === undefined ? {} : { values }),
    },
    options: once,
  };
}

function plain(summary: string): AlertDetails {
  return { summary: summary.slice(0, longestText), offenders: [], offenderCount: 0, actions: [] };
}
