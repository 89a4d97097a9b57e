import type { PlimsollError } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import type { ActionName } from './actions.ts';
import { actions } from './actions.ts';
import type { PolicyDocument, RungValue } from './document.ts';
import type { DocumentReader } from './form/document-reader.ts';
import { levelRulesOf } from './level-rules.ts';
import type { PolicyNote } from './policy.ts';
import type { RaisedLevel } from '@plimsoll/core/internal/level';
import { raisedLevels } from '@plimsoll/core/internal/level';
import { formatPercent } from './form/quantity.ts';

type Path = readonly (string | number)[];
type At = (...path: Path) => { place: string; path: string };

interface LadderStep {
  readonly level: RaisedLevel;
  readonly action: ActionName;
  readonly options: Readonly<Record<string, unknown>>;
  readonly path: Path;
}

/** The rungs of a document from the lowest level up, in the order in which they run. */
export function ladderSteps(document: PolicyDocument): readonly LadderStep[] {
  return raisedLevels.flatMap((level) =>
    (document.ladder?.[level] ?? []).map((rung, i) => ({
      ...stepOf(rung),
      level,
      path: ['ladder', level, i],
    })),
  );
}

function stepOf(rung: RungValue): Pick<LadderStep, 'action' | 'options'> {
  if (typeof rung === 'string') return { action: rung as ActionName, options: {} };
  const [action, options] = Object.entries(rung)[0] ?? [''];
  return { action: action as ActionName, options: options ?? {} };
}

const natureOf = (step: LadderStep): string => actions[step.action]?.nature ?? 'tells';

/** Problems of harmful ladders: they end work before they try to free memory, or refuse work and never free memory. */
export function ladderProblems(document: PolicyDocument, at: At): PlimsollError[] {
  const steps = ladderSteps(document);
  const firstFreeing = steps.findIndex((step) => natureOf(step) === 'frees');
  const problems: PlimsollError[] = [];
  steps.forEach((step, i) => {
    const isEarly = firstFreeing < 0 || i < firstFreeing;
    if (natureOf(step) === 'stops' && isEarly)
      problems.push(
        failure('PLM_POLICY_LADDER', {
          ...at(...step.path),
          message: `"${step.action}" ends work before anything was tried that frees memory.`,
          fix: 'put a rung such as keepers.shrink or session.park before it.',
        }),
      );
    if (step.action.startsWith('admit.') && firstFreeing < 0)
      problems.push(
        failure('PLM_POLICY_LADDER', {
          ...at(...step.path),
          message: `"${step.action}" refuses work and nothing in the ladder frees memory: it would refuse for ever.`,
          fix: 'add a rung that frees, such as keepers.shrink, session.park or gc.request.',
        }),
      );
    if (step.action === 'process.restart' && step.level !== 'emergency')
      problems.push(
        failure('PLM_POLICY_LADDER', {
          ...at(...step.path),
          message: `"process.restart" stands under ${step.level}.`,
          fix: 'move it to the end of "emergency": it is for when nothing else helped.',
        }),
      );
    if (step.action === 'delegation.clamp' && !clampKeys.some((key) => key in step.options))
      problems.push(
        failure('PLM_POLICY_LADDER', {
          ...at(...step.path),
          message: '"delegation.clamp" clamps nothing.',
          fix: `give it at least one of ${clampKeys.join(', ')}.`,
        }),
      );
  });
  return problems;
}

const clampKeys = ['depth', 'fan-out', 'concurrency'];

/** Notes on ladders that are allowed but probably not meant. */
export function ladderNotes(document: PolicyDocument, reader: DocumentReader): PolicyNote[] {
  const steps = ladderSteps(document);
  const rules = levelRulesOf(document.levels);
  const notes: PolicyNote[] = [];
  const refusal = steps.find((step) => step.action === 'admit.refuse');
  if (refusal !== undefined && !steps.some((step) => step.action === 'process.restart'))
    notes.push({
      text: 'work is refused at this rung, and there is no process.restart: when nothing frees memory, a person has to end it.',
      place: reader.placeOf(refusal.path),
    });
  for (const { action, options, level, path } of steps) {
    const until = action === 'session.park' ? (options['until'] as number | undefined) : undefined;
    if (until === undefined || until < rules[level].exitRatio) continue;
    notes.push({
      text: `sessions are parked until ${formatPercent(until)}, but ${level} ends only below ${formatPercent(rules[level].exitRatio)}.`,
      place: reader.placeOf(path),
    });
  }
  return notes;
}
