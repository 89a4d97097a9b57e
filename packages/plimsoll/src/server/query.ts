import { failure } from '@plimsoll/core/internal/errors';
import type { DecisionBody } from '@plimsoll/host/protocol/api';

/** Reads one value of the query string. */
export type Lookup = (name: string) => string | undefined;

/** A whole number of the query within bounds. */
export function numberOf(
  lookup: Lookup,
  name: string,
  bounds: { readonly least: number; readonly most: number; readonly unless: number },
): number {
  const value = lookup(name);
  if (value === undefined || value === '') return bounds.unless;
  const number = Number(value);
  if (/^\d{1,16}$/.test(value) && number >= bounds.least && number <= bounds.most) return number;
  const accepted = `a whole number from ${bounds.least} to ${bounds.most}`;
  throw failure('PLM_SERVER_BAD_QUERY', { name, value: value.slice(0, 50), accepted });
}

/** A moment of the query: milliseconds since the epoch, or an ISO date. */
export function timeOf(lookup: Lookup, name: string): number | undefined {
  const value = lookup(name);
  if (value === undefined || value === '') return undefined;
  const at = /^\d{1,15}$/.test(value) ? Number(value) : Date.parse(value);
  if (Number.isFinite(at) && at >= 0) return at;
  const accepted = 'milliseconds since 1970 or an ISO date';
  throw failure('PLM_SERVER_BAD_QUERY', { name, value: value.slice(0, 50), accepted });
}

/** A required text of the query. */
export function textOf(lookup: Lookup, name: string, mostChars: number, accepted: string): string {
  const value = lookup(name) ?? '';
  if (value.length > 0 && value.length <= mostChars) return value;
  throw failure('PLM_SERVER_BAD_QUERY', { name, value: value.slice(0, 50), accepted });
}

const longestComment = 1000;

/** The body of a decision; anything else is an error that names the missing field. */
export function decisionOf(value: unknown): Required<DecisionBody> {
  const body = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const { decision, digest, comment = '', key = '' } = body;
  if (decision !== 'approve' && decision !== 'deny')
    throw badField('decision', decision, '"approve" or "deny"');
  if (typeof digest !== 'string' || digest === '' || digest.length > 200)
    throw badField('digest', digest, 'the digest of the approval as it was shown');
  if (typeof comment !== 'string' || comment.length > longestComment)
    throw badField('comment', comment, `a text of at most ${longestComment} characters`);
  if (typeof key !== 'string' || key.length > 100)
    throw badField('key', key, 'a text of at most 100 characters');
  return { decision, digest, comment, key };
}

/** The error for a bad field of a body. */
export function badField(name: string, value: unknown, accepted: string): Error {
  const shown = value === undefined ? 'missing' : JSON.stringify(value).slice(0, 50);
  return failure('PLM_SERVER_BAD_QUERY', { name, value: shown, accepted });
}
