import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Claim } from '../findings/finding-book.ts';

/** The message of @plimsoll/pipeline on `plimsoll:stage.warning`. */
export interface StageWarning {
  readonly code: string;
  readonly stage: string;
  /** Path of the stage's scope. */
  readonly scope: string;
  /** Bytes of the context, the output or the events, depending on the warning. */
  readonly bytes: number;
  readonly message: string;
  readonly fix: string;
  /** Wall time in ms. */
  readonly at: number;
}

const channelName = 'plimsoll:stage.warning';

/** Makes a claim of every warning of a stage. Returns the function that stops it. */
export function watchStageWarnings(onClaim: (claim: Claim, at: number) => void): () => void {
  const take = (message: unknown): void => {
    const warning = message as StageWarning;
    onClaim(claimOf(warning), warning.at);
  };
  subscribe(channelName, take);
  return () => void unsubscribe(channelName, take);
}

function claimOf({ code, stage, scope, bytes, message, fix }: StageWarning): Claim {
  return {
    kind: 'budget',
    severity: code === 'PLM_PIPELINE_OVER_BOUND' ? 'medium' : 'low',
    scope,
    fingerprint: createHash('sha256').update(`stage\0${code}\0${stage}`).digest('hex').slice(0, 16),
    bytes,
    subject: message.replace(/\.$/, ''),
    fix,
  };
}
