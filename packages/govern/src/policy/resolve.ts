import { builtInPolicy } from './built-in.ts';
import { budgetNotes } from './cross-rules.ts';
import type { PolicyDocument, RungValue } from './document.ts';
import type { DocumentReader } from './form/document-reader.ts';
import { bySpecificity, compileGlob } from './glob.ts';
import { ladderNotes } from './ladder-rules.ts';
import { levelRulesOf } from './level-rules.ts';
import type { BudgetRule, BudgetSection, Policy, Rung } from './policy.ts';
import type { RaisedLevel } from '@plimsoll/core/internal/level';
import { pairNotes } from './pair-notes.ts';
import { steadyLimitsOf } from './sections/admission.ts';
import { alertRulesOf } from './sections/alert-rules.ts';
import { alertsNotes } from './alerts-check.ts';
import { approvalPolicyOf } from './sections/approvals.ts';
import { guardRulesOf } from './sections/guards.ts';
import { rollbackRulesOf } from './sections/rollback.ts';
import { adapterSwitchesOf } from './sections/adapters.ts';
import { sessionPolicyOf } from './sections/sessions.ts';
import { settleRulesOf } from './sections/settle.ts';

/** Turns a checked document into the policy the governor uses, with every default filled in. */
export function resolvePolicy(
  document: PolicyDocument,
  reader: DocumentReader,
  identity: { file: string; sha256: string },
): Policy {
  const base = builtInPolicy;
  const { limits, signal, ledger } = document;
  const sampleMs = signal?.sample ?? base.signal.sampleMs;
  const rawMs = ledger?.samples?.raw ?? base.retention.rawMs;
  const minuteMs = ledger?.samples?.['1m'] ?? Math.max(base.retention.minuteMs, rawMs);
  const global = document.budgets?.global;
  const ladder = (level: RaisedLevel): readonly Rung[] =>
    (document.ladder?.[level] ?? []).map((rung, i) => rungOf(rung, reader, ['ladder', level, i]));
  const section = (name: BudgetSection): readonly BudgetRule[] => budgetRules(document, reader, name);
  const policy = {
    ...identity,
    revision: document.revision ?? base.revision,
    mode: document.mode ?? base.mode,
    ...(document.release === undefined ? {} : { release: document.release }),
    limits: {
      heapUsableRatio: limits?.heap?.usable ?? base.limits.heapUsableRatio,
      ...(limits?.rss?.max === undefined ? {} : { rssMaxBytes: limits.rss.max }),
      ...(limits?.native?.max === undefined ? {} : { nativeMaxBytes: limits.native.max }),
    },
    levels: levelRulesOf(document.levels),
    signal: {
      sampleMs,
      fastMs: signal?.fast ?? Math.min(base.signal.fastMs, sampleMs),
      staleMs: signal?.stale ?? Math.max(base.signal.staleMs, 2 * sampleMs),
      graceMs: signal?.grace ?? base.signal.graceMs,
    },
    global: {
      max: global?.max ?? base.global.max,
      reserveBytes: global?.reserve ?? base.global.reserveBytes,
      place: global === undefined ? base.global.place : reader.placeOf(['budgets', 'global']),
    },
    budgets: {
      services: section('services'),
      agents: section('agents'),
      sessions: section('sessions'),
      runs: section('runs'),
      stages: section('stages'),
      tools: section('tools'),
    },
    admission: steadyLimitsOf(document.admission),
    ladder: { warning: ladder('warning'), critical: ladder('critical'), emergency: ladder('emergency') },
    approvals: approvalPolicyOf(document.approvals, reader),
    settle: settleRulesOf(document.settle),
    guards: guardRulesOf(document.guards),
    retention: {
      rawMs,
      minuteMs,
      hourMs: ledger?.samples?.['1h'] ?? Math.max(base.retention.hourMs, minuteMs),
      maxBytes: ledger?.['max-size'] ?? base.retention.maxBytes,
      ...(ledger?.url === undefined ? {} : { url: ledger.url }),
      ...(ledger?.spool === undefined ? {} : { spoolBytes: ledger.spool }),
      ...(ledger?.['anchor-file'] === undefined ? {} : { anchorFile: ledger['anchor-file'] }),
      ...(ledger?.['anchor-to'] === undefined ? {} : { anchorTo: ledger['anchor-to'] }),
    },
    rollback: rollbackRulesOf(document.rollback),
    alerts: alertRulesOf(document.alerts, (path) => reader.placeOf(path)),
    sessions: sessionPolicyOf(document.sessions),
    adapters: adapterSwitchesOf(document.adapters),
    exempt: (document.exempt?.scopes ?? []).map(({ kind, name }, i) => ({
      kind,
      glob: compileGlob(name),
      place: reader.placeOf(['exempt', 'scopes', i]),
    })),
  };
  return Object.freeze({
    ...policy,
    notes: [
      ...ladderNotes(document, reader),
      ...budgetNotes(document, reader),
      ...alertsNotes(document.alerts, (path) => reader.placeOf(path), ledger?.['anchor-to']),
      ...pairNotes(policy, reader),
    ],
  });
}

function budgetRules(
  document: PolicyDocument,
  reader: DocumentReader,
  section: BudgetSection,
): readonly BudgetRule[] {
  return Object.entries(document.budgets?.[section] ?? {})
    .map(([name, { max, priority, idle }]): BudgetRule => ({
      section,
      glob: compileGlob(name),
      place: reader.placeOf(['budgets', section, name]),
      max,
      priority,
      idleMs: idle,
    }))
    .sort((a, b) => bySpecificity(a.glob, b.glob));
}

function rungOf(value: RungValue, reader: DocumentReader, path: readonly (string | number)[]): Rung {
  const place = reader.placeOf(path);
  if (typeof value === 'string') return { action: value, options: {}, place };
  const [action, given] = Object.entries(value)[0] as [string, (typeof value)[string]];
  const { mode, approval, cooldown, timeout, ...options } = given ?? {};
  return {
    action,
    options,
    ...(mode === undefined ? {} : { mode }),
    ...(approval === undefined ? {} : { approval }),
    ...(cooldown === undefined ? {} : { cooldownMs: cooldown }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    place,
  };
}
