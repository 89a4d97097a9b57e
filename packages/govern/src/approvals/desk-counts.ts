import type { ApprovalState } from '@plimsoll/core/internal/gate/approval';

/** Number of tickets of a desk by outcome. */
export type DeskCounts = Readonly<Record<ApprovalState | 'requested' | 'joined' | 'ran', number>>;

export function noCounts(): Record<keyof DeskCounts, number> {
  return {
    open: 0,
    approved: 0,
    denied: 0,
    expired: 0,
    withdrawn: 0,
    overridden: 0,
    stale: 0,
    'refused-full': 0,
    lost: 0,
    requested: 0,
    joined: 0,
    ran: 0,
  };
}
