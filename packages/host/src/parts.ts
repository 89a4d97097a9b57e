import type { Audit } from '@plimsoll/leak/internal/audit/audit';
import type { GrowthRecorder } from '@plimsoll/leak/internal/proof/growth-recorder';
import type * as Acting from './acting.ts';
import type * as GrowthPairs from '@plimsoll/leak/internal/proof/growth-pairs';
import type { HostSettings } from './settings.ts';

/** What a host is made with: what ran before it, and the parts that not every process needs. A module costs it 20 KB for life. */
export interface HostParts {
  readonly recorder?: GrowthRecorder | undefined;
  readonly audit?: Audit | undefined;
  /** With a policy file. */
  readonly acting?: typeof Acting | undefined;
  /** Where the program may be stopped for a snapshot. */
  readonly pairs?: typeof GrowthPairs | undefined;
}

/** Loads what these settings need. */
export async function loadParts(
  { policyFile, maxPauseMs = 0 }: HostSettings,
  before: Pick<HostParts, 'recorder' | 'audit'> = {},
): Promise<HostParts> {
  const isPursued = before.recorder !== undefined && maxPauseMs > 0;
  return {
    ...before,
    acting: policyFile === undefined ? undefined : await import('./acting.ts'),
    pairs: isPursued ? await import('@plimsoll/leak/internal/proof/growth-pairs') : undefined,
  };
}
