import type { Audit } from '@plimsoll/leak/internal/audit/audit';
import type { WorkerHeaps } from '@plimsoll/core/internal/sense/worker-heaps';
import type { GrowthRecorder } from '@plimsoll/leak/internal/proof/growth-recorder';
import type * as Acting from './govern/acting.ts';
import type * as LiveProof from '@plimsoll/leak/internal/proof/live-proof';
import type { SupervisorLink } from '../handover/supervisor-link.ts';

/** What the preload started before the host, and modules that not every process needs. A loaded module keeps about 20 KB for life. */
export interface HostModules {
  readonly recorder?: GrowthRecorder | undefined;
  /** Worker threads that began before the host was loaded. */
  readonly workers?: WorkerHeaps | undefined;
  readonly audit?: Audit | undefined;
  /** The channel to a supervisor that may start the next life beside this one. */
  readonly link?: SupervisorLink | undefined;
  /** With a policy file, or with a fleet that may send a policy. */
  readonly acting?: typeof Acting | undefined;
  /** Where the program may be stopped for a snapshot. */
  readonly proof?: typeof LiveProof | undefined;
}
