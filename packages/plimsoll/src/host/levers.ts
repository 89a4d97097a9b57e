import { admission } from '@plimsoll/core/govern';
import type { Levers } from '@plimsoll/core/govern';
import { keepers } from '@plimsoll/core/keeper';
import type { Frame } from '../feed/frame.ts';
import { probeGc } from '../proof/probe-gc.ts';
import type { Witness } from '../proof/witness.ts';
import { EvidenceKeeper } from './evidence-keeper.ts';
import type { GovernanceParts } from './governance.ts';
import { leverScopes } from './lever-scope.ts';
import type { ScopeBytes } from './scope-bytes.ts';

export interface LeverOptions {
  /** Where evidence is kept. */
  readonly dir: string;
  readonly bytes: ScopeBytes;
  readonly hurry: (forMs: number) => void;
  readonly frame: () => Frame | undefined;
  readonly witness: Witness | undefined;
  /** What is put in later: restart and approvals. */
  readonly parts: GovernanceParts;
}

/** The levers of a governed process. */
export function leversOf({ bytes, dir, frame, witness, hurry, parts }: LeverOptions): Levers {
  const evidence = new EvidenceKeeper({ dir, frame, witness });
  return {
    keepers,
    scopes: () => leverScopes(bytes),
    unattributedBytes: () => bytes.unattributedBytes,
    admission: admission(),
    gc: probeGc,
    hurry,
    evidence: (request) => evidence.keep(request),
    get restart() {
      return parts.restart;
    },
    get approvals() {
      return parts.approvals;
    },
  };
}
