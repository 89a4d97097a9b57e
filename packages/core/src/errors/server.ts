import { formatByteSize } from '../units/byte-size.ts';
import { entry } from './entry.ts';

/** Errors of the server behind the dashboard. Most are answers to a request; the others stop `plimsoll serve` before it listens. */
export const serverErrors = {
  PLM_SERVER_WRONG_HOST: entry({
    help: 'A request named a host that this server does not serve. Another site can point its own name at your loopback address; only known names are answered.',
    text: (d: { host: string }) => ({
      message: `this server does not answer for "${d.host}".`,
      where: 'Host header',
      fix: 'use the address that Plimsoll printed, or add the name with --allow-host.',
    }),
    example: { host: 'evil.example' },
  }),
  PLM_SERVER_CROSS_ORIGIN: entry({
    help: 'A page of another site asked. Only the dashboard itself and programs that are no browser may.',
    text: (d: { origin: string }) => ({
      message: `requests from "${d.origin}" are refused.`,
      where: 'Origin header',
      fix: 'open the dashboard at the address that Plimsoll printed.',
    }),
    example: { origin: 'https://evil.example' },
  }),
  PLM_SERVER_NO_TOKEN: entry({
    help: 'Everything but the health of the server needs a token, because other users of the machine can reach it. The address that Plimsoll prints on a terminal carries it after `#token=`; `plimsoll open` makes a link that opens once.',
    text: (d: { path: string }) => ({
      message: 'a token is needed here and none was sent, or it is not known.',
      where: d.path,
      fix: 'open the link that "plimsoll open" prints, or send "Authorization: Bearer TOKEN" with the token from .plimsoll/token.',
    }),
    example: { path: 'POST /api/approvals/7f3' },
  }),
  PLM_SERVER_LINK_USED: entry({
    help: 'A link to the dashboard works once, within ten minutes, so that it is useless in a log file or a chat afterwards.',
    text: (_: Readonly<Record<string, never>>) => ({
      message: 'this link was used, is older than ten minutes or was never made.',
      where: 'POST /api/link',
      fix: 'make another one with "plimsoll open".',
    }),
    example: {},
  }),
  PLM_SERVER_NOT_FOUND: entry({
    help: 'There is nothing at this address of the server.',
    text: (d: { path: string }) => ({
      message: 'there is nothing here.',
      where: d.path,
      fix: 'see /openapi.json for all routes.',
    }),
    example: { path: 'GET /nothing' },
  }),
  PLM_SERVER_WRONG_METHOD: entry({
    help: 'This address exists but does not take this method.',
    text: (d: { path: string; allowed: string }) => ({
      message: `this method is not taken here.`,
      where: d.path,
      fix: `use ${d.allowed}.`,
    }),
    example: { path: 'POST /api/frame', allowed: 'GET' },
  }),
  PLM_SERVER_BAD_QUERY: entry({
    help: 'A part of the request has a value outside what it accepts.',
    text: (d: { name: string; value: string; accepted: string }) => ({
      message: `${d.name} is "${d.value}"; it has to be ${d.accepted}.`,
      where: d.name,
      fix: `send ${d.accepted}.`,
    }),
    example: { name: 'points', value: 'many', accepted: 'a number from 1 to 5000' },
  }),
  PLM_SERVER_BODY_TOO_LARGE: entry({
    help: 'The body of a request is larger than anything this server takes.',
    text: (d: { mostBytes: number }) => ({
      message: `the body is larger than ${formatByteSize(d.mostBytes)}.`,
      where: 'request body',
      fix: 'send the decision only.',
    }),
    example: { mostBytes: 16_384 },
  }),
  PLM_SERVER_BUSY: entry({
    help: 'The server is at its bound of simultaneous work. The request was not queued. The governed process is not affected.',
    text: (d: { what: string; most: number }) => ({
      message: `${d.most} ${d.what}, which is the bound.`,
      where: 'server',
      fix: 'close a page that is open elsewhere, or ask again in a moment.',
    }),
    example: { what: 'live streams are open', most: 64 },
  }),
  PLM_SERVER_NO_PROCESS: entry({
    help: 'No governed process of this folder runs and there is no ledger, or the named process is not known.',
    text: (d: { dir: string; id: string | null }) => ({
      message: d.id === null ? 'there is no process to show.' : `process "${d.id}" is not known here.`,
      where: d.dir,
      fix: 'start one with "plimsoll run -- node server.js"; /api/processes lists those that are known.',
    }),
    example: { dir: '.plimsoll', id: null } as { dir: string; id: string | null },
  }),
  PLM_SERVER_NO_READING: entry({
    help: 'The process was found but has not sent a reading yet: it has just started, its event loop is blocked, or it has just ended.',
    text: (d: { pid: number }) => ({
      message: `process ${d.pid} has not sent a reading yet.`,
      where: 'feed',
      fix: 'ask again in a second.',
    }),
    example: { pid: 4711 },
  }),
  PLM_SERVER_NO_LEDGER: entry({
    help: 'History was asked for and the process keeps no ledger, or it cannot be read.',
    text: (d: { dir: string; reason: string }) => ({
      message: `there is no history: ${d.reason}.`,
      where: d.dir,
      fix: 'wait for the first samples, or name a ledger with --ledger.',
    }),
    example: { dir: '.plimsoll/ledger', reason: 'the ledger does not exist yet' },
  }),
  PLM_SERVER_NOT_LIVE: entry({
    help: 'A decision or request needs a running process, but this one has ended. Only its ledger is shown.',
    text: (d: { what: string }) => ({
      message: `the process has ended: ${d.what} is not possible.`,
      where: 'ledger',
      fix: 'choose a running process.',
    }),
    example: { what: 'a decision' },
  }),
  PLM_SERVER_OWNER_ONLY: entry({
    help: 'A heap snapshot contains all data of a process. Only the user that runs the process may ask for one. The token of an approver is not enough.',
    text: (d: { what: string }) => ({
      message: `only the owner of the process may ask for ${d.what}.`,
      where: 'dashboard',
      fix: 'open the dashboard with the token of .plimsoll/token, or by the address that plimsoll prints.',
    }),
    example: { what: 'a heap snapshot' },
  }),
  PLM_SERVER_ROLE: entry({
    help: 'Somebody without the role for it asked the server to change something. A viewer looks; an approver also decides approvals; an admin also rolls out policies. Roles are in the file of `serve --roles`.',
    text: (d: { what: string; by: string; role: string }) => ({
      message: `${d.by} may not ${d.what}: it needs the role ${d.role}.`,
      where: 'dashboard',
      fix: `ask somebody with the role ${d.role}, or have it given to you in the file of --roles.`,
    }),
    example: { what: 'roll out a policy', by: 'user:bob', role: 'admin' },
  }),
  PLM_SERVER_BAD_ROLES: entry({
    help: 'The file of `serve --roles` cannot be used. The server does not start, because without its roles it would let in nobody or too many.',
    text: (d: { file: string; reason: string }) => ({
      message: `the file of roles cannot be used: ${d.reason}.`,
      where: d.file,
      fix: 'write tokens: [{ name, sha256, role }], or proxy: { header } with users: { NAME: viewer | approver | admin }.',
    }),
    example: { file: 'roles.yaml', reason: '"boss" is no role' },
  }),
  PLM_SERVER_NO_SNAPSHOT: entry({
    help: 'The file of a heap snapshot was requested before one was taken, or it was removed, because only the newest two are kept.',
    text: (d: { pid: number }) => ({
      message: `there is no snapshot of process ${d.pid}.`,
      where: 'dashboard',
      fix: 'take one on the page "Heap snapshot" first.',
    }),
    example: { pid: 4711 },
  }),
  PLM_SNAPSHOT_BUSY: entry({
    help: 'A heap snapshot was asked for while another one waits for an approval or is being taken.',
    text: (d: { state: string }) => ({
      message: `a heap snapshot is already under way (${d.state}).`,
      where: 'control channel',
      fix: 'wait until it is done, or answer its approval.',
    }),
    example: { state: 'taking' },
  }),
  PLM_SERVER_REMOTE_NEEDS_CONSENT: entry({
    help: 'The server listens on loopback unless told twice: `--host` with another address also needs `--allow-remote`, and then everything needs a token.',
    text: (d: { host: string }) => ({
      message: `--host ${d.host} would let other machines in.`,
      where: '--host',
      fix: 'add --allow-remote if that is meant (put TLS in front of it), or use an SSH tunnel to 127.0.0.1.',
    }),
    example: { host: '0.0.0.0' },
  }),
  PLM_SERVER_TOKEN_FILE: entry({
    help: 'The file with the admin token could not be read or written, or others may read it. Nothing is served without it.',
    text: (d: { file: string; reason: string }) => ({
      message: `the token cannot be used: ${d.reason}.`,
      where: d.file,
      fix: 'remove the file, or give it the mode 0600; a new one is made at the next start.',
    }),
    example: { file: '.plimsoll/token', reason: 'its mode is 0644' },
  }),
};
