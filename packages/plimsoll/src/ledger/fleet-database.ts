import { failure } from '@plimsoll/core/internal/errors';
import { connect } from '@plimsoll/ledger/internal/postgres/client';
import type { PgClient } from '@plimsoll/ledger/internal/postgres/client';
import { needSchema } from '@plimsoll/ledger/internal/postgres/migrate';

/** The database that `--fleet` names; without a value it is that of PLIMSOLL_LEDGER_URL, which no other user of the machine can read. */
export function fleetUrl(flag: string | true, env: Readonly<Record<string, string | undefined>>): string {
  const url = flag === true ? env['PLIMSOLL_LEDGER_URL'] : flag;
  if (url === undefined || url === '')
    throw failure('PLM_FLEET_URL', { url: 'PLIMSOLL_LEDGER_URL', reason: 'it is not set' });
  return url;
}

/** Works on the fleet's database and closes it. */
export async function withFleet<T>(url: string, work: (client: PgClient) => Promise<T>): Promise<T> {
  const client = await connect(url, { name: 'plimsoll command' });
  try {
    await needSchema(client);
    return await work(client);
  } finally {
    await client.close();
  }
}
