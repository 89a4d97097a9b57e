import { formatByteSize } from '../units/byte-size.ts';
import { entry } from './entry.ts';

/** Errors and warnings of alerts, their recipients and A2A. */
export const alertErrors = {
  PLM_POLICY_UNKNOWN_RECIPIENT: entry({
    help: 'A route of `alerts`, or `ledger.anchor-to`, names a recipient that the policy does not declare.',
    text: (d: {
      place: string;
      path: string;
      name: string;
      names: readonly string[];
      suggestion?: string;
    }) => ({
      message: `"${d.name}" is not a recipient.`,
      where: `${d.place}  ${d.path}`,
      fix: `${d.suggestion === undefined ? 'declare it under alerts.recipients' : `write "${d.suggestion}"`}. Recipients: ${d.names.length === 0 ? 'none' : d.names.join(', ')}.`,
    }),
    example: {
      place: 'plimsoll.yaml:40:14',
      path: 'alerts.routes.critical[0]',
      name: 'captian',
      names: ['log', 'captain'],
      suggestion: 'captain',
    },
  }),
  PLM_POLICY_RECIPIENT: entry({
    help: 'A recipient of `alerts` lacks an option that its kind needs, or has an option of another kind.',
    text: (d: { place: string; path: string; recipient: string; message: string; fix: string }) => ({
      message: `recipient ${d.recipient}: ${d.message}.`,
      where: `${d.place}  ${d.path}`,
      fix: `${d.fix}.`,
    }),
    example: {
      place: 'plimsoll.yaml:36:5',
      path: 'alerts.recipients.ops',
      recipient: 'ops (webhook)',
      message: 'it has no "secret"',
      fix: 'add secret: { env: NAME }',
    },
  }),
  PLM_ALERT_NO_SECRET: entry({
    help: 'The secret of a recipient could not be read. Until it can, the recipient gets no alerts, and missed ones are counted as lost.',
    text: (d: { recipient: string; from: string; reason: string }) => ({
      message: `the secret of recipient "${d.recipient}" cannot be used: ${d.reason}.`,
      where: d.from,
      fix: 'set the environment variable or the file before the program starts.',
    }),
    example: { recipient: 'ops', from: 'environment variable OPS_SECRET', reason: 'it is not set' },
  }),
  PLM_ALERT_FAILED: entry({
    help: 'A notice could not be delivered in all its attempts. It counts as lost. Alerts that still fire are sent again with the next notice.',
    text: (d: { recipient: string; attempts: number; reason: string }) => ({
      message: `a notice to "${d.recipient}" was given up after ${d.attempts} ${d.attempts === 1 ? 'attempt' : 'attempts'}: ${d.reason}.`,
      where: `alerts.recipients.${d.recipient}`,
      fix: 'check that the recipient can be reached; the ledger lists lost notices.',
    }),
    example: { recipient: 'ops', attempts: 5, reason: 'it answered 503' },
  }),
  PLM_ALERT_GONE: entry({
    help: 'A webhook answered 410 Gone, which means that it wants no more messages. The recipient is off until the policy changes or the process is restarted.',
    text: (d: { recipient: string }) => ({
      message: `recipient "${d.recipient}" answered 410 Gone and gets no more alerts.`,
      where: `alerts.recipients.${d.recipient}`,
      fix: 'give it a new address in the policy.',
    }),
    example: { recipient: 'ops' },
  }),
  PLM_ALERT_ADDRESS: entry({
    help: 'A recipient lies on a loopback, private or link-local address, by itself or after its name was looked up. Such requests are refused unless the policy allows them, because they could reach services inside the network.',
    text: (d: { host: string; address: string }) => ({
      message: `${d.host} is the private address ${d.address}, which is refused.`,
      where: d.host,
      fix: 'if this is intended, write allow-private: true at the recipient.',
    }),
    example: { host: 'hooks.internal', address: '10.0.0.7' },
  }),
  PLM_ALERT_ANSWER: entry({
    help: 'A recipient answered without success. Redirects are refused, because they could lead anywhere.',
    text: (d: { host: string; status: number }) => ({
      message: `${d.host} answered ${d.status}${d.status >= 300 && d.status < 400 ? ', a redirect, which is refused' : ''}.`,
      where: d.host,
      fix:
        d.status >= 300 && d.status < 400
          ? 'give the final address in the policy.'
          : 'look into the log of the recipient.',
    }),
    example: { host: 'alerts.example.com', status: 302 },
  }),
  PLM_ALERT_ANSWER_TOO_LONG: entry({
    help: 'A recipient sent a longer answer than is read, and the connection was closed.',
    text: (d: { host: string; mostBytes: number }) => ({
      message: `${d.host} answered with more than ${formatByteSize(d.mostBytes)}; the rest was not read.`,
      where: d.host,
      fix: 'check that the address is that of the recipient.',
    }),
    example: { host: 'agent.example.com', mostBytes: 1_048_576 },
  }),
  PLM_ALERT_BAD_SILENCE: entry({
    help: 'A silence needs matchers, an end and an author.',
    text: (d: { message: string; fix: string }) => ({
      message: `${d.message}.`,
      where: 'plimsoll silence',
      fix: `${d.fix}.`,
    }),
    example: { message: 'it has no matcher', fix: 'add one such as kind=session' },
  }),
  PLM_ALERT_LISTENER: entry({
    help: 'A logger or listener for alerts threw. Alerts go on.',
    text: (d: { reason: string }) => ({
      message: `a listener for alerts threw: ${d.reason}.`,
      where: 'plimsoll:alert',
      fix: 'catch inside the listener.',
    }),
    example: { reason: 'TypeError: x is not a function' },
  }),
  PLM_A2A_SDK_MISSING: entry({
    help: 'A2A needs the package `@a2a-js/sdk`, which is not installed by itself.',
    text: (d: { reason: string }) => ({
      message: `the A2A SDK cannot be loaded: ${d.reason}.`,
      where: '@a2a-js/sdk',
      fix: 'run "npm install @a2a-js/sdk@1.3.0".',
    }),
    example: { reason: "Cannot find package '@a2a-js/sdk'" },
  }),
  PLM_A2A_REFUSED: entry({
    help: 'Another agent took an alert and answered that it failed or was rejected.',
    text: (d: { recipient: string; state: string }) => ({
      message: `the agent "${d.recipient}" answered with the task state ${d.state}.`,
      where: `alerts.recipients.${d.recipient}`,
      fix: 'look into the log of that agent.',
    }),
    example: { recipient: 'coordinator', state: 'TASK_STATE_REJECTED' },
  }),
  PLM_A2A_LISTEN: entry({
    help: 'The A2A server for approvals could not listen. Approvals go on over the other channels.',
    text: (d: { host: string; port: number; reason: string }) => ({
      message: `the A2A server cannot listen on ${d.host}:${d.port}: ${d.reason}.`,
      where: 'alerts.a2a-server',
      fix: 'choose another port, or 0 for any free one.',
    }),
    example: { host: '127.0.0.1', port: 7434, reason: 'EADDRINUSE' },
  }),
};
