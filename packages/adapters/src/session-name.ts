import { hash } from 'node:crypto';

/** Names of the ids that were seen last. A session sends its id with every request, and hashing takes as long as opening a scope. */
const names = new Map<string, string>();
const mostNames = 1000;

/**
 * The name of a session whose id is a credential (cookie, `mcp-session-id`): whoever knows the id may speak in the session, and names are
 * shown in reports and written to the ledger. The same id gives the same name.
 */
export function sessionName(id: string): string {
  let name = names.get(id);
  if (name === undefined) {
    name = hash('sha256', id, 'base64url').slice(0, 10);
    if (names.size >= mostNames) names.clear();
    names.set(id, name);
  }
  return name;
}
