import { ledgerTables } from './001-ledger.ts';
import { policyTables } from './010-policies.ts';
import { rolloutOrigin } from './011-rollout-origin.ts';
import { heatTable } from './012-heat.ts';
import { liveView } from './013-live-view.ts';
import type { Migration } from './migration.ts';

/** Every step in order. */
export const migrations: readonly Migration[] = [
  ledgerTables,
  policyTables,
  rolloutOrigin,
  heatTable,
  liveView,
];
