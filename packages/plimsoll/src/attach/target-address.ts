import { failure } from '@plimsoll/core/internal/errors';

/** The user's target: a process, or the address of an open inspector. */
type TargetAddress = { readonly pid: number } | { readonly host: string; readonly port: number };

const loopback = /^(?:127(?:\.\d{1,3}){3}|localhost|::1|\[::1\])$/;

/** Reads `4711` or `127.0.0.1:9229`; an address elsewhere needs `isRemoteAllowed`. */
export function targetAddress(text: string, isRemoteAllowed: boolean): TargetAddress {
  if (/^[1-9]\d{0,9}$/.test(text)) return { pid: Number(text) };
  const match = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(text);
  const [, host, port] = match ?? [];
  if (host === undefined || Number(port) > 65_535) {
    throw failure('PLM_CLI_BAD_OPTION', {
      option: 'PID',
      value: text,
      accepted: 'a process id, or host:port of an open inspector',
    });
  }
  if (!loopback.test(host) && !isRemoteAllowed) throw failure('PLM_ATTACH_NOT_LOCAL', { address: text });
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
