import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { isPlimsollError } from '@plimsoll/core';
import { checkPath, readOwnText } from '@plimsoll/core/internal/own-path';
import { replaceFile } from '@plimsoll/core/internal/replace-file';
import { userName } from '@plimsoll/core/internal/user-name';

/** One approver in the file. The token itself is stored nowhere. */
interface ApproverEntry {
  /** `user:ada` or `agent:captain`. */
  readonly name: string;
  readonly groups: readonly string[];
  /** sha256 of the token in hex. */
  readonly sha256: string;
  readonly createdAt: number;
}

/** The owner of a token. */
export interface KnownApprover {
  /** Name without its kind, for pages. */
  readonly name: string;
  /** Name as approvals record it: `user:ada`. */
  readonly by: string;
  readonly groups: readonly string[];
  readonly isOwner: false;
  /** Passed to the process that decides, which checks it again. */
  readonly token: string;
}

const mostApprovers = 1000;
const longestToken = 512;
const longestFile = 4 * 1024 * 1024;
const namePattern = /^(?:(?:user|agent):)?[\p{L}\p{N}][\p{L}\p{N}._@-]{0,63}$/u;
const groupPattern = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u;

type Environment = Readonly<Record<string, string | undefined>>;

/** The file of a folder's approvers; `PLIMSOLL_APPROVERS` names another, such as one the process may only read. */
export function approverFile(dir: string, env: Environment = process.env): string {
  const own = env['PLIMSOLL_APPROVERS'];
  return own === undefined || own === '' ? join(dir, 'approvers.json') : own;
}

/** The approver of a token. The call takes the same time for a wrong token as for a right one. Throws PLM_APPROVAL_FILE. */
export function findApprover(file: string, token: string): KnownApprover | undefined {
  if (token === '' || token.length > longestToken) return undefined;
  const digest = createHash('sha256').update(token).digest();
  let found: ApproverEntry | undefined;
  for (const entry of readApprovers(file)) {
    // Every entry is compared, so that the time does not reveal the matching one.
    if (timingSafeEqual(digest, Buffer.from(entry.sha256, 'hex'))) found = entry;
  }
  if (found === undefined) return undefined;
  const { name, groups } = found;
  const known = { name: name.slice(name.indexOf(':') + 1), by: name, groups, isOwner: false };
  // Not enumerable, so that an approver in a log or an answer does not show the token.
  return Object.defineProperty(known, 'token', { value: token }) as KnownApprover;
}

/** Adds an approver, or gives one a new token, and returns the token. The token is shown once and stored nowhere. */
export function addApprover(file: string, name: string, groups: readonly string[]): string {
  check('NAME', name, namePattern, 'a name such as ada, user:ada or agent:captain');
  for (const group of groups) check('--group', group, groupPattern, 'a name such as sre');
  const full = name.includes(':') ? name : `user:${name}`;
  const isOther = (entry: ApproverEntry): boolean => entry.name.toLowerCase() !== full.toLowerCase();
  const others = readApprovers(file).filter(isOther);
  if (others.length >= mostApprovers)
    throw failure('PLM_APPROVAL_FILE', { file, reason: `it has ${mostApprovers} approvers already` });
  const token = `plm_${randomBytes(32).toString('base64url')}`;
  const sha256 = createHash('sha256').update(token).digest('hex');
  write(file, [...others, { name: full, groups: [...new Set(groups)], sha256, createdAt: Date.now() }]);
  return token;
}

function check(option: string, value: string, pattern: RegExp, accepted: string): void {
  if (!pattern.test(value)) throw failure('PLM_CLI_BAD_OPTION', { option, value, accepted });
}

/** The approvers of the file; empty when there is no file. A file or folder that another user may write is refused. */
function readApprovers(file: string): readonly ApproverEntry[] {
  try {
    const { fault } = checkPath(file, 'file');
    if (fault !== undefined) throw failure('PLM_APPROVAL_FILE', { file, reason: fault });
    const text = readOwnText(file, longestFile);
    if (text === undefined) return [];
    const { approvers } = JSON.parse(text) as { approvers?: unknown };
    if (!Array.isArray(approvers) || !approvers.every(isEntry) || approvers.length > mostApprovers)
      throw failure('PLM_APPROVAL_FILE', { file, reason: 'it is no list of approvers' });
    return approvers;
  } catch (error) {
    if (isPlimsollError(error)) throw error;
    const reason = error instanceof SyntaxError ? 'it is no JSON' : (error as Error).message;
    throw failure('PLM_APPROVAL_FILE', { file, reason }, { cause: error });
  }
}

function isEntry(value: unknown): value is ApproverEntry {
  const { name, groups, sha256 } = (value ?? {}) as Partial<ApproverEntry>;
  return (
    typeof name === 'string' &&
    /^(?:user|agent):./.test(name) &&
    Array.isArray(groups) &&
    groups.every((group) => typeof group === 'string') &&
    /^[0-9a-f]{64}$/.test(String(sha256))
  );
}

function write(file: string, approvers: readonly ApproverEntry[]): void {
  try {
    replaceFile(file, `${JSON.stringify({ approvers }, null, 2)}\n`);
  } catch (error) {
    const reason = (error as Error).message;
    throw failure('PLM_CLI_CANNOT_WRITE', { file, reason }, { cause: error });
  }
}

/** `user:NAME` of the user that runs this process. */
export function ownerName(): string {
  return `user:${userName('owner')}`;
}
