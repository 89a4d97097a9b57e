import { entry } from './entry.ts';

/** Errors and warnings of the database that a fleet shares. */
export const fleetErrors = {
  PLM_FLEET_URL: entry({
    help: 'The address of the fleet’s database cannot be used. It is taken from `ledger.url` of the policy, from PLIMSOLL_LEDGER_URL, or from the command line. The process goes on with its own ledger.',
    text: (d: { url: string; reason: string }) => ({
      message: `the database URL cannot be used (${d.reason}).`,
      where: d.url,
      fix: 'write it as postgres://USER:PASSWORD@HOST:5432/DATABASE.',
    }),
    example: { url: 'a URL that cannot be read', reason: 'Invalid URL' },
  }),
  PLM_FLEET_CLIENT_MISSING: entry({
    help: 'A database URL is given and the package `pg` is not installed. It is an optional peer, so that programs without a fleet do not install it. The process goes on with its own ledger. Its entries are shipped after a restart with the package.',
    text: (d: { url: string; reason: string }) => ({
      message: `the PostgreSQL client cannot be loaded (${d.reason}).`,
      where: d.url,
      fix: 'run "npm install pg" in the program that is governed, or where plimsoll is installed.',
    }),
    example: { url: 'postgres://***@db.internal/plimsoll', reason: "Cannot find package 'pg'" },
  }),
  PLM_FLEET_UNREACHABLE: entry({
    help: 'The fleet’s database does not answer, or refuses writes: it is down, full, read-only, or the password is wrong. The process goes on with its own ledger, which keeps everything that has to be shipped. It tries again automatically, at least every minute. Audit entries wait without a bound of their own. Samples wait within `ledger.spool`, and dropped ones are counted.',
    text: (d: { url: string; reason: string }) => ({
      message: `the fleet's database accepts nothing (${d.reason}); entries wait in the local ledger.`,
      where: d.url,
      fix: 'check that the database is up, has space, accepts writes and knows this user; nothing else is needed.',
    }),
    example: { url: 'postgres://***@db.internal/plimsoll', reason: 'connect ECONNREFUSED 10.0.0.7:5432' },
  }),
  PLM_FLEET_QUERY: entry({
    help: 'The page of a fleet or a command asked the database, which did not answer or refused: it is down, or the login may not read or write that table. The guide to a fleet lists the required rights.',
    text: (d: { what: string; reason: string }) => ({
      message: `the fleet's database refused "${d.what}" (${d.reason}).`,
      where: 'the database of --fleet',
      fix: 'see that the database is up, and that the login in the URL has the rights of the guide to a fleet.',
    }),
    example: { what: 'GET /api/fleet', reason: 'permission denied for table approval_vote' },
  }),
  PLM_FLEET_PROCESS_UNKNOWN: entry({
    help: 'The fleet’s database has no process of that id, and no host of that name.',
    text: (d: { name: string }) => ({
      message: `the fleet has no process or host "${d.name}".`,
      where: 'plimsoll.process',
      fix: 'take the id from the page "Fleet", or name the host.',
    }),
    example: { name: 'pod-7' },
  }),
  PLM_FLEET_PROCESS_ALIVE: entry({
    help: 'An autopsy was asked for of a process that still sends its samples.',
    text: (d: { id: string }) => ({
      message: `process ${d.id} is alive.`,
      where: 'plimsoll.process',
      fix: 'look at it on the page "Fleet"; an autopsy is for a process that ended or fell silent.',
    }),
    example: { id: 'pod-7-mhx2k1' },
  }),
  PLM_FLEET_SCHEMA_OLD: entry({
    help: 'The tables of the database are older than this program, and its user may not change them. Entries wait in the local ledger until a user with that right has migrated the database.',
    text: (d: { found: number; wanted: number }) => ({
      message: `the database has schema version ${d.found}, this program writes version ${d.wanted}.`,
      where: 'schema plimsoll',
      fix: 'run "plimsoll ledger migrate --url URL" as the owner of the schema.',
    }),
    example: { found: 0, wanted: 1 },
  }),
  PLM_FLEET_SCHEMA_NEW: entry({
    help: 'The tables of the database are newer than this program and do not accept its writes any more. Entries wait in the local ledger.',
    text: (d: { found: number; least: number; wanted: number }) => ({
      message: `the database has schema version ${d.found} and accepts writers from version ${d.least} on; this program writes version ${d.wanted}.`,
      where: 'schema plimsoll',
      fix: 'update plimsoll in this program to the version of the rest of the fleet.',
    }),
    example: { found: 12, least: 12, wanted: 1 },
  }),
  PLM_FLEET_POLICY_UNKNOWN: entry({
    help: 'A policy was to be rolled out that the database does not have for this service.',
    text: (d: { service: string; version: number }) => ({
      message: `the service "${d.service}" has no policy version ${d.version}.`,
      where: 'plimsoll.policy_version',
      fix: 'push it first with "plimsoll policy push FILE", or look with "plimsoll policy status".',
    }),
    example: { service: 'agent-server', version: 7 },
  }),
  PLM_FLEET_POLICY_UNTRIED: entry({
    help: 'A policy that never ran in shadow was about to be enforced. Shadow shows its actions without running them.',
    text: (d: { service: string; version: number }) => ({
      message: `policy version ${d.version} of "${d.service}" was never rolled out in shadow.`,
      where: 'plimsoll policy rollout',
      fix: 'roll it out with --mode shadow first, or say --force.',
    }),
    example: { service: 'agent-server', version: 7 },
  }),
  PLM_FLEET_SERVER_OLD: entry({
    help: 'The server is older than PostgreSQL 14, which is the oldest one that is tested.',
    text: (d: { version: string }) => ({
      message: `the server is PostgreSQL ${d.version}; 14 to 18 are supported.`,
      where: 'the database',
      fix: 'use PostgreSQL 14 or newer.',
    }),
    example: { version: '12.22' },
  }),
};
