import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Lookup } from './query.ts';
import type { Caller, Source } from './source.ts';
import type { FleetDesk } from './fleet/fleet-desk.ts';
import type { Sources } from './sources.ts';
import type { StreamHub } from './stream/stream-hub.ts';

/** What a route is handed. */
export interface RouteContext {
  readonly sources: Sources;
  readonly hub: StreamHub;
  /** With `serve --fleet`. */
  readonly fleet: FleetDesk | undefined;
  /** The process the request is about. */
  readonly source: () => Promise<Source>;
  readonly query: Lookup;
  /** A named part of the path. */
  readonly part: (name: string) => string;
  readonly caller: Caller | undefined;
  /** The owner of the process asks, by token or cookie. */
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

/** Says that the handler writes to the response itself. */
export const streams = Symbol('streams');

/** A part of the query, as the description shows it. */
export interface QueryPart {
  readonly name: string;
  readonly type: 'string' | 'integer';
  readonly required?: boolean;
  readonly description: string;
}

/** One thing that can be asked: how it is described and what answers. The server and its OpenAPI description are made from the same list. */
export interface Route {
  readonly method: 'get' | 'post';
  /** In the form of OpenAPI: `/api/approvals/{id}`. */
  readonly path: string;
  readonly summary: string;
  /** `open` to all; `read` needs a token, or its cookie; `decide` always needs a token; `link` brings its own secret. */
  readonly access: 'open' | 'read' | 'decide' | 'link';
  /** True when it is about one process and takes `?pid=`. */
  readonly ofProcess?: boolean;
  readonly query?: readonly QueryPart[];
  /** Name of the body's shape in `schema.ts`. */
  readonly body?: string;
  /** Name of the answer's shape in `schema.ts`, or its media type when it is no JSON. */
  readonly answer: string;
  readonly handle: (context: RouteContext) => unknown;
}
