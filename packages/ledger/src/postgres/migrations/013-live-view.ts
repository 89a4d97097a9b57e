import type { Migration } from './migration.ts';

/** Where the live view of a process is, for operators whose machine reaches it. */
export const liveView: Migration = {
  version: 13,
  name: 'live view',
  least: 1,
  sql: `
alter table plimsoll.process add column if not exists live text;
create index if not exists entry_process_kind on plimsoll.entry (process_id, kind, at_ms);
`,
};
