import type { HeldGate } from '@plimsoll/core/internal/gate/approval';

/** The gate of approvals in a process without a policy: it observes, so nothing has to wait. */
export const openGate: HeldGate = {
  needs: () => false,
  hold: () => Promise.resolve({ state: 'not-needed', id: null, by: null }),
};
