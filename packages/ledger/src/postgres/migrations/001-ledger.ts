import { rolled, parts } from '../../sqlite/samples-schema.ts';
import type { Migration } from './migration.ts';

const columns = parts
  .filter((name) => name !== 'level')
  .map((name) => `${name} bigint`)
  .join(', ');
const rolledColumns = rolled
  .filter(({ column }) => column !== 'level')
  .map(({ column }) => `${column} bigint`)
  .join(', ');

/**
 * The tables that a fleet shares. The times of `process` and `entry.received` are by the clock of the database, so that a wrong clock on
 * one host does not change the order. `sample`, `scope_batch`, `rollup` and `entry` are partitioned by time and expire by dropping
 * partitions.
 */
export const ledgerTables: Migration = {
  version: 1,
  name: 'ledger',
  least: 1,
  sql: `
-- One row per life of a process. "no" is its short name in the big tables. "token" tells two writers apart that use one id.
create table plimsoll.process (
  id text primary key, no integer generated always as identity unique, token text not null,
  service text not null, release text not null, host text not null, pid integer not null, node text not null default '',
  started timestamptz not null, first_seen timestamptz not null default now(), last_seen timestamptz not null default now(),
  skew_ms bigint not null default 0, batch bigint not null default 0, samples bigint not null default 0, lost bigint not null default 0,
  sampled timestamptz, level smallint not null default 0, chain text, pressure real, used_bytes bigint, limit_bytes bigint,
  forecast jsonb, mode text, policy_version bigint, ended timestamptz, outcome text);
create index process_seen on plimsoll.process (last_seen);
create index process_release on plimsoll.process (service, release, started);

-- Every stored reading of a process.
create table plimsoll.sample (process_no integer not null, at timestamptz not null, used_bytes bigint not null, ${columns}, level smallint)
  partition by range (at);
create index sample_process on plimsoll.sample (process_no, at);

-- What scopes held, one row per shipped batch: path_no[i] (from 0) points into paths, offset_ms[i] counts from "at".
create table plimsoll.scope_batch (process_no integer not null, at timestamptz not null, until timestamptz not null,
  paths text[] not null, path_no integer[] not null, offset_ms integer[] not null, bytes bigint[] not null) partition by range (at);
create index scope_batch_process on plimsoll.scope_batch (process_no, at);
create view plimsoll.scope_sample as
  select b.process_no, b.at as batch_at, b.paths[s.path_no + 1] as path, b.at + s.offset_ms * interval '1 millisecond' as at, s.bytes
  from plimsoll.scope_batch b cross join lateral unnest(b.path_no, b.offset_ms, b.bytes) as s (path_no, offset_ms, bytes);

-- Five minutes, and hours, of every process. "due" names the buckets that got samples since they were rolled up.
create table plimsoll.rollup (process_no integer not null, at timestamptz not null, n integer not null, low bigint not null,
  high bigint not null, total double precision not null, pressure real, level smallint, ${rolledColumns}, primary key (process_no, at))
  partition by range (at);
create table plimsoll.rollup_hour (like plimsoll.rollup, primary key (process_no, at)) partition by range (at);
create table plimsoll.due (process_no integer not null, at timestamptz not null, primary key (process_no, at));

-- The audit. A chain is that of one ledger folder: head is the newest entry stored here, base the last one that retention dropped.
create table plimsoll.chain (id text primary key, host text not null, head_seq bigint not null, head_hash text not null,
  base_seq bigint not null, base_hash text not null, forked_from text, first_seen timestamptz not null default now());
create table plimsoll.entry (chain text not null, seq bigint not null, process_id text not null, run bigint not null, n bigint not null,
  at_ms bigint not null, kind text not null, scope text not null, body text not null, hash text not null,
  received timestamptz not null default now()) partition by range (received);
create index entry_chain on plimsoll.entry (chain, seq);
create index entry_process on plimsoll.entry (process_id, at_ms);
create index entry_kind on plimsoll.entry (kind, at_ms);
create function plimsoll.refuse_change() returns trigger language plpgsql as $$ begin
  raise exception 'the audit is append-only' using errcode = 'insufficient_privilege'; end $$;
create trigger entry_no_change before update or delete on plimsoll.entry for each row execute function plimsoll.refuse_change();

-- One fingerprint in one process, and one fingerprint in the fleet: who inserts the second row tells the operators.
create table plimsoll.finding (fingerprint text not null, process_id text not null, service text not null, release text not null,
  host text not null, kind text not null, severity text not null, scope text not null, headline text not null, fix text not null default '',
  site text, first_seen timestamptz not null, last_seen timestamptz not null, count bigint not null, bytes bigint not null,
  rate double precision, primary key (fingerprint, process_id));
create index finding_release on plimsoll.finding (service, release, fingerprint);
create index finding_seen on plimsoll.finding (last_seen);
create table plimsoll.fleet_finding (service text not null, fingerprint text not null, first_seen timestamptz not null default now(),
  first_process text not null, first_release text not null, severity text not null, told timestamptz, told_by text,
  primary key (service, fingerprint));

-- Questions to a human. "state" is what people decided; "applied" is what the process did, which keeps its own deadline.
create table plimsoll.approval (id text primary key, process_id text not null, asked timestamptz not null default now(),
  deadline timestamptz not null, default_answer text not null, state text not null default 'open', digest text not null,
  quorum integer not null default 1, decided_by text, decided_at timestamptz, decided_from text, comment text,
  applied text, applied_at timestamptz, body jsonb not null);
create index approval_open on plimsoll.approval (deadline) where state = 'open';
create index approval_process on plimsoll.approval (process_id, asked);
create table plimsoll.approval_vote (approval_id text not null references plimsoll.approval on delete cascade, voter text not null,
  decision text not null, at timestamptz not null default now(), origin text not null, channel text not null, comment text not null default '',
  key text not null, groups text[] not null default '{}', is_owner boolean not null default false, primary key (approval_id, voter), unique (approval_id, key));

-- Policies of the fleet and parked sessions.
create table plimsoll.policy_version (version bigint generated always as identity primary key, text text not null,
  created timestamptz not null default now(), by text not null, stage text not null default 'shadow', share real not null default 0);
create table plimsoll.park (key text primary key, owner text, fence bigint not null default 0, expires timestamptz,
  bytes bigint not null, body bytea not null);

-- Makes the partition that holds a moment. It runs with its owner's rights, so that a writer needs none to create tables.
create function plimsoll.make_partition(parent text, moment timestamptz) returns void language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare step text; low timestamptz; high timestamptz; child text;
begin
  step := case parent when 'sample' then 'day' when 'scope_batch' then 'day' when 'rollup' then 'month'
    when 'rollup_hour' then 'month' when 'entry' then 'month' end;
  if step is null then raise exception 'plimsoll.% is not partitioned', parent; end if;
  low := date_trunc(step, moment at time zone 'UTC') at time zone 'UTC';
  high := (date_trunc(step, moment at time zone 'UTC') + ('1 ' || step)::interval) at time zone 'UTC';
  child := parent || '_' || to_char(low at time zone 'UTC', case step when 'day' then 'YYYYMMDD' else 'YYYYMM' end);
  if to_regclass('plimsoll.' || child) is not null then return; end if;
  perform pg_advisory_xact_lock(7366771, hashtext(child));
  if to_regclass('plimsoll.' || child) is not null then return; end if;
  execute format('create table plimsoll.%I partition of plimsoll.%I for values from (%L) to (%L)', child, parent, low, high);
end $$;

-- How long each kind of history is kept. An operator changes it with an update.
create table plimsoll.retention (what text primary key, keep interval not null);
insert into plimsoll.retention values ('sample', '7 days'), ('scope_batch', '7 days'), ('rollup', '90 days'), ('rollup_hour', '730 days'),
  ('entry', '730 days'), ('process', '730 days');

-- Drops what retention does not keep any more; gives how many partitions went. A chain remembers the last entry that went.
create function plimsoll.expire() returns integer language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare kept record; child record; dropped integer := 0; ends timestamptz;
begin
  for kept in select r.what, now() - r.keep as before from plimsoll.retention r where r.what <> 'process' loop
    for child in select c.relname, pg_get_expr(c.relpartbound, c.oid) as bound from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = to_regclass('plimsoll.' || kept.what) order by 1 loop
      ends := substring(child.bound from 'TO \\(''([^'']+)''\\)')::timestamptz;
      continue when ends is null or ends > kept.before;
      if kept.what = 'entry' then
        execute format('update plimsoll.chain c set base_seq = e.seq, base_hash = e.hash from (select distinct on (chain) chain, seq, hash
          from plimsoll.%I order by chain, seq desc) e where c.id = e.chain and e.seq > c.base_seq', child.relname);
      end if;
      execute format('drop table plimsoll.%I', child.relname);
      dropped := dropped + 1;
    end loop;
  end loop;
  delete from plimsoll.process where last_seen < now() - (select keep from plimsoll.retention where what = 'process');
  delete from plimsoll.finding where last_seen < now() - (select keep from plimsoll.retention where what = 'process');
  delete from plimsoll.approval where asked < now() - (select keep from plimsoll.retention where what = 'process');
  return dropped;
end $$;
`,
};
