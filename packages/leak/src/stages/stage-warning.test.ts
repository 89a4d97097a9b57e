import { channel } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import { FindingBook } from '../findings/finding-book.ts';
import { watchStageWarnings } from './stage-warning.ts';
import type { StageWarning } from './stage-warning.ts';

test('a warning of a stage is a finding at once, one per stage and kind', () => {
  const book = new FindingBook();
  const stop = watchStageWarnings((claim, at) => void book.enter(claim, at));
  const warning: StageWarning = {
    code: 'PLM_PIPELINE_OVER_BOUND',
    stage: 'rag',
    scope: 'process/run:chat/stage:rag',
    bytes: 31_457_280,
    message: 'stage "rag" holds 30.0 MiB of its 20.0 MiB bound (150 %).',
    fix: 'let the stage drop what it has used.',
    at: 1000,
  };
  const stages = channel('plimsoll:stage.warning');
  stages.publish(warning);
  stages.publish({ ...warning, at: 2000 });
  stages.publish({ ...warning, code: 'PLM_PIPELINE_CONTEXT_GREW' });
  stop();
  stages.publish({ ...warning, stage: 'late' });
  expect(book.findings).toMatchObject([
    { kind: 'budget', severity: 'medium', scope: warning.scope, count: 2, firstSeen: 1000, lastSeen: 2000 },
    { kind: 'budget', severity: 'low', count: 1 },
  ]);
  expect(book.findings[0]?.subject).toBe('stage "rag" holds 30.0 MiB of its 20.0 MiB bound (150 %)');
});
