/**
 * What approvals cost a governed process: `npm run bench -- approvals`.
 * The peer of a tick with 1,000 open tickets is the same tick with none: it has to cost the same.
 */
import { needsApproval } from '@plimsoll/core/internal/gate/approval';
import { ApprovalDesk } from '@plimsoll/govern/internal/approvals/approval-desk';
import { HeldRequests } from '@plimsoll/govern/internal/approvals/held-requests';
import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import { installHeldGate } from '@plimsoll/core/internal/gate/approval';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { TicketRequest } from '@plimsoll/govern/internal/approvals/ticket';
import type { Benchmark, Row } from '../row.ts';
import { row } from '../row.ts';

const operator = builtInPolicy.approvals.rules['operator'] as NonNullable<
  (typeof builtInPolicy.approvals.rules)[string]
>;
const policy: Policy = {
  ...builtInPolicy,
  mode: 'enforce',
  approvals: { ...builtInPolicy.approvals, rules: { operator: { ...operator, pendingMax: 1000 } } },
};

function ticket(n: number): TicketRequest {
  return {
    approval: 'operator',
    kind: 'action',
    action: 'scope.stop',
    scope: 'process',
    args: { victim: `process/session:${n}` },
    why: 'process holds 340.0 MiB of 400.0 MiB (85 %).',
    evidence: { usedBytes: 356_515_840, victims: `process/session:${n}` },
    requestedBy: 'ladder.critical (plimsoll.yaml:30)',
    policy,
    isStillValid: () => true,
    run: () => undefined,
  };
}

function deskWith(open: number): ApprovalDesk {
  const desk = new ApprovalDesk({ policy });
  for (let n = 0; n < open; n++) desk.request(ticket(n));
  return desk;
}

/** Nanoseconds per call. */
function time(calls: number, work: (i: number) => void): number {
  const began = process.hrtime.bigint();
  for (let i = 0; i < calls; i++) work(i);
  return Number(process.hrtime.bigint() - began) / calls;
}

const benchmark: Benchmark = async ({ quick, log }) => {
  const rounds = quick ? 3 : 15;
  const ticks = quick ? 20_000 : 200_000;
  const empty = deskWith(0);
  const full = deskWith(1000);
  const samples = {
    empty: [] as number[],
    full: [] as number[],
    ask: [] as number[],
    decide: [] as number[],
  };
  const need: number[] = [];
  const held = new HeldRequests({ desk: empty, policy: () => policy, level: () => 'normal' });
  const uninstall = installHeldGate(held);
  for (let i = 0; i < rounds; i++) {
    log(`round ${i + 1} of ${rounds}`);
    samples.empty.push(time(ticks, () => empty.tick()));
    samples.full.push(time(ticks, () => full.tick()));
    need.push(time(ticks, () => void needsApproval('delegation', { depth: 3 })));
    const desk = new ApprovalDesk({ policy });
    samples.ask.push(time(1000, (n) => void desk.request(ticket(n))));
    const rows = desk.rows(1000);
    samples.decide.push(
      time(1000, (n) => {
        const { id, digest } = rows[n] as (typeof rows)[number];
        desk.decide({
          id,
          digest,
          decision: 'deny',
          by: 'user:ada',
          groups: [],
          isOwner: true,
          channel: 'cli',
        });
      }),
    );
    desk.close();
  }
  uninstall();
  empty.close();
  full.close();
  const found: Row[] = [
    row({
      metric: 'tick of the desk, 1,000 open tickets',
      unit: 'ns',
      samples: samples.full,
      peer: { name: 'no open ticket', samples: samples.empty },
      goal: { atMost: 1.5 },
    }),
    row({ metric: 'file a ticket, up to 1,000 open', unit: 'ns', samples: samples.ask }),
    row({ metric: 'decide a ticket', unit: 'ns', samples: samples.decide }),
    row({
      metric: 'check whether a delegation needs an approval',
      unit: 'ns',
      samples: need,
      goal: { atMost: 300 },
    }),
  ];
  return found;
};

export default benchmark;
