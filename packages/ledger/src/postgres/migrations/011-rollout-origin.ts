import type { Migration } from './migration.ts';

/** Steps of a roll-out record their origin and are never changed, because they are its audit. */
export const rolloutOrigin: Migration = {
  version: 11,
  name: 'origin of roll-outs',
  least: 1,
  sql: `
alter table plimsoll.policy_step add column if not exists origin text not null default '';
alter table plimsoll.policy_version add column if not exists origin text not null default '';
create trigger policy_step_no_change before update or delete on plimsoll.policy_step for each row execute function plimsoll.refuse_change();
`,
};
