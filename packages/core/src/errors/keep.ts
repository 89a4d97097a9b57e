import { formatByteSize } from '../units/byte-size.ts';
import { formatDuration } from '../units/duration.ts';
import { entry } from './entry.ts';

/** Errors of keepers: containers that cannot leak. */
export const keepErrors = {
  PLM_KEEP_UNBOUNDED: entry({
    help: 'A keeper was constructed without a bound on what it holds. Lifetimes such as idle or maxAge are no bound: nothing limits how much arrives within them. No keeper exists after this error.',
    text: (d: { keeper: string; options: readonly string[] }) => ({
      message: `a ${d.keeper} needs a bound and got none.`,
      where: `new ${d.keeper}(options)`,
      fix: `set at least one of ${d.options.join(', ')}.`,
    }),
    example: { keeper: 'SessionCache', options: ['maxBytes', 'maxEntries'] },
  }),
  PLM_KEEP_BAD_OPTION: entry({
    help: 'An option of a keeper has a value that cannot be meant: not a number, negative, without a unit, or in conflict with another option. No keeper exists after this error.',
    text: (d: { keeper: string; option: string; value: string; accepted: string }) => ({
      message: `${d.option} is ${d.value}; it has to be ${d.accepted}.`,
      where: `options of ${d.keeper}`,
      fix: `set ${d.option} to ${d.accepted}, or leave it out.`,
    }),
    example: {
      keeper: 'SessionCache',
      option: 'maxBytes',
      value: 'NaN',
      accepted: 'bytes above 0 or a size such as "64MiB"',
    },
  }),
  PLM_KEEP_BAD_KEY: entry({
    help: 'Ids of kept values are non-empty strings, so that they can be named in reports and parked on disk.',
    text: (d: { keeper: string; value: string }) => ({
      message: `the id is ${d.value}; it has to be a non-empty string.`,
      where: d.keeper,
      fix: 'pass the id as a string, for instance String(id).',
    }),
    example: { keeper: 'session cache "sessions"', value: 'a number' },
  }),
  PLM_KEEP_CLOSED: entry({
    help: 'A keeper was used after it was drained. What it held has been let go of.',
    text: (d: { keeper: string; verb: string }) => ({
      message: `${d.verb} was called on a keeper that is closed.`,
      where: d.keeper,
      fix: 'stop taking work before draining the keeper, or make a new one.',
    }),
    example: { keeper: 'session cache "sessions"', verb: 'acquire' },
  }),
  PLM_KEEP_NOT_FOUND: entry({
    help: 'A lease was asked for on an id that is not kept, and the cache was given no way to open it.',
    text: (d: { keeper: string; id: string }) => ({
      message: `"${d.id}" is not kept and the cache has no "open" option to make it.`,
      where: d.keeper,
      fix: 'pass open: (id) => ... to the cache, or set the value before acquiring it.',
    }),
    example: { keeper: 'session cache "sessions"', id: '42' },
  }),
  PLM_KEEP_OPEN_CANCELLED: entry({
    help: 'A value was closed or the cache was drained while the value was being opened. What the open function still delivers is disposed.',
    text: (d: { keeper: string; id: string; reason: string }) => ({
      message: `"${d.id}" was closed while it was being opened (${d.reason}).`,
      where: d.keeper,
      fix: 'acquire it again when it is wanted after all.',
    }),
    example: { keeper: 'session cache "sessions"', id: '42', reason: 'user-left' },
  }),
  PLM_KEEP_LEASE_ENDED: entry({
    help: 'The value of a lease was read after the lease was released, or after a drain revoked it at its deadline. The value may have been disposed.',
    text: (d: { id: string; ended: 'released' | 'revoked' }) => ({
      message: `the lease of "${d.id}" was ${d.ended}; its value may be gone.`,
      where: 'lease.value',
      fix: 'keep the lease for as long as the value is used: await using lease = await cache.acquire(id).',
    }),
    example: { id: '42', ended: 'released' as 'released' | 'revoked' },
  }),
  PLM_KEEP_DISPOSE_FAILED: entry({
    help: 'The dispose hook of a value failed or hung in every attempt. The value was given up and handed to onDeadLetter; what it held outside the heap may be left behind.',
    text: (d: { keeper: string; id: string; attempts: number; last: string }) => ({
      message: `disposing "${d.id}" failed ${d.attempts} times, last: ${d.last}.`,
      where: d.keeper,
      fix: 'make the dispose hook settle, or release what it holds in onDeadLetter.',
    }),
    example: { keeper: 'session cache "sessions"', id: '42', attempts: 3, last: 'connection refused' },
  }),
  PLM_KEEP_HOOK_TIMEOUT: entry({
    help: 'A hook of the user did not settle in time. Its signal is aborted and the next attempt starts, or the value goes to the dead letter.',
    text: (d: { keeper: string; hook: string; id: string; ms: number }) => ({
      message: `${d.hook} of "${d.id}" did not settle within ${formatDuration(d.ms)}.`,
      where: d.keeper,
      fix: 'honour the signal given to the hook, or raise disposeTimeout.',
    }),
    example: { keeper: 'session cache "sessions"', hook: 'dispose', id: '42', ms: 5000 },
  }),
  PLM_KEEP_PARK_FAILED: entry({
    help: 'A cold value could not be written to its parking lot. It is disposed without being parked, which the "park-failed" event reports; its state is lost unless the dispose hook saves it.',
    text: (d: { id: string; lot: string; why: string }) => ({
      message: `"${d.id}" could not be parked: ${d.why}.`,
      where: d.lot,
      fix: 'check space and permissions of the parking lot, and that the value can be serialised (give the cache a freeze hook when it has functions or handles).',
    }),
    example: { id: '42', lot: 'parking lot /var/lib/app/parked', why: 'no space left on device' },
  }),
  PLM_KEEP_PARK_TOO_LARGE: entry({
    help: 'A value is larger than a parking lot takes at once. Serialising it would block the event loop for too long.',
    text: (d: { id: string; bytes: number; maxBytes: number; lot: string }) => ({
      message: `"${d.id}" takes ${formatByteSize(d.bytes)} serialised, more than the ${formatByteSize(d.maxBytes)} the lot may hold.`,
      where: d.lot,
      fix: 'raise maxBytes of the parking lot, or park less of the value with a freeze hook.',
    }),
    example: { id: '42', bytes: 300_000_000, maxBytes: 268_435_456, lot: 'parking lot /var/lib/app/parked' },
  }),
  PLM_KEEP_PARKED_CORRUPT: entry({
    help: 'A parked value cannot be read back: its checksum, header or encoding is wrong. By default the cache opens the value afresh and removes the broken copy; with onCorrupt: "throw" the caller gets this error.',
    text: (d: { id: string; lot: string; why: string }) => ({
      message: `the parked copy of "${d.id}" is damaged: ${d.why}.`,
      where: d.lot,
      fix: 'nothing when the value can be opened afresh; otherwise restore the file from a backup.',
    }),
    example: { id: '42', lot: 'parking lot /var/lib/app/parked', why: 'checksum differs' },
  }),
};
