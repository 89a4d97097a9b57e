import { ledgerTables } from './001-ledger.ts';
import { policyTables } from './010-policies.ts';
import type { Migration } from './migration.ts';

/** Every step in order. */
export const migrations: readonly Migration[] = [ledgerTables, policyTables];
