import { guardedRequest } from './guarded-request.ts';

interface GuardedFetchOptions {
  readonly allowPrivate: boolean;
  /** Most bytes of an answer; 1 MiB by default. */
  readonly mostBytes?: number;
  /** Time limit of requests without a signal of their own. */
  readonly timeoutMs: number;
  /** Sent to the origin of this address only, so that an agent card which points elsewhere does not get it. */
  readonly bearer?: { readonly origin: string; readonly token: () => Promise<string> };
  readonly ca?: string;
}

/**
 * A `fetch` for libraries that take one: it refuses private addresses and redirects, bounds the answer and does not keep the process alive.
 */
export function guardedFetch(options: GuardedFetchOptions): typeof fetch {
  const { allowPrivate, bearer, timeoutMs, mostBytes = 1024 ** 2, ca } = options;
  return async (input, init) => {
    const given = new Request(input, init);
    const url = new URL(given.url);
    const headers = Object.fromEntries(given.headers);
    if (bearer !== undefined && url.origin === bearer.origin)
      headers['authorization'] = `Bearer ${await bearer.token()}`;
    const answer = await guardedRequest(url, {
      method: given.method,
      headers,
      ...(given.body === null ? {} : { body: new Uint8Array(await given.arrayBuffer()) }),
      signal: AbortSignal.any([given.signal, AbortSignal.timeout(timeoutMs)]),
      allowPrivate,
      mostBytes,
      ...(ca === undefined ? {} : { ca }),
    });
    const type = answer.headers['content-type'];
    const isEmpty = answer.status === 204 || answer.status === 304;
    return new Response(isEmpty ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: type === undefined ? {} : { 'content-type': type },
    });
  };
}
