import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Lookup } from './query.ts';
import type { Caller, Source } from './source.ts';
import type { FleetDesk } from './fleet/fleet-desk.ts';
import type { Sources } from './sources.ts';
import type { StreamHub } from './stream/stream-hub.ts';

/** Input of a route. */
export interface RouteContext {
  readonly sources: Sources;
  readonly hub: StreamHub;
  /** Set with `serve --fleet`. */
  readonly fleet: FleetDesk | undefined;
  /** The process of the request. */
  readonly source: () => Promise<Source>;
  readonly query: Lookup;
  /** A named part of the path. */
  readonly part: (name: string) => string;
  readonly caller: Caller | undefined;
  /** True when the caller is the owner of the process, by token or cookie. */
  readonly isOwner: boolean;
  /** The token of a page for a one-time link. */
  readonly exchange: (link: string) => string | undefined;
  readonly body: () => Promise<unknown>;
  readonly headers: (name: string) => string | undefined;
  readonly node: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };
}

/** An answer that is not plain JSON with status 200. */
export class Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    type: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.status = status;
    this.type = type;
    this.body = body;
    this.headers = headers;
  }
}

/** Returned by a handler that writes to the response itself. */
export const streams = Symbol('streams');

/** A part of the query, for the description. */
export interface QueryPart {
  readonly name: string;
  readonly type: 'string' | 'integer';
  readonly required?: boolean;
  readonly description: string;
}

/** One route with its description and handler. The server and its OpenAPI description are made from the same list. */
export interface Route {
  readonly method: 'get' | 'post';
  /** In the form of OpenAPI: `/api/approvals/{id}`. */
  readonly path: string;
  readonly summary: string;
  /** `open`: for all. `read`: needs a token or its cookie. `decide`: always needs a token. `link`: has its own secret. */
  readonly access: 'open' | 'read' | 'decide' | 'link';
  /** True when it is about one process and takes `?pid=`. */
  readonly ofProcess?: boolean;
  readonly query?: readonly QueryPart[];
  /** Name of the body's shape in `schema.ts`. */
  readonly body?: string;
  /** Name of the answer's shape in `schema.ts`, or its media type when it is not JSON. */
  readonly answer: string;
  readonly handle: (context: RouteContext) => unknown;
}
