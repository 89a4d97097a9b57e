import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Claim } from '../findings/finding-book.ts';

/** What @plimsoll/pipeline publishes on `plimsoll:stage.warning` at the moment it happens. */
export interface StageWarning {
  readonly code: string;
  readonly stage: string;
  /** Path of the stage's scope. */
  readonly scope: string;
  /** Bytes that it is about: of the context, of the output, of the events. */
  readonly bytes: number;
  readonly message: string;
  readonly fix: string;
  /** Wall time in ms. */
  readonly at: number;
}

const channelName = 'plimsoll:stage.warning';

/** Makes a claim of every warning of a stage; returns the way to stop. */
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
