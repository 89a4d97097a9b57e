import { failure } from '@plimsoll/core/internal/errors';
import { connect } from '@plimsoll/ledger/internal/postgres/client';
import { migrate } from '@plimsoll/ledger/internal/postgres/migrate';
import { verifyChains } from '@plimsoll/ledger/internal/postgres/verify';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { fleetUrl, withFleet } from './fleet-database.ts';

interface FleetFlags {
  readonly url: string | true;
  readonly json?: boolean;
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Recomputes the hash chain of every ledger folder in the fleet's database, as `verify` does for audit.db. */
export function verifyFleet({ url, json: isJson }: FleetFlags, io: Io): Promise<number> {
  return withFleet(fleetUrl(url, io.env), async (client) => {
    const checks = await verifyChains(client);
    if (isJson === true) io.stdout.write(json(checks));
    const broken = checks.filter((check) => check.broken !== undefined);
    if (isJson !== true) {
      for (const { chain, host, rows, broken: fault } of broken) {
        const file = `chain ${chain} of ${host}`;
        io.stderr.write(
          `${String(failure('PLM_LEDGER_CHAIN_BROKEN', { file, rows, ...(fault as NonNullable<typeof fault>) }))}\n`,
        );
      }
      const rows = checks.reduce((sum, check) => sum + check.rows, 0);
      io.stdout.write(
        `${rows.toLocaleString('en-US')} audit entries in ${checks.length} chains, ${broken.length === 0 ? 'all are whole' : `${broken.length} are broken`}\n`,
      );
    }
    return broken.length === 0 ? exitCode.fine : exitCode.finding;
  });
}

/** Migrates the fleet's database to this version. Processes whose login is allowed to do so migrate it themselves. */
export async function migrateFleet({ url, json: isJson }: FleetFlags, io: Io): Promise<number> {
  const client = await connect(fleetUrl(url, io.env), { statementMs: 600_000, name: 'plimsoll command' });
  try {
    const { from, to } = await migrate(client);
    if (isJson === true) io.stdout.write(json({ from, to }));
    else
      io.stdout.write(
        from === to
          ? `The database has version ${to}.\n`
          : `The database went from version ${from} to ${to}.\n`,
      );
    return exitCode.fine;
  } finally {
    await client.close();
  }
}
