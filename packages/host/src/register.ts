/**
 * The preload: `node --import @plimsoll/host server.js` governs the process. It throws nothing into the program. The program's first line
 * must not wait for us. So this file only begins to watch the collections, which needs nothing but Node.js, and sets a timer. The host is
 * loaded once the program runs.
 */
import { dirname } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { install } from '@plimsoll/adapters/internal/install';
import { WorkerHeaps } from '@plimsoll/core/internal/sense/worker-heaps';
import { slots } from '@plimsoll/core/internal/slots';
import type { Audit } from '@plimsoll/leak/internal/audit/audit';
import { loadInTurns } from './load-in-turns.ts';
import type { SupervisorLink } from './handover/supervisor-link.ts';
import { reportFatalErrors } from './parts/black-box/fatal-reports.ts';
import { settingsOf } from './parts/settings.ts';
import type { HostSettings } from './parts/settings.ts';
import type { GrowthRecorder } from '@plimsoll/leak/internal/proof/growth-recorder';

const afterProgramStartMs = 20;

if (!isMainThread)
  void import('@plimsoll/core/internal/sense/worker-side').then(({ announceWorker }) => announceWorker());

const settings = isMainThread ? settingsOf(process.env, process.argv, process.cwd(), process.pid) : undefined;
if (settings !== undefined) {
  process.env['PLIMSOLL_HOST'] ??= String(process.pid);
  reportFatalErrors(settings.dir);
  install(process.env, [dirname(process.argv[1] ?? '.'), process.cwd()]);
  const link = settings.mayOverlap === true ? await followListening(settings) : undefined;
  const workers = new WorkerHeaps();
  workers.start();
  const recorder = await startRecorder(settings);
  recorder?.followWorkers(workers);
  const audit = settings.isAudited === true ? await startAudit() : undefined;
  holdApprovals((done) => {
    setTimeout(
      () => void startHost(settings, { recorder, audit, workers, link }).finally(done),
      afterProgramStartMs,
    ).unref();
  });
}

/** Makes requests for an approval wait until the host is loaded and can answer. */
function holdApprovals(load: (done: () => void) => void): void {
  const slot = (slots().approvals ??= { gate: undefined });
  slot.loading = new Promise((resolve) =>
    load(() => {
      slot.loading = undefined;
      resolve();
    }),
  );
}

/** Records listening sockets for a handover: the next life may take over ours, and we may take over those of the previous life. */
async function followListening({ dir, takesOver }: HostSettings): Promise<SupervisorLink | undefined> {
  const { SupervisorLink } = await import('./handover/supervisor-link.ts');
  const found = SupervisorLink.take();
  if (found === undefined) return undefined;
  const { followListening: follow } = await import('./handover/listeners.ts');
  if (takesOver === undefined) {
    follow(undefined);
    return found;
  }
  const { Predecessor } = await import('./handover/predecessor.ts');
  const before = new Predecessor(dir, takesOver, found);
  before.start();
  follow(before);
  return found;
}

async function startRecorder({
  dir,
  maxPauseMs,
  isSupervised,
  supervisor,
}: HostSettings): Promise<GrowthRecorder | undefined> {
  if (maxPauseMs === undefined) return undefined;
  const { GrowthRecorder } = await import('@plimsoll/leak/internal/proof/growth-recorder');
  const recorder = new GrowthRecorder({ dir, maxPauseMs, isSupervised, supervisor });
  recorder.start();
  if (isSupervised) {
    const { lookBeforeSignals } = await import('@plimsoll/leak/internal/proof/last-look');
    lookBeforeSignals(
      () => recorder.lookBeforeEnd(),
      () => recorder.leave(),
    );
  }
  return recorder;
}

/**
 * Starts the audit, which follows listeners, timers and handles from the program's first line on. Only with an audit does the program wait
 * for us.
 */
async function startAudit(): Promise<Audit | undefined> {
  try {
    const { Audit } = await import('@plimsoll/leak/internal/audit/audit');
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
  begun: {
    readonly recorder: GrowthRecorder | undefined;
    readonly audit: Audit | undefined;
    readonly workers: WorkerHeaps;
    readonly link: SupervisorLink | undefined;
  },
): Promise<void> {
  try {
    begun.recorder?.hostIsLoading();
    const { Host } = await loadInTurns();
    const host = await Host.load(found, begun);
    await host.startInTurns();
  } catch (error) {
    begun.recorder?.hostIsLoaded();
    begun.audit?.stop();
    begun.workers.stop();
    process.emitWarning(
      `Plimsoll could not start and the program runs ungoverned: ${String(error)}`,
      'PlimsollWarning',
    );
  }
}
