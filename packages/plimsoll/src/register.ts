/**
 * The preload: `node --import plimsoll/register server.js` governs the process. It throws nothing into the program.
 * The program's first line must not wait for us, so this file only begins to watch the collections (which needs nothing but Node.js)
 * and arms a timer: the host is loaded once the program runs.
 */
import { isMainThread } from 'node:worker_threads';
import type { Audit } from '@plimsoll/core/detect';
import { settingsOf } from './host/settings.ts';
import type { HostSettings } from './host/settings.ts';
import type { Witness } from './proof/witness.ts';

const afterProgramStartMs = 20;

/** The slot of `approval()` in @plimsoll/core, by its name: what needs an approval waits until the host is there to say so. */
const approvalSlot = Symbol.for('plimsoll.approvals.v1');

const settings = isMainThread ? settingsOf(process.env, process.argv, process.cwd(), process.pid) : undefined;
if (settings !== undefined) {
  process.env['PLIMSOLL_HOST'] ??= String(process.pid);
  const witness = await startWitness(settings);
  const audit = settings.isAudited === true ? await startAudit() : undefined;
  holdApprovals((done) => {
    setTimeout(() => void startHost(settings, witness, audit).finally(done), afterProgramStartMs).unref();
  });
}

function holdApprovals(load: (done: () => void) => void): void {
  const place = globalThis as { [approvalSlot]?: { gate: unknown; loading?: Promise<void> | undefined } };
  const slot = (place[approvalSlot] ??= { gate: undefined });
  slot.loading = new Promise((resolve) =>
    load(() => {
      slot.loading = undefined;
      resolve();
    }),
  );
}

async function startWitness({ dir, maxPauseMs, isSupervised }: HostSettings): Promise<Witness | undefined> {
  if (maxPauseMs === undefined) return undefined;
  const { Witness } = await import('./proof/witness.ts');
  const witness = new Witness({ dir, maxPauseMs, isSupervised });
  witness.start();
  return witness;
}

/** An audit follows what is attached from the program's first line on; only then does the program wait for us. */
async function startAudit(): Promise<Audit | undefined> {
  try {
    const { Audit } = await import('@plimsoll/core/audit');
    const audit = new Audit();
    audit.start();
    return audit;
  } catch (error) {
    process.emitWarning(`Plimsoll could not start its audit: ${String(error)}`, 'PlimsollWarning');
    return undefined;
  }
}

async function startHost(
  found: HostSettings,
  witness: Witness | undefined,
  audit: Audit | undefined,
): Promise<void> {
  try {
    const { Host } = await import('./host/host.ts');
    (await Host.load(found, { witness, audit })).start();
  } catch (error) {
    audit?.stop();
    process.emitWarning(
      `Plimsoll could not start and the program runs ungoverned: ${String(error)}`,
      'PlimsollWarning',
    );
  }
}
