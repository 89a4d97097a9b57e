import type { Migration } from './migration.ts';

/**
 * The heat map of long spans: pressure and level of a process in a quarter of a day. Thirty days of a process are 120 rows here and 720 in
 * `rollup_hour`. The last 35 days are made from existing rows. The process with the lock of the upkeep continues from there.
 */
export const heatTable: Migration = {
  version: 12,
  name: 'heat',
  least: 1,
  sql: `
create table plimsoll.heat (process_no integer not null, at timestamptz not null, pressure real, level smallint,
  primary key (process_no, at) include (pressure, level)) partition by range (at);
insert into plimsoll.retention values ('heat', '730 days');
create or replace function plimsoll.make_partition(parent text, moment timestamptz) returns void language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare step text; low timestamptz; high timestamptz; child text;
begin
  step := case parent when 'sample' then 'day' when 'scope_batch' then 'day' when 'rollup' then 'month'
    when 'rollup_hour' then 'month' when 'heat' then 'month' when 'entry' then 'month' end;
  if step is null then raise exception 'plimsoll.% is not partitioned', parent; end if;
  low := date_trunc(step, moment at time zone 'UTC') at time zone 'UTC';
  high := (date_trunc(step, moment at time zone 'UTC') + ('1 ' || step)::interval) at time zone 'UTC';
  child := parent || '_' || to_char(low at time zone 'UTC', case step when 'day' then 'YYYYMMDD' else 'YYYYMM' end);
  if to_regclass('plimsoll.' || child) is not null then return; end if;
  perform pg_advisory_xact_lock(7366771, hashtext(child));
  if to_regclass('plimsoll.' || child) is not null then return; end if;
  execute format('create table plimsoll.%I partition of plimsoll.%I for values from (%L) to (%L)', child, parent, low, high);
end $$;
select plimsoll.make_partition('heat', now() - days * interval '1 day') from unnest(array[35, 17, 0]) as days;
insert into plimsoll.heat (process_no, at, pressure, level)
  select process_no, date_bin('6 hours', at, timestamptz '2000-01-01 00:00Z'), max(pressure), max(level)
  from plimsoll.rollup_hour where at >= date_trunc('day', now() - interval '34 days') group by 1, 2;
do $$ declare known record; begin
  for known in select distinct grantee, privilege_type as may from information_schema.role_table_grants
      where table_schema = 'plimsoll' and table_name = 'rollup_hour' and grantee <> current_user loop
    execute format('grant %s on plimsoll.heat to %s', known.may,
      case known.grantee when 'PUBLIC' then 'public' else quote_ident(known.grantee) end);
  end loop;
end $$;
`,
};
