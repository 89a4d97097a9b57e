import { createHash } from 'node:crypto';
import { parse } from 'yaml';
import { failure } from '@plimsoll/core/internal/errors';
import { readRegularText } from '@plimsoll/core/internal/read-regular-file';
import type { Caller } from '../source.ts';

/** Rights of a caller: a viewer reads, an approver also decides approvals, an admin also rolls out policies. */
export type Role = 'viewer' | 'approver' | 'admin';

const roles: readonly Role[] = ['viewer', 'approver', 'admin'];

/** The role of each caller, by token or by the header of a trusted proxy. Other callers have no role and see nothing. */
export interface RoleBook {
  readonly byToken: (token: string) => Caller | undefined;
  /** `user` is the value of the proxy's header. It counts only in requests from the proxy's address. */
  readonly byProxy: (
    header: (name: string) => string | undefined,
    from: string | undefined,
  ) => Caller | undefined;
}

interface RoleFile {
  readonly tokens?: readonly { readonly name: string; readonly sha256: string; readonly role: Role }[];
  readonly proxy?: { readonly header: string; readonly from?: readonly string[] };
  readonly users?: Readonly<Record<string, Role>>;
}

const loopback = ['127.0.0.1', '::1'];
const mostBytes = 256 * 1024;

/** Reads the file of roles. Throws when it is faulty, because without it the server would admit too many callers or none. */
export function readRoles(file: string): RoleBook {
  const { tokens = [], proxy, users = {} } = checked(file);
  const byHash = new Map(tokens.map((each) => [each.sha256.toLowerCase(), each]));
  return {
    byToken: (token) => {
      const found = byHash.get(createHash('sha256').update(token).digest('hex'));
      return found === undefined ? undefined : callerWith(found.name, found.role);
    },
    byProxy: (header, from) => {
      if (proxy === undefined || !(proxy.from ?? loopback).includes(plainAddress(from))) return undefined;
      const user = header(proxy.header) ?? '';
      const role = Object.hasOwn(users, user) ? users[user] : users['*'];
      return role === undefined || !/^[\w.@+-]{1,200}$/.test(user) ? undefined : callerWith(user, role);
    },
  };
}

function callerWith(name: string, role: Role): Caller {
  return { name, by: `user:${name}`, groups: [`role:${role}`], isOwner: false, role };
}

/** A socket for IPv4 and IPv6 gives IPv4 addresses as `::ffff:127.0.0.1`. */
function plainAddress(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:/, '');
}

function checked(file: string): RoleFile {
  let value: RoleFile;
  try {
    value = (parse(readRegularText(file, { maxBytes: mostBytes })) ?? {}) as RoleFile;
  } catch (error) {
    throw failure('PLM_SERVER_BAD_ROLES', { file, reason: (error as Error).message.split('\n')[0] ?? '' });
  }
  const bad = (reason: string): Error => failure('PLM_SERVER_BAD_ROLES', { file, reason });
  const isRole = (role: unknown): boolean => roles.includes(role as Role);
  if (typeof value !== 'object' || Array.isArray(value)) throw bad('it is no map');
  for (const key of Object.keys(value))
    if (!['tokens', 'proxy', 'users'].includes(key)) throw bad(`"${key}" is not a key of it`);
  for (const each of value.tokens ?? []) {
    if (!/^[0-9a-f]{64}$/i.test(each.sha256)) throw bad(`the token of "${each.name}" has no sha256`);
    if (!isRole(each.role)) throw bad(`"${each.role}" is no role`);
  }
  for (const [user, role] of Object.entries(value.users ?? {}))
    if (!isRole(role)) throw bad(`"${role}", the role of ${user}, is not a role`);
  if (value.users !== undefined && typeof value.proxy?.header !== 'string')
    throw bad('users need proxy.header, the header that names them');
  return value;
}
