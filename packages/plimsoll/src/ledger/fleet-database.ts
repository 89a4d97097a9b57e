import { failure } from '@plimsoll/core/internal/errors';
import { connect } from '@plimsoll/ledger/internal/postgres/client';
import type { PgClient } from '@plimsoll/ledger/internal/postgres/client';
import { needSchema } from '@plimsoll/ledger/internal/postgres/migrate';

/** The database URL of `--fleet`. Without a value it is PLIMSOLL_LEDGER_URL, which other users of the machine cannot read. */
export function fleetUrl(flag: string | true, env: Readonly<Record<string, string | undefined>>): string {
  const url = flag === true ? env['PLIMSOLL_LEDGER_URL'] : flag;
  if (url === undefined || url === '')
    throw failure('PLM_FLEET_URL', { url: 'PLIMSOLL_LEDGER_URL', reason: 'it is not set' });
  return url;
}

/** Runs work on the fleet's database and closes the connection. */
export async function withFleet<T>(url: string, work: (client: PgClient) => Promise<T>): Promise<T> {
  const client = await connect(url, { name: 'plimsoll command' });
  try {
    await needSchema(client);
    return await work(client);
  } finally {
    await client.close();
  }
}
