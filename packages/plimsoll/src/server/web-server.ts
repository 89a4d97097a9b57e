import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { failure } from '@plimsoll/core/internal/errors';
import { buildApp } from './app.ts';
import { readAssets } from './assets.ts';
import type { FleetDesk } from './fleet/fleet-desk.ts';
import { Gate } from './guard/gate.ts';
import type { FindApprover } from './guard/gate.ts';
import { HostList, isLoopback } from './guard/host-list.ts';
import type { RoleBook } from './guard/roles.ts';
import { WorkBound } from './guard/work-bound.ts';
import type { WorkBoundOptions } from './guard/work-bound.ts';
import type { Sources } from './sources.ts';
import { StreamHub } from './stream/stream-hub.ts';
import type { HubOptions } from './stream/stream-hub.ts';
import type { RouteContext } from './route.ts';

/** Most connections at once: 64 streams, further requests of a few pages, and 128 without a token. */
const mostConnections = 512;
/** A request whose head or body takes longer is cut off, and so is a response that is not read. */
const headersMs = 5000;
const requestMs = 10_000;
const silenceMs = 30_000;

export interface WebServerOptions {
  readonly sources: Sources;
  /** The current token. */
  readonly adminToken: () => string;
  /** True once for a one-time link of the owner. */
  readonly takeLink?: ((link: string) => boolean) | undefined;
  readonly findApprover?: FindApprover | undefined;
  /** The database of a fleet. */
  readonly fleet?: FleetDesk | undefined;
  readonly byProxy?: RoleBook['byProxy'] | undefined;
  /** Listening address, default 127.0.0.1. Other addresses than loopback need `allowRemote`. */
  readonly host?: string | undefined;
  readonly allowRemote?: boolean | undefined;
  /** Host names that a proxy in front of the server uses. */
  readonly allowHosts?: readonly string[] | undefined;
  /** True allows reading without a token for every user of this machine. It has no effect when the server is remote. */
  readonly isPublic?: boolean | undefined;
  /** Folder of the built page. */
  readonly assetDir?: string;
  readonly streams?: HubOptions;
  readonly bounds?: WorkBoundOptions;
  readonly timeouts?: { readonly headersMs?: number; readonly requestMs?: number };
}

/** The server behind the dashboard: one port, on loopback unless two options allow more, with bounds on connections, time and size. */
export class WebServer implements AsyncDisposable {
  readonly hub: StreamHub;
  readonly #options: WebServerOptions;
  readonly #host: string;
  readonly #server: Server;
  readonly #sources: Sources;
  readonly #bound: WorkBound;
  #port = 0;

  constructor(options: WebServerOptions) {
    this.#options = options;
    this.#host = options.host ?? '127.0.0.1';
    const isRemote = !isLoopback(this.#host);
    if (isRemote && options.allowRemote !== true)
      throw failure('PLM_SERVER_REMOTE_NEEDS_CONSENT', { host: this.#host });
    this.#sources = options.sources;
    this.hub = new StreamHub(options.sources, options.streams);
    const { adminToken, findApprover, takeLink } = options;
    const bound = new WorkBound(options.bounds);
    this.#bound = bound;
    const app = buildApp({
      sources: options.sources,
      hub: this.hub,
      fleet: options.fleet,
      byProxy: options.byProxy,
      gate: new Gate({
        adminToken,
        findApprover,
        takeLink,
        isPublic: !isRemote && options.isPublic === true,
      }),
      hosts: new HostList(this.#host, () => this.#port, options.allowHosts),
      assets: readAssets(options.assetDir ?? builtPage()),
      metrics: writeMetrics,
      bound,
    });
    const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
    this.#server = createServer(
      {
        headersTimeout: options.timeouts?.headersMs ?? headersMs,
        requestTimeout: options.timeouts?.requestMs ?? requestMs,
        keepAliveTimeout: headersMs,
        connectionsCheckingInterval: 500,
        maxHeaderSize: 16 * 1024,
      },
      (incoming, outgoing) => {
        if (bound.admit(incoming, outgoing)) void listener(incoming, outgoing);
      },
    );
    this.#server.on('connection', (socket) => bound.connected(socket));
    this.#server.maxConnections = mostConnections;
    this.#server.timeout = silenceMs;
  }

  /** Listens and resolves to the address, which ends in a slash. Port 0 takes any free port. */
  async listen(port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, this.#host, resolve);
    });
    this.#server.on('error', () => undefined);
    this.#server.unref();
    this.#port = (this.#server.address() as AddressInfo).port;
    return this.address;
  }

  /** The address, which ends in a slash. */
  get address(): string {
    const name = this.#host.includes(':') ? `[${this.#host}]` : this.#host;
    return `http://${name}:${this.#port}/`;
  }

  /** Number of requests that wait for their answer. */
  get inFlight(): number {
    return this.#bound.inFlight;
  }

  /** The address with the token, for a person. The part after `#` never leaves the browser. */
  addressFor(address: string): string {
    return `${address}#token=${this.#options.adminToken()}`;
  }

  get connections(): Promise<number> {
    return new Promise((resolve) => {
      this.#server.getConnections((_, count) => resolve(count));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.hub[Symbol.dispose]();
    this.#server.close();
    this.#server.closeAllConnections();
    await this.#sources[Symbol.asyncDispose]();
    await this.#options.fleet?.[Symbol.asyncDispose]();
  }
}

/** Loads the metrics libraries with the first scrape. */
async function writeMetrics(context: RouteContext): Promise<string> {
  const { prometheusText } = await import('./metrics/prometheus.ts');
  return prometheusText(context);
}

function builtPage(): string {
  return fileURLToPath(new URL('../../dashboard', import.meta.url));
}
