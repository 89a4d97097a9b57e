import { existsSync } from 'node:fs';
import { failure } from '@plimsoll/core/internal/errors';
import { approverFile, findApprover } from '@plimsoll/host/internal/protocol/approver-file';
import type { Io } from '../io.ts';
import { adminToken, passingToken } from './guard/admin-token.ts';
import type { OtlpExport } from './metrics/otlp.ts';
import { Sources } from './sources.ts';
import { WebServer } from './web-server.ts';

export interface ServingOptions {
  /** Folder of the runs. */
  readonly dir: string;
  readonly port: number;
  /** The option the port came from, for the error. */
  readonly portOption: string;
  readonly ledger?: string | undefined;
  readonly host?: string | undefined;
  readonly allowRemote?: boolean | undefined;
  readonly allowHosts?: readonly string[] | undefined;
  readonly isPrivate?: boolean | undefined;
  /** Address of an OpenTelemetry collector. */
  readonly otlp?: string | undefined;
  /** For the file of approvers. */
  readonly env: Io['env'];
  /** Told when the collector stops answering, and when it answers again. */
  readonly onCollector?: ((text: string) => void) | undefined;
}

/** Where the server says what its operator should know. */
export interface ServerLog {
  say(kind: 'collector', text: string): void;
}

/** A server that runs, with the address a person opens. */
export interface Serving extends AsyncDisposable {
  readonly server: WebServer;
  readonly sources: Sources;
  readonly address: string;
  /** With the token after `#`, which never leaves the browser. */
  readonly addressWithToken: string;
}

/** Starts the server behind the dashboard; everything that can be wrong is said before it listens. */
export async function startServing(options: ServingOptions): Promise<Serving> {
  const { dir, ledger, port, portOption, host, otlp } = options;
  const sources = new Sources({ dir, ledger });
  try {
    if (ledger !== undefined) await sources.list();
    const token = ledger !== undefined && !existsSync(dir) ? passingToken() : adminToken(dir);
    const approvers = approverFile(dir, options.env);
    const server = new WebServer({
      ...options,
      sources,
      adminToken: token,
      findApprover: (given) => findApprover(approvers, given),
    });
    const address = await server.listen(port).catch((error: NodeJS.ErrnoException) => {
      const reason = error.code ?? error.message;
      const details = { port, reason, option: portOption, ...(host === undefined ? {} : { host }) };
      throw failure('PLM_CLI_PORT_TAKEN', details, { cause: error });
    });
    const exporter = otlp === undefined ? undefined : await startExport(sources, otlp, options.onCollector);
    return {
      server,
      sources,
      address,
      addressWithToken: server.addressFor(address),
      [Symbol.asyncDispose]: async () => {
        await exporter?.[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await sources[Symbol.asyncDispose]();
    throw error;
  }
}

/** The server of a run: started before the program, so that the address is the first thing said. */
export async function serveRun(port: string, dir: string, io: Io, log: ServerLog): Promise<Serving> {
  const serving = await startServing({
    dir,
    port: parsePort(port, '--status'),
    portOption: '--status',
    otlp: otlpOf(undefined, io),
    env: io.env,
    onCollector: (text) => log.say('collector', text),
  });
  io.stderr.write(`plimsoll: dashboard at ${serving.addressWithToken}\n`);
  return serving;
}

export function parsePort(value: string, option: string): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number <= 65_535) return number;
  throw failure('PLM_CLI_BAD_OPTION', { option, value, accepted: 'a port from 0 to 65535' });
}

/** The collector's address: an option, or OpenTelemetry's own variables. */
export function otlpOf(option: string | undefined, { env }: Pick<Io, 'env'>): string | undefined {
  const value =
    option ?? env['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '';
  if (value === '') return undefined;
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  const accepted = 'an address such as http://localhost:4318';
  throw failure('PLM_CLI_BAD_OPTION', { option: '--otlp', value, accepted });
}

/** The exporter's libraries are loaded only when it is asked for. */
async function startExport(
  sources: Sources,
  url: string,
  onState: ServingOptions['onCollector'],
): Promise<OtlpExport> {
  const { OtlpExport } = await import('./metrics/otlp.ts');
  return new OtlpExport({ sources, url, ...(onState !== undefined && { onState }) });
}
