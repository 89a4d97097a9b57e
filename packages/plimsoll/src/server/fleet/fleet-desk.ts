import { failure } from '@plimsoll/core/internal/errors';
import { isPlimsollError } from '@plimsoll/core';
import type { FleetDecided, FleetDecision } from '@plimsoll/ledger/internal/postgres/approvals';
import type { PgClient } from '@plimsoll/ledger/internal/postgres/client';
import type { FleetPolicies } from '@plimsoll/ledger/internal/postgres/policies';
import type { FleetQueries } from '@plimsoll/ledger/internal/postgres/queries';

/** Most database connections of the page. A few people look at it at once. */
const connections = 4;

/** The database of a fleet as the server asks it. The client is loaded when `serve --fleet` is used. */
export interface FleetDesk extends AsyncDisposable {
  readonly queries: FleetQueries;
  readonly policies: FleetPolicies;
  /** Takes the decision of somebody whom the server knows. Whoever counts as the owner does so only when the server's own login does. */
  readonly decide: (decision: FleetDecision) => Promise<FleetDecided>;
}

/** Opens the database and looks whether it is one of ours, so that a wrong address is said before the server listens. */
export async function openFleet(url: string): Promise<FleetDesk> {
  const { connect } = await import('@plimsoll/ledger/internal/postgres/client');
  const { needSchema } = await import('@plimsoll/ledger/internal/postgres/migrate');
  const { databaseUser, decideApproval } = await import('@plimsoll/ledger/internal/postgres/approvals');
  const { FleetPolicies: Policies } = await import('@plimsoll/ledger/internal/postgres/policies');
  const { FleetQueries: Queries } = await import('@plimsoll/ledger/internal/postgres/queries');
  const { mayDecide } = await import('../../approvals/fleet-approvals.ts');
  const client: PgClient = await connect(url, { connections, name: 'plimsoll serve' });
  try {
    await needSchema(client);
    const server = await databaseUser(client);
    return {
      queries: new Queries(client),
      policies: new Policies(client),
      decide: (decision) => {
        const input = { ...decision, isOwner: decision.isOwner && server.isOwner };
        return decideApproval(client, input, (asked) => mayDecide(asked, input));
      },
      [Symbol.asyncDispose]: () => client.close(),
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** The answer of the database, or an error that says what to do: a database that is away is no bug of ours. */
export async function fromDatabase<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isPlimsollError(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw failure('PLM_FLEET_QUERY', { what, reason: reason.slice(0, 300) }, { cause: error });
  }
}
