import type { Migration } from './migration.ts';

/**
 * Policies of the fleet and how they are rolled out. The newest step of a service says which version runs, in which mode and at which
 * share of its processes. Steps are only ever added, so they are the history of the roll-outs. Parked sessions have a table of their own,
 * which the parking lot makes.
 */
export const policyTables: Migration = {
  version: 10,
  name: 'policies',
  least: 1,
  sql: `
drop table if exists plimsoll.park;
alter table plimsoll.policy_version add column if not exists service text not null default '',
  add column if not exists sha256 text not null default '';
create table plimsoll.policy_step (id bigint generated always as identity primary key, service text not null,
  version bigint not null references plimsoll.policy_version, mode text not null check (mode in ('shadow', 'enforce')),
  share real not null check (share >= 0 and share <= 1), by text not null, at timestamptz not null default now());
create index policy_step_service on plimsoll.policy_step (service, id desc);
`,
};
