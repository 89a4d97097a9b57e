import { admission } from '@plimsoll/govern/internal/admission/admission-control';
import type { Levers } from '@plimsoll/govern/internal/actions/levers';
import { keepers } from '@plimsoll/core/keeper';
import type { Frame } from '../../protocol/frame.ts';
import { forceGc } from '@plimsoll/leak/internal/floor/forced-gc';
import type { GrowthRecorder } from '@plimsoll/leak/internal/proof/growth-recorder';
import { EvidenceKeeper } from './evidence-keeper.ts';
import type { GovernanceParts } from './governance.ts';
import { leverScopes } from './lever-scope.ts';
import type { ScopeBytes } from '../scopes/scope-bytes.ts';

interface LeverOptions {
  /** Folder of the evidence. */
  readonly dir: string;
  readonly bytes: ScopeBytes;
  readonly hurry: (forMs: number) => void;
  readonly frame: () => Frame | undefined;
  readonly recorder: GrowthRecorder | undefined;
  /** Levers that other parts add later: restart and approvals. */
  readonly parts: GovernanceParts;
}

/** The levers of a governed process. */
export function leversOf({ bytes, dir, frame, recorder, hurry, parts }: LeverOptions): Levers {
  const evidence = new EvidenceKeeper({ dir, frame, recorder });
  return {
    keepers,
    scopes: () => leverScopes(bytes),
    unattributedBytes: () => bytes.unattributedBytes,
    admission: admission(),
    gc: forceGc,
    hurry,
    evidence: (request) => evidence.keep(request),
    get restart() {
      return parts.restart;
    },
    get restartState() {
      return parts.restartState;
    },
    get approvals() {
      return parts.approvals;
    },
  };
}
