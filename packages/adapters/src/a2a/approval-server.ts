import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { failure } from '@plimsoll/core/internal/errors';
import type { ApprovalHandlerOptions } from './approval-handler.ts';
import { approvalHandler } from './approval-handler.ts';

export interface ApprovalServerOptions extends Omit<ApprovalHandlerOptions, 'url' | 'hosts'> {
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** 0 for any free one. */
  readonly port: number;
  /** The address other agents reach it by; the one it listens on by default. */
  readonly url?: string;
}

const loopback = ['127.0.0.1', 'localhost', '[::1]'];

/** The A2A server for approvals on a port of its own. It never keeps the process alive. */
export class ApprovalServer implements Disposable {
  readonly #server: Server;
  readonly url: string;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  /** Rejects with PLM_A2A_LISTEN when the port cannot be used, PLM_A2A_SDK_MISSING when the SDK is not installed. */
  static async start(options: ApprovalServerOptions): Promise<ApprovalServer> {
    const { host = '127.0.0.1', port } = options;
    const server = createServer({
      requestTimeout: 10_000,
      headersTimeout: 5000,
      keepAliveTimeout: 5000,
      // Node.js looks for late requests every 30 s by default.
      connectionsCheckingInterval: 1000,
    });
    server.maxConnections = 64;
    server.on('connection', (socket) => socket.unref());
    server.unref();
    const bound = await listen(server, host, port);
    const own = `http://${host.includes(':') ? `[${host}]` : host}:${bound}/`;
    const url = options.url ?? own;
    try {
      const hosts = [...loopback, new URL(own).hostname, new URL(url).hostname];
      const handler = await approvalHandler({ ...options, url, hosts });
      server.on('request', handler);
    } catch (error) {
      server.close();
      throw error;
    }
    return new ApprovalServer(server, own);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        failure('PLM_A2A_LISTEN', { host, port, reason: error.code ?? error.message }, { cause: error }),
      ),
    );
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}
