import { hash } from 'node:crypto';

/**
 * The name of a session whose id is a credential (cookie, `mcp-session-id`): whoever knows the id may speak in the session, and names are
 * shown in reports and written to the ledger. The same id gives the same name.
 */
export function sessionName(id: string): string {
  return hash('sha256', id, 'base64url').slice(0, 10);
}
