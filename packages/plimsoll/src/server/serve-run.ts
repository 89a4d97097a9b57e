import { existsSync } from 'node:fs';
import { failure } from '@plimsoll/core/internal/errors';
import { approverFile, findApprover } from '@plimsoll/host/protocol';
import type { Io } from '../io.ts';
import { readRoles } from './guard/roles.ts';
import { followToken, passingToken } from './guard/admin-token.ts';
import { makeLink, takeLink } from './guard/one-time-link.ts';
import type { OtlpExport } from './metrics/otlp.ts';
import { removeServing, writeServing } from './serving-file.ts';
import { openFleet } from './fleet/fleet-desk.ts';
import { Sources } from './sources.ts';
import { WebServer } from './web-server.ts';

export interface ServingOptions {
  /** Folder of the runs. */
  readonly dir: string;
  readonly port: number;
  /** The option with the port, for the error. */
  readonly portOption: string;
  readonly ledger?: string | undefined;
  readonly host?: string | undefined;
  readonly allowRemote?: boolean | undefined;
  readonly allowHosts?: readonly string[] | undefined;
  readonly isPublic?: boolean | undefined;
  /** Address of an OpenTelemetry collector. */
  readonly otlp?: string | undefined;
  /** Database of a fleet. */
  readonly fleet?: string | undefined;
  /** File of roles. */
  readonly roles?: string | undefined;
  /** Environment, for the path of the file of approvers. */
  readonly env: Io['env'];
  /** Called when the collector stops answering, and when it answers again. */
  readonly onCollector?: ((text: string) => void) | undefined;
}

/** A running server, with the address for a person. */
export interface Serving extends AsyncDisposable {
  readonly server: WebServer;
  readonly sources: Sources;
  readonly address: string;
  /** Address with the token after `#`, which never leaves the browser. */
  readonly addressWithToken: string;
  /** An address that can be opened once, within ten minutes. */
  readonly link: () => string;
}

/** Starts the server behind the dashboard. All faults are reported before it listens. */
export async function startServing(options: ServingOptions): Promise<Serving> {
  const { dir, ledger, port, portOption, host, otlp } = options;
  const sources = new Sources({ dir, ledger });
  try {
    if (ledger !== undefined) await sources.list();
    // A ledger of another user is shown without a folder of our own, so token and links are kept in memory.
    const isHomeless = ledger !== undefined && !existsSync(dir);
    const passing = passingToken();
    const passingLinks = new Set<string>();
    const token = isHomeless ? () => passing : followToken(dir);
    const approvers = approverFile(dir, options.env);
    const roles = options.roles === undefined ? undefined : readRoles(options.roles);
    const fleet = options.fleet === undefined ? undefined : await openFleet(options.fleet);
    const server = new WebServer({
      ...options,
      fleet,
      // With roles, a caller without a role sees nothing.
      isPublic: options.isPublic === true && roles === undefined,
      sources,
      adminToken: token,
      takeLink: (link) => (isHomeless ? passingLinks.delete(link) : takeLink(dir, link)),
      byProxy: roles?.byProxy,
      findApprover: (given) => roles?.byToken(given) ?? findApprover(approvers, given),
    });
    const address = await server.listen(port).catch((error: NodeJS.ErrnoException) => {
      const reason = error.code ?? error.message;
      const details = { port, reason, option: portOption, ...(host === undefined ? {} : { host }) };
      throw failure('PLM_CLI_PORT_TAKEN', details, { cause: error });
    });
    if (!isHomeless) writeServing(dir, { pid: process.pid, address });
    const exporter = otlp === undefined ? undefined : await startExport(sources, otlp, options.onCollector);
    return {
      server,
      sources,
      address,
      addressWithToken: server.addressFor(address),
      link: () => {
        const link = isHomeless ? passingToken() : makeLink(dir);
        if (isHomeless) passingLinks.add(link);
        return `${address}#link=${link}`;
      },
      [Symbol.asyncDispose]: async () => {
        removeServing(dir, process.pid);
        await exporter?.[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await sources[Symbol.asyncDispose]();
    throw error;
  }
}

/** The address to print. A terminal gets the token, because it stores nothing. A file or pipe gets a link that opens once. */
export function addressLine(
  { addressWithToken, link }: Pick<Serving, 'addressWithToken' | 'link'>,
  isTerminal: boolean,
): string {
  return isTerminal
    ? `plimsoll: dashboard at ${addressWithToken}\n`
    : `plimsoll: dashboard at ${link()} (opens once, within 10 minutes; "plimsoll open" makes another link)\n`;
}

/** Loads the exporter's libraries on demand. */
async function startExport(
  sources: Sources,
  url: string,
  onState: ServingOptions['onCollector'],
): Promise<OtlpExport> {
  const { OtlpExport } = await import('./metrics/otlp.ts');
  return new OtlpExport({ sources, url, ...(onState !== undefined && { onState }) });
}
