import { formatByteSize, formatUsedOfLimit } from '../units/byte-size.ts';
import { formatDuration } from '../units/duration.ts';
import { entry } from './entry.ts';

/** The numbers of every refusal. */
export interface Refused {
  readonly point: string;
  readonly level: string;
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly rule: string;
  readonly retryAfterMs: number;
}

const example: Refused = {
  point: 'session',
  level: 'emergency',
  usedBytes: 407_896_064,
  limitBytes: 429_496_730,
  rule: 'ladder.emergency[1] (plimsoll.yaml:30)',
  retryAfterMs: 12_000,
};

const standing = (d: Refused): string =>
  d.limitBytes > 0
    ? `the process holds ${formatUsedOfLimit(d.usedBytes, d.limitBytes)}, level ${d.level}`
    : `level ${d.level}`;
const place = (d: Refused): string => `admit("${d.point}"), ${d.rule}`;
const later = (d: Refused): string => `try again after ${formatDuration(d.retryAfterMs)}`;

/** Errors of the shed points. */
export const admitErrors = {
  PLM_ADMIT_REFUSED: entry({
    help: 'New work was refused at a shed point because a rung of the ladder refuses it while memory is short. Continuing turns and the management lane go on. The error carries the numbers, `retryable` (true) and `retryAfterMs`, and answers HTTP with 503 and Retry-After.',
    text: (d: Refused) => ({
      message: `new work at "${d.point}" is refused: ${standing(d)}.`,
      where: place(d),
      fix: `${later(d)}; nothing is wrong with the request.`,
    }),
    example,
  }),
  PLM_ADMIT_THROTTLED: entry({
    help: 'Work was refused at a shed point by chance: a rung of the ladder refuses a share of it while memory is short, and the share grows with the pressure. Critical work is never refused this way.',
    text: (d: Refused & { readonly share: number }) => ({
      message: `${Math.round(100 * d.share)} % of the work at "${d.point}" is refused, and this was among it: ${standing(d)}.`,
      where: place(d),
      fix: `${later(d)}, or mark work that must not wait with priority "critical".`,
    }),
    example: { ...example, point: 'run', level: 'critical', share: 0.4 },
  }),
  PLM_ADMIT_CLAMPED: entry({
    help: 'A delegation or run exceeds a bound that a rung of the ladder sets while memory is short: its depth, its number per delegator, or its number at once. A depth is not retryable, because the same delegation stays too deep until the clamp ends.',
    text: (d: Refused & { readonly what: string; readonly value: number; readonly most: number }) => ({
      message: `${d.what} ${d.value} at "${d.point}" is above ${d.most}, the most while memory is short: ${standing(d)}.`,
      where: place(d),
      fix: 'let the delegating agent finish the task itself, or wait until other delegations have ended.',
    }),
    example: { ...example, point: 'delegation', level: 'critical', what: 'depth', value: 4, most: 2 },
  }),
  PLM_ADMIT_FULL: entry({
    help: 'A steady limit of the policy (`admission`) is reached: runs, agents or delegations at once, free memory, or the share of time in which the event loop is busy. It holds at every level. Use `admitOrWait` to wait in line instead.',
    text: (d: Refused & { readonly what: string }) => ({
      message: `there is no room for new work at "${d.point}": ${d.what}.`,
      where: place(d),
      fix: `${later(d)}, wait in line with admitOrWait, or raise ${d.rule} in the policy.`,
    }),
    example: {
      ...example,
      point: 'run',
      level: 'normal',
      rule: 'admission.runs',
      retryAfterMs: 3000,
      what: '100 runs are in flight and 100 is the most',
    },
  }),
  PLM_ADMIT_NO_ROOM: entry({
    help: 'The requested bytes do not fit into the free bytes below the limit that binds, of which some are reserved. Some may be free soon, so it is retryable.',
    text: (d: Refused & { readonly bytes: number; readonly freeBytes: number }) => ({
      message: `${formatByteSize(d.bytes)} at "${d.point}" do not fit the ${formatByteSize(Math.max(0, d.freeBytes))} that are left: ${standing(d)}.`,
      where: place(d),
      fix: `${later(d)}, ask for less, or stream instead of buffering.`,
    }),
    example: { ...example, point: 'buffer', level: 'warning', bytes: 67_108_864, freeBytes: 21_600_666 },
  }),
  PLM_ADMIT_TOO_LARGE: entry({
    help: 'The requested bytes are more than the limit itself, so they can never fit. Not retryable.',
    text: (d: Refused & { readonly bytes: number }) => ({
      message: `${formatByteSize(d.bytes)} at "${d.point}" are more than the limit of ${formatByteSize(d.limitBytes)}.`,
      where: place(d),
      fix: 'ask for less, stream instead of buffering, or raise the limit.',
    }),
    example: { ...example, point: 'buffer', level: 'normal', bytes: 2_147_483_648 },
  }),
  PLM_ADMIT_DRAINING: entry({
    help: 'The process is being drained before a restart. It takes no new work, readiness is off, and running work has until the deadline.',
    text: (d: Refused & { readonly reason: string }) => ({
      message: `new work at "${d.point}" is refused: the process is draining (${d.reason}).`,
      where: place(d),
      fix: `${later(d)}; another process takes it, or this one after its restart.`,
    }),
    example: { ...example, reason: 'the heap stays at 96 % of its limit' },
  }),
  PLM_ADMIT_QUARANTINED: entry({
    help: 'A person or the policy put this scope into quarantine: it takes no new turns until the quarantine ends. Its memory stays, and other scopes go on.',
    text: (d: Refused & { readonly scope: string; readonly why: string }) => ({
      message: `new work at "${d.point}" is refused: ${d.scope} is in quarantine (${d.why}).`,
      where: place(d),
      fix: `end it with "plimsoll act quarantine ${d.scope} --off" when it was looked at.`,
    }),
    example: { ...example, scope: 'process/session:42', why: 'by hand (user:ann)' },
  }),
  PLM_ADMIT_BAD_POINT: entry({
    help: 'A shed point was named that does not exist. The work was let in.',
    text: (d: { readonly point: string; readonly points: readonly string[] }) => ({
      message: `"${d.point}" is not a shed point; the work was admitted uncounted.`,
      where: 'admit(point)',
      fix: `use one of ${d.points.join(', ')}.`,
    }),
    example: { point: 'sesion', points: ['session', 'run', 'delegation', 'tool', 'buffer'] },
  }),
  PLM_ADMIT_LAPSED: entry({
    help: 'Orders to refuse work were in force and no reading came for a minute, so the orders ended. A dead governor must not keep a server closed.',
    text: (d: { readonly ms: number }) => ({
      message: `no reading for ${formatDuration(d.ms)} while work was refused; everything is admitted again.`,
      where: 'admission',
      fix: 'look for a stopped sampler; the ladder refuses again when readings come.',
    }),
    example: { ms: 61_000 },
  }),
};
