import { formatByteSize } from '../units/byte-size.ts';
import { formatDuration } from '../units/duration.ts';
import { entry } from './entry.ts';

/** Errors of the control channel: requests to a governed process through its feed. */
export const controlErrors = {
  PLM_CONTROL_UNREACHABLE: entry({
    help: 'The socket of a governed process could not be reached, or it closed before it answered. The process may have ended.',
    text: (d: { socket: string; reason: string }) => ({
      message: `the governed process did not answer: ${d.reason}.`,
      where: d.socket,
      fix: 'check with "plimsoll top" that it still runs; ask as the user that started it.',
    }),
    example: { socket: '.plimsoll/4711.sock', reason: 'connect ECONNREFUSED' },
  }),
  PLM_CONTROL_TIMEOUT: entry({
    help: 'A request to a governed process got no answer in time. It may still take effect; ask again to see.',
    text: (d: { op: string; ms: number; where: string }) => ({
      message: `"${d.op}" was not answered within ${formatDuration(d.ms)}.`,
      where: d.where,
      fix: 'look for a blocked event loop, then ask again.',
    }),
    example: { op: 'approvals.list', ms: 5000, where: '.plimsoll/4711.sock' },
  }),
  PLM_CONTROL_BAD_REQUEST: entry({
    help: 'A line on the control channel was no request, or its arguments do not fit the operation.',
    text: (d: { reason: string; accepted: string }) => ({
      message: `the request cannot be read: ${d.reason}.`,
      where: 'control channel',
      fix: `send ${d.accepted}.`,
    }),
    example: {
      reason: 'it is no JSON',
      accepted: 'one line of JSON such as {"ask":1,"op":"approvals.list","args":{}}',
    },
  }),
  PLM_CONTROL_UNKNOWN_OP: entry({
    help: 'The governed process knows no operation of this name. It may run an older version.',
    text: (d: { op: string; known: readonly string[] }) => ({
      message: `"${d.op}" is no operation of this process.`,
      where: 'control channel',
      fix: `use one of ${d.known.join(', ')}.`,
    }),
    example: { op: 'aprovals.list', known: ['approvals.list', 'approvals.decide'] as readonly string[] },
  }),
  PLM_CONTROL_BUSY: entry({
    help: 'More requests are being worked on at once than the control channel takes. This one was not begun.',
    text: (d: { most: number }) => ({
      message: `${d.most} requests are being worked on, which is the most at once.`,
      where: 'control channel',
      fix: 'wait for answers before asking more.',
    }),
    example: { most: 8 },
  }),
  PLM_CONTROL_TOO_LARGE: entry({
    help: 'An answer is larger than one line of the control channel may be, so it was not sent.',
    text: (d: { op: string; bytes: number; most: number }) => ({
      message: `the answer to "${d.op}" has ${formatByteSize(d.bytes)}, the most is ${formatByteSize(d.most)}.`,
      where: 'control channel',
      fix: 'ask for fewer rows.',
    }),
    example: { op: 'scopes', bytes: 9_000_000, most: 4_194_304 },
  }),
  PLM_CONTROL_FAILED: entry({
    help: 'An operation of the control channel threw. The governed process goes on.',
    text: (d: { op: string; reason: string }) => ({
      message: `"${d.op}" failed: ${d.reason}.`,
      where: 'control channel',
      fix: 'ask again; if it fails again, report it as a bug.',
    }),
    example: { op: 'scopes', reason: 'TypeError: x is not a function' },
  }),
};
