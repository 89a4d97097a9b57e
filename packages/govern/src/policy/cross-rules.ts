import type { PlimsollError } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import { formatByteSize } from '@plimsoll/core/units';
import { formatDuration } from '@plimsoll/core/units';
import { builtInPolicy } from './built-in.ts';
import type { PolicyDocument } from './document.ts';
import type { DocumentReader } from './form/document-reader.ts';
import { compileGlob, isTie } from './glob.ts';
import { ladderProblems, ladderSteps } from './ladder-rules.ts';
import { levelRulesOf } from './level-rules.ts';
import { formatKeyPath, formatPlace } from './form/place.ts';
import type { Amount, BudgetSection, PolicyNote } from './policy.ts';
import type { RaisedLevel } from '@plimsoll/core/internal/level';
import { budgetSections } from './policy.ts';
import { raisedLevels } from '@plimsoll/core/internal/level';
import { approvalProblems } from './approvals-check.ts';
import { formatPercent } from './form/quantity.ts';
import { alertsProblems, anchorProblems } from './alerts-check.ts';
import { rollbackProblems } from './sections/rollback.ts';

type Path = readonly (string | number)[];
type At = (...path: Path) => { place: string; path: string };
const maxTies = 20;

/** The rules over several keys, which JSON Schema cannot express. */
export function crossProblems(document: PolicyDocument, reader: DocumentReader): PlimsollError[] {
  const at: At = (...path) => ({ place: formatPlace(reader.placeOf(path)), path: formatKeyPath(path) });
  return [
    ...levelProblems(document, at),
    ...signalProblems(document, at),
    ...retentionProblems(document, at),
    ...rollbackProblems(document.rollback, at),
    ...alertsProblems(document.alerts, at),
    ...anchorProblems(document.ledger?.['anchor-to'], document.alerts, at),
    ...parentProblems(document, at),
    ...tieProblems(document, at, reader),
    ...ladderProblems(document, at),
    ...approvalProblems(document.approvals, ladderSteps(document), at, reader.problems),
  ];
}

function levelProblems(document: PolicyDocument, at: At): PlimsollError[] {
  const rules = levelRulesOf(document.levels);
  const problems: PlimsollError[] = [];
  let below: RaisedLevel | undefined;
  for (const level of raisedLevels) {
    const { enterRatio, exitRatio } = rules[level];
    if (exitRatio >= enterRatio)
      problems.push(
        failure('PLM_POLICY_LEVEL_GAP', {
          ...at('levels', level, 'exit'),
          level,
          enter: formatPercent(enterRatio),
          exit: formatPercent(exitRatio),
        }),
      );
    if (below !== undefined) {
      const order = (key: 'enter' | 'exit', lowerRatio: number, upperRatio: number): void => {
        problems.push(
          failure('PLM_POLICY_LEVEL_ORDER', {
            ...at('levels', level, key),
            key,
            lower: below as string,
            lowerAt: formatPercent(lowerRatio),
            upper: level,
            upperAt: formatPercent(upperRatio),
          }),
        );
      };
      const lower = rules[below];
      if (enterRatio <= lower.enterRatio) order('enter', lower.enterRatio, enterRatio);
      if (exitRatio <= lower.exitRatio) order('exit', lower.exitRatio, exitRatio);
    }
    below = level;
  }
  return problems;
}

function signalProblems(document: PolicyDocument, at: At): PlimsollError[] {
  const defaults = builtInPolicy.signal;
  const sample = document.signal?.sample ?? defaults.sampleMs;
  const fast = document.signal?.fast ?? Math.min(defaults.fastMs, sample);
  const stale = document.signal?.stale ?? Math.max(defaults.staleMs, 2 * sample);
  const problems: PlimsollError[] = [];
  if (fast > sample)
    problems.push(
      failure('PLM_POLICY_ORDER', {
        ...at('signal', 'fast'),
        message: `"fast" is ${formatDuration(fast)} and "sample" is ${formatDuration(sample)}; fast readings may not be slower.`,
        fix: `lower "fast" to ${formatDuration(sample)} or less.`,
      }),
    );
  if (stale < 2 * sample)
    problems.push(
      failure('PLM_POLICY_ORDER', {
        ...at('signal', 'stale'),
        message: `"stale" is ${formatDuration(stale)} and "sample" is ${formatDuration(sample)}; one late reading would count as stale.`,
        fix: `raise "stale" to ${formatDuration(2 * sample)} or more.`,
      }),
    );
  return problems;
}

