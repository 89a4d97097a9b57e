import { ledgerTables } from './001-ledger.ts';
import type { Migration } from './migration.ts';

/** Every step in order. */
export const migrations: readonly Migration[] = [ledgerTables];
