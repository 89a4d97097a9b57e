import type { SessionSource } from '@plimsoll/govern/internal/policy/sections/sessions';
import { sessionName } from '../session-name.ts';

/** The parts of a request that a session id is looked for in. */
export interface RequestHead {
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Longer ids are no ids. */
const longest = 512;

/** The name of the session that a request belongs to, by the first source that has one. */
export function sessionOf(request: RequestHead, sources: readonly SessionSource[]): string | undefined {
  for (const source of sources) {
    const id = idAt(request, source);
    if (id === undefined || id === '' || id.length > longest) continue;
    return nameFrom(source, id);
  }
  return undefined;
}

/** By the names of fields that a policy has. Asking the expression takes longer than all else that is done with an id. */
const secrets = new Map<string, boolean>();

function isSecret(name: string): boolean {
  const known = secrets.get(name);
  if (known !== undefined) return known;
  const found = /session|token|key|auth/i.test(name);
  secrets.set(name, found);
  return found;
}

/** The name of the session with this id. Ids in headers and cookies, and those whose place says so, are credentials and are hashed. */
export function nameFrom({ at, name }: SessionSource, id: string): string {
  return at === 'header' || at === 'cookie' || isSecret(name) ? sessionName(id) : id;
}

function idAt({ url = '', headers }: RequestHead, { at, name }: SessionSource): string | undefined {
  if (at === 'header') return first(headers[name]);
  if (at === 'cookie') return cookie(first(headers['cookie']), name);
  if (at === 'query') return query(url, name);
  return at === 'path' ? pathPart(url, name) : undefined;
}

function first(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

function cookie(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

function query(url: string, name: string): string | undefined {
  const at = url.indexOf('?');
  return at < 0 ? undefined : (new URLSearchParams(url.slice(at + 1)).get(name) ?? undefined);
}

/** The part of the path that stands where the pattern has `:id`. What follows the pattern does not matter. */
function pathPart(url: string, pattern: string): string | undefined {
  const parts = (url.split('?', 1)[0] as string).split('/');
  let found: string | undefined;
  for (const [i, want] of pattern.split('/').entries()) {
    if (want.startsWith(':')) found = parts[i];
    else if (want !== parts[i]) return undefined;
  }
  return found;
}
