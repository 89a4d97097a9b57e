import type { Audit } from '@plimsoll/leak/internal/audit/audit';
import type { Witness } from '@plimsoll/leak/internal/proof/witness';
import type * as Acting from './acting.ts';
import type * as Pursuing from '@plimsoll/leak/internal/proof/pursuing';
import type { HostSettings } from './settings.ts';

/** What a host is made with: what ran before it, and the parts that not every process needs. A module costs it 20 KB for life. */
export interface HostParts {
  readonly witness?: Witness | undefined;
  readonly audit?: Audit | undefined;
  /** With a policy file. */
  readonly acting?: typeof Acting | undefined;
  /** Where the program may be stopped for a snapshot. */
  readonly pursuing?: typeof Pursuing | undefined;
}

/** Loads what these settings need. */
export async function loadParts(
  { policyFile, maxPauseMs = 0 }: HostSettings,
  before: Pick<HostParts, 'witness' | 'audit'> = {},
): Promise<HostParts> {
  const isPursued = before.witness !== undefined && maxPauseMs > 0;
  return {
    ...before,
    acting: policyFile === undefined ? undefined : await import('./acting.ts'),
    pursuing: isPursued ? await import('@plimsoll/leak/internal/proof/pursuing') : undefined,
  };
}
