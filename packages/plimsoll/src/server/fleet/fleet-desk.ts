import type { PgClient } from '@plimsoll/ledger/internal/postgres/client';
import type { FleetPolicies } from '@plimsoll/ledger/internal/postgres/policies';
import type { FleetQueries } from '@plimsoll/ledger/internal/postgres/queries';

/** Connections of the page: a few people who look at once. */
const connections = 4;

/** The database of a fleet as the server asks it. The client is loaded when `serve --fleet` is used. */
export interface FleetDesk extends AsyncDisposable {
  readonly queries: FleetQueries;
  readonly policies: FleetPolicies;
}

/** Opens the database and looks whether it is one of ours, so that a wrong address is said before the server listens. */
export async function openFleet(url: string): Promise<FleetDesk> {
  const { connect } = await import('@plimsoll/ledger/internal/postgres/client');
  const { needSchema } = await import('@plimsoll/ledger/internal/postgres/migrate');
  const { FleetPolicies: Policies } = await import('@plimsoll/ledger/internal/postgres/policies');
  const { FleetQueries: Queries } = await import('@plimsoll/ledger/internal/postgres/queries');
  const client: PgClient = await connect(url, { connections, name: 'plimsoll serve' });
  try {
    await needSchema(client);
  } catch (error) {
    await client.close();
    throw error;
  }
  return {
    queries: new Queries(client),
    policies: new Policies(client),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
