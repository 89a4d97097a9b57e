import { ApprovalDesk } from '@plimsoll/govern/internal/approvals/approval-desk';
import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import type { ApprovalRow } from '@plimsoll/govern/internal/approvals/approval-row';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';

const place = { file: 'plimsoll.yaml', line: 1, column: 1 };

/** A desk with one kind of ticket: two minutes, decided by the captain or somebody of sre. */
export function deskOf(quorum = 1): {
  desk: ApprovalDesk;
  clock: FakeClock;
  file: (scope: string) => ApprovalRow;
} {
  const clock = new FakeClock();
  const policy = {
    ...builtInPolicy,
    approvals: {
      rules: {
        ops: {
          name: 'ops',
          by: ['agent:captain', 'group:sre'],
          quorum,
          ttlMs: 120_000,
          onExpiry: 'skip' as const,
          breakGlass: 'never' as const,
          pendingMax: 1000,
          place,
        },
      },
    },
  };
  const desk = new ApprovalDesk({ policy, clock });
  const file = (scope: string): ApprovalRow => {
    const { id } = desk.request({
      approval: 'ops',
      kind: 'action',
      action: 'scope.stop',
      scope,
      args: { scope },
      why: 'it holds 71.4 MiB of 64.0 MiB',
      evidence: { level: 'critical', usedBytes: 74_868_326 },
      requestedBy: 'ladder.critical[0]',
      policy: { revision: policy.revision, sha256: policy.sha256 },
      isStillValid: () => true,
      run: () => undefined,
    });
    return desk.row(id) as ApprovalRow;
  };
  return { desk, clock, file };
}
