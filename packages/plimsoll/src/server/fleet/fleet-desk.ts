import { failure } from '@plimsoll/core/internal/errors';
import { isPlimsollError } from '@plimsoll/core';
import type { FleetDecided, FleetDecision } from '@plimsoll/ledger/internal/postgres/approvals';
import type { PgClient } from '@plimsoll/ledger/internal/postgres/client';
import type { FleetPolicies } from '@plimsoll/ledger/internal/postgres/policies';
import type { FleetQueries } from '@plimsoll/ledger/internal/postgres/queries';

/** Most database connections of the page, which a few people use at once. */
const connections = 4;

/** The server's access to the database of a fleet. The client is loaded only for `serve --fleet`. */
export interface FleetDesk extends AsyncDisposable {
  readonly queries: FleetQueries;
  readonly policies: FleetPolicies;
  /** Takes the decision of a known caller. A caller counts as the owner only if the server's own login does. */
  readonly decide: (decision: FleetDecision) => Promise<FleetDecided>;
}

/** Opens the database and checks that it is one of ours, so that a wrong address is reported before the server listens. */
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

/** The answer of the database, or an error with a fix, because an unreachable database is not a bug of ours. */
export async function fromDatabase<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isPlimsollError(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw failure('PLM_FLEET_QUERY', { what, reason: reason.slice(0, 300) }, { cause: error });
  }
}