function retentionProblems(document: PolicyDocument, at: At): PlimsollError[] {
  const given = document.ledger?.samples;
  const defaults = builtInPolicy.retention;
  const raw = given?.raw ?? defaults.rawMs;
  const minute = given?.['1m'] ?? Math.max(defaults.minuteMs, raw);
  const hour = given?.['1h'] ?? Math.max(defaults.hourMs, minute);
  const problems: PlimsollError[] = [];
  const shorter = (coarse: string, coarseMs: number, fine: string, fineMs: number): void => {
    if (coarseMs >= fineMs) return;
    problems.push(
      failure('PLM_POLICY_ORDER', {
        ...at('ledger', 'samples', coarse),
        message: `"${coarse}" is kept for ${formatDuration(coarseMs)} and "${fine}" for ${formatDuration(fineMs)}; coarse rows may not go before fine ones.`,
        fix: `raise "${coarse}" to ${formatDuration(fineMs)} or more.`,
      }),
    );
  };
  shorter('1m', minute, 'raw', raw);
  shorter('1h', hour, '1m', minute);
  return problems;
}

function parentProblems(document: PolicyDocument, at: At): PlimsollError[] {
  const global = document.budgets?.global;
  const max = global?.max;
  const problems: PlimsollError[] = [];
  if (max === undefined || !('bytes' in max)) return problems;
  if (global?.reserve !== undefined && global.reserve >= max.bytes)
    problems.push(
      failure('PLM_POLICY_ABOVE_PARENT', {
        ...at('budgets', 'global', 'reserve'),
        child: 'the reserve',
        max: formatByteSize(global.reserve),
        parent: 'the global budget',
        parentMax: formatByteSize(max.bytes),
      }),
    );
  const parentMax = max.bytes - (global?.reserve ?? 0);
  for (const [section, name, budget] of everyBudget(document)) {
    if (budget.max === undefined || !('bytes' in budget.max) || budget.max.bytes <= parentMax) continue;
    if (parentMax <= 0) continue;
    problems.push(
      failure('PLM_POLICY_ABOVE_PARENT', {
        ...at('budgets', section, name, 'max'),
        child: `${section} "${name}"`,
        max: formatByteSize(budget.max.bytes),
        parent: 'the global budget',
        parentMax: formatByteSize(parentMax),
      }),
    );
  }
  return problems;
}

function tieProblems(document: PolicyDocument, at: At, reader: DocumentReader): PlimsollError[] {
  const problems: PlimsollError[] = [];
  for (const section of Object.keys(budgetSections) as BudgetSection[]) {
    const globs = Object.keys(document.budgets?.[section] ?? {})
      .map(compileGlob)
      .filter((glob) => !glob.exact);
    for (let i = 0; i < globs.length; i++) {
      for (let j = 0; j < i; j++) {
        const first = globs[j] as (typeof globs)[number];
        const second = globs[i] as (typeof globs)[number];
        if (!isTie(first, second)) continue;
        problems.push(
          failure('PLM_POLICY_TIE', {
            ...at('budgets', section, second.text),
            section,
            first: first.text,
            second: second.text,
            line: reader.placeOf(['budgets', section, first.text]).line,
          }),
        );
        if (problems.length >= maxTies) return problems;
      }
    }
  }
  return problems;
}

/** Notes on budgets that are allowed but that an outer budget always undercuts. */
export function budgetNotes(document: PolicyDocument, reader: DocumentReader): PolicyNote[] {
  const notes: PolicyNote[] = [];
  const sections = Object.keys(budgetSections) as BudgetSection[];
  for (const [section, name, budget] of everyBudget(document)) {
    const max = budget.max;
    if (max === undefined || !('bytes' in max)) continue;
    for (const outer of sections.slice(0, sections.indexOf(section))) {
      const largest = largestOf(document.budgets?.[outer]);
      if (largest === undefined || max.bytes <= largest) continue;
      notes.push({
        text: `${section} "${name}" may hold ${formatByteSize(max.bytes)}, but no ${budgetSections[outer]} more than ${formatByteSize(largest)}: inside one of the ${outer} the smaller number counts.`,
        place: reader.placeOf(['budgets', section, name]),
      });
      break;
    }
  }
  return notes;
}

/** The most any scope of a section may hold, when a "*" rule bounds them all and every number is absolute. */
function largestOf(section: Readonly<Record<string, { max?: Amount }>> | undefined): number | undefined {
  if (section?.['*']?.max === undefined) return undefined;
  let largest = 0;
  for (const { max } of Object.values(section)) {
    if (max === undefined) continue;
    if (!('bytes' in max)) return undefined;
    largest = Math.max(largest, max.bytes);
  }
  return largest;
}

type BudgetValue = NonNullable<NonNullable<PolicyDocument['budgets']>[BudgetSection]>[string];

function* everyBudget(document: PolicyDocument): Generator<[BudgetSection, string, BudgetValue]> {
  for (const section of Object.keys(budgetSections) as BudgetSection[])
    for (const [name, budget] of Object.entries(document.budgets?.[section] ?? {}))
      yield [section, name, budget];
}
