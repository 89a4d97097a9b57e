import type { AlertRouter } from '@plimsoll/govern/internal/alert/alert-router';
import type { ApprovalDesk } from '@plimsoll/govern/internal/approvals/approval-desk';
import type { HandActions } from '@plimsoll/govern/internal/ladder/by-hand';
import type { Governor } from '@plimsoll/govern/internal/level/governor';
import type { Sampler } from '@plimsoll/core/internal/sense/sampler';
import type { ControlArgs, ControlOps } from '../protocol/control.ts';
import type { PolicyGuard } from '../parts/govern/rollback.ts';
import type { ScopeBytes } from '../parts/scopes/scope-bytes.ts';

/** The parts of a host that the operations answer for. */
interface Controlled {
  /** Folder of the run, where the approvers are. */
  readonly dir: string;
  readonly bytes: ScopeBytes;
  readonly governor: Governor;
  readonly sampler: Pick<Sampler, 'limits'>;
  readonly guard: PolicyGuard | undefined;
  readonly desk: () => Promise<ApprovalDesk>;
  readonly router: () => Promise<AlertRouter>;
  /** Actions that a person asks for. */
  readonly hand: () => Promise<HandActions>;
  /** Resolves when everything so far is in the ledger's files, or after a time limit when the disk hangs. */
  readonly recorded: () => Promise<unknown>;
}

/** Everything that a watcher may ask a host through the feed. Each group is loaded with the first question to it. */
export function controlsOf(host: Controlled): readonly ControlOps[] {
  return [
    lateOps(['policy.rollback', 'policy.mode', 'policy.state'], async () => {
      const { rollbackOps } = await import('./policy.ts');
      return rollbackOps(() => host.guard);
    }),
    lateOps(['silences'], async () => {
      const { silenceOps } = await import('./silences.ts');
      return recordedOps(silenceOps(await host.router()), ['silences'], host.recorded);
    }),
    lateOps(['approvals.list', 'approvals.decide'], async () => {
      const { approvalOps } = await import('./approvals.ts');
      const { approverFile } = await import('../protocol/approver-file.ts');
      const ops = approvalOps(await host.desk(), approverFile(host.dir));
      return recordedOps(ops, ['approvals.decide'], host.recorded);
    }),
    lateOps(['snapshot.state', 'snapshot.take'], async () => {
      const { SnapshotDesk, snapshotOps } = await import('./snapshot.ts');
      return snapshotOps(
        new SnapshotDesk({ dir: host.dir, approvals: () => host.governor.policy.approvals }),
      );
    }),
    lateOps(['act'], async () => {
      const { actOps } = await import('./act.ts');
      return recordedOps(actOps(await host.hand()), ['act'], host.recorded);
    }),
    lateOps(['scopes', 'explain', 'policy'], async () => {
      const { viewOps } = await import('./view-ops.ts');
      return viewOps(host.bytes, host.governor, host.sampler);
    }),
  ];
}

/** Makes the named operations answer only when their work is recorded, because the caller may end the process at once. */
export function recordedOps(
  ops: ControlOps,
  names: readonly string[],
  recorded: () => Promise<unknown>,
): ControlOps {
  const entries = Object.entries(ops).map(([name, op]) => {
    if (!names.includes(name)) return [name, op] as const;
    const waits = async (args: ControlArgs): Promise<unknown> => {
      const answer = await op(args);
      await recorded();
      return answer;
    };
    return [name, waits] as const;
  });
  return Object.fromEntries(entries);
}

/** Operations that are loaded when the first of them is asked for. Most processes are never asked. */
export function lateOps(names: readonly string[], load: () => Promise<ControlOps>): ControlOps {
  let loading: Promise<ControlOps> | undefined;
  const answer = async (name: string, args: ControlArgs): Promise<unknown> => {
    loading ??= load();
    loading.catch(() => (loading = undefined));
    return (await loading)[name]?.(args);
  };
  return Object.fromEntries(names.map((name) => [name, (args: ControlArgs) => answer(name, args)]));
}
