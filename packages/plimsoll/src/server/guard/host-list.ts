import { isIP } from 'node:net';
import { hostname } from 'node:os';

/**
 * The host names that the server accepts. A page of another site can point its own name at 127.0.0.1; the Host header then has that name,
 * and the request is refused.
 */
export class HostList {
  readonly #names: ReadonlySet<string>;
  readonly #anyAddress: boolean;
  readonly #port: () => number;

  /** `host` is the listening address; `extra` are names that a proxy in front of it uses. */
  constructor(host: string, port: () => number, extra: readonly string[] = []) {
    const isRemote = !isLoopback(host);
    this.#names = new Set(
      ['127.0.0.1', 'localhost', '::1', host, ...(isRemote ? [hostname()] : []), ...extra].map((name) =>
        name.toLowerCase(),
      ),
    );
    // DNS rebinding needs a name. An address in the Host header is the address of the connection.
    this.#anyAddress = isRemote;
    this.#port = port;
  }

  allows(header: string | undefined): boolean {
    const parsed = parseHost(header);
    if (parsed === undefined) return false;
    const { name, port } = parsed;
    if (this.#names.has(name)) return !isLoopback(name) || port === undefined || port === this.#port();
    return this.#anyAddress && isIP(name) !== 0;
  }

  /** True when an Origin is the server itself under the name of this request; a proxy may add TLS. */
  isOwnOrigin(origin: string, header: string | undefined): boolean {
    if (header === undefined) return false;
    const own = header.toLowerCase();
    return origin === `http://${own}` || origin === `https://${own}`;
  }
}

/** True for addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function parseHost(header: string | undefined): { name: string; port: number | undefined } | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/.exec(header ?? '');
  if (match === null) return undefined;
  const name = (match[1] ?? match[2] ?? '').toLowerCase();
  return { name, port: match[3] === undefined ? undefined : Number(match[3]) };
}
