import { isPlimsollError } from '@plimsoll/core';

/** A database URL for messages: with host, port and database, without user, password and parameters. */
export function redactUrl(text: string): string {
  try {
    const url = new URL(text);
    const secret = url.username === '' && url.password === '' ? '' : '***@';
    return `${url.protocol}//${secret}${url.host}${url.pathname}`;
  } catch {
    return 'a URL that cannot be read';
  }
}

/**
 * Makes errors safe to show: user, password and the whole URL are cut out of message and stack, and a client's own fields with the query and
 * its parameters are left out. The code of PostgreSQL or of the socket stays.
 */
export function redactor(url: string): (error: unknown) => Error {
  const secrets = secretsOf(url);
  const clean = (text: string): string =>
    secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
  return (error) => {
    // Our own errors are made without secrets and keep their code.
    if (isPlimsollError(error)) return error;
    if (!(error instanceof Error)) return new Error(clean(String(error)));
    const { code } = error as { code?: unknown };
    const safe = new Error(clean(error.message === '' ? error.name : error.message));
    safe.stack = clean(error.stack ?? safe.message);
    return code === undefined ? safe : Object.assign(safe, { code });
  };
}

function secretsOf(text: string): readonly string[] {
  try {
    const { username, password } = new URL(text);
    const both = [text, password, decoded(password), username, decoded(username)];
    return [...new Set(both)].filter((secret) => secret.length > 0);
  } catch {
    return text === '' ? [] : [text];
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
