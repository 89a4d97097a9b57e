import { formatByteSize } from '../units/byte-size.ts';
import { formatDuration } from '../units/duration.ts';
import { entry } from './entry.ts';

/** Errors of keepers: containers that cannot leak. */
export const keepErrors = {
  PLM_KEEP_UNBOUNDED: entry({
    help: 'A keeper was constructed without a bound on its content. Lifetimes such as idle or maxAge are not a bound, because nothing limits how much arrives within them. No keeper exists after this error.',
    text: (d: { keeper: string; options: readonly string[] }) => ({
      message: `a ${d.keeper} needs a bound and got none.`,
      where: `new ${d.keeper}(options)`,
      fix: `set at least one of ${d.options.join(', ')}.`,
    }),
    example: { keeper: 'SessionCache', options: ['maxBytes', 'maxEntries'] },
  }),
  PLM_KEEP_BAD_OPTION: entry({
    help: 'An option of a keeper has a value that cannot be used: not a number, negative, without a unit, or in conflict with another option. No keeper exists after this error.',
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
    help: 'A keeper was used after it was drained. Its content has been released.',
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
    help: 'A value was closed or the cache was drained while the value was being opened. If the open function still delivers a value, that value is disposed.',
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
    help: 'The dispose hook of a value failed or hung in every attempt. The value was given up and handed to onDeadLetter; its resources outside the heap may be left behind.',
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
    help: 'A parked value cannot be read back: its checksum, header or encoding is wrong. By default the cache opens the value afresh and removes the broken copy (in a shared lot it stays until the session is parked again); with onCorrupt: "throw" the caller gets this error.',
    text: (d: { id: string; lot: string; why: string }) => ({
      message: `the parked copy of "${d.id}" is damaged: ${d.why}.`,
      where: d.lot,
      fix: 'nothing when the value can be opened afresh; otherwise restore the file from a backup.',
    }),
    example: { id: '42', lot: 'parking lot /var/lib/app/parked', why: 'checksum differs' },
  }),
  PLM_KEEP_HELD_ELSEWHERE: entry({
    help: 'A session of a shared parking lot is held by another process. It can be acquired here when that process parks or closes it, or when its claim runs out because the process died.',
    text: (d: { id: string; holder: string; ms: number; lot: string }) => ({
      message: `"${d.id}" is held by ${d.holder}, whose claim runs for another ${formatDuration(d.ms)}.`,
      where: d.lot,
      fix: 'route the request to the process that holds the session, or try again after that time.',
    }),
    example: { id: '42', holder: 'pod-7:1', ms: 21_000, lot: 'parking lot plimsoll_parked in PostgreSQL' },
  }),
  PLM_KEEP_CLAIM_LOST: entry({
    help: 'The claim of this process on a session ran out, because the process was stopped or the parking lot did not answer for longer than the claim lasts. Another process may hold the session, so its leases here are revoked and its state is not parked over the newer one.',
    text: (d: { id: string; lot: string }) => ({
      message: `the claim on "${d.id}" was lost: another process may hold it.`,
      where: d.lot,
      fix: 'acquire the session again; raise the claim time of the parking lot if the process or the lot is away for this long in normal operation.',
    }),
    example: { id: '42', lot: 'parking lot plimsoll_parked in PostgreSQL' },
  }),
  PLM_KEEP_NOT_CLAIMED: entry({
    help: 'A value was put into a cache with a shared parking lot without a claim on its id. Another process may hold the session.',
    text: (d: { id: string; keeper: string }) => ({
      message: `"${d.id}" is not claimed by this process, so set may not put it in.`,
      where: d.keeper,
      fix: 'use acquire or replace, which claim the session first.',
    }),
    example: { id: '42', keeper: 'session cache "sessions"' },
  }),
  PLM_REPLAY_LAGGED: entry({
    help: 'A reader of a replay buffer was cut off: it was too slow for its policy "disconnect", kept a waiting producer for too long, or stopped reading after the end. Other readers are not affected.',
    text: (d: { buffer: string; reader: string; why: string }) => ({
      message: `the reader "${d.reader}" was cut off: ${d.why}.`,
      where: d.buffer,
      fix: 'read faster, raise maxBytes, let the buffer spill, or give the reader lag: "drop".',
    }),
    example: {
      buffer: 'replay buffer "stream"',
      reader: 'reader 2',
      why: 'it was 400 chunks behind and memory was full',
    },
  }),
  PLM_REPLAY_BLOCKED: entry({
    help: 'A chunk was pushed although the buffer is full and a reader with lag policy "block" is behind. The chunk was not taken.',
    text: (d: { buffer: string; bytes: number; maxBytes: number; readers: readonly string[] }) => ({
      message: `the buffer holds ${formatByteSize(d.bytes)} of ${formatByteSize(d.maxBytes)} and waits for ${d.readers.join(', ')}.`,
      where: d.buffer,
      fix: 'when push() returns false, await ready() before the next push, or use write().',
    }),
    example: {
      buffer: 'replay buffer "stream"',
      bytes: 1_048_600,
      maxBytes: 1_048_576,
      readers: ['reader 2'],
    },
  }),
  PLM_REPLAY_SPILL_FAILED: entry({
    help: 'Chunks or outputs could not be written to the temporary file: no space, no permission, maxSpillBytes reached, or something that is not plain data. They stay in memory and the lag policies of the readers apply (a bag refuses new outputs).',
    text: (d: { keeper: string; chunks: number; why: string }) => ({
      message: `${d.chunks} items could not be spilled: ${d.why}.`,
      where: d.keeper,
      fix: 'check space and permissions of the temporary directory (spillTo), or give a codec for values that are not plain data.',
    }),
    example: {
      keeper: 'replay buffer "stream"',
      chunks: 120,
      why: 'ENOSPC: no space left on device, write',
    },
  }),
  PLM_REPLAY_UNREADABLE: entry({
    help: 'Spilled data in the temporary file cannot be read back. Its reader is cut off, because going on would hide the gap.',
    text: (d: { keeper: string; why: string }) => ({
      message: `a spilled page cannot be read back: ${d.why}.`,
      where: d.keeper,
      fix: 'check the disk of spillTo; with a codec, check that decode is the inverse of encode.',
    }),
    example: { keeper: 'replay buffer "stream"', why: 'EIO: i/o error, read' },
  }),
  PLM_REPLAY_CANCELLED: entry({
    help: 'The stream behind a replay buffer was cancelled. Every reader gets this error once.',
    text: (d: { buffer: string; reason: string }) => ({
      message: `the stream was cancelled (${d.reason}).`,
      where: d.buffer,
      fix: 'treat it as an early end of the stream.',
    }),
    example: { buffer: 'replay buffer "stream"', reason: 'user pressed stop' },
  }),
  PLM_REPLAY_RELEASED: entry({
    help: 'A reader came after the stream was over and its chunks had been dropped.',
    text: (d: { buffer: string; chunks: number; afterMs: number }) => ({
      message: `the ${d.chunks} chunks of the stream were released ${formatDuration(d.afterMs)} after its end.`,
      where: d.buffer,
      fix: 'subscribe earlier, or raise releaseAfterEnd.',
    }),
    example: { buffer: 'replay buffer "stream"', chunks: 412, afterMs: 30_000 },
  }),
  PLM_REPLAY_ENDED: entry({
    help: 'A chunk was pushed into a stream that is over: ended, failed, cancelled or released. The chunk was not taken.',
    text: (d: { buffer: string; state: string }) => ({
      message: `a chunk was pushed although the stream is ${d.state}.`,
      where: d.buffer,
      fix: 'stop pushing after end(), fail() or cancel().',
    }),
    example: { buffer: 'replay buffer "stream"', state: 'ended' },
  }),
  PLM_DELEGATION_DENIED: entry({
    help: 'A delegation was refused because it would have gone beyond the budget of its tree, into a loop, to an agent that keeps failing, or without an approval. The error carries `path` (agents from the root) and `limit` (depth, fan-out, live, total, tokens, bytes, time, cycle, ping-pong, reentry, failures, approval, paused, cancelled or closed).',
    text: (d: { breaker: string; path: readonly string[]; limit: string; why: string }) => ({
      message: `${d.path.join(' > ')} was refused by the limit "${d.limit}": ${d.why}.`,
      where: d.breaker,
      fix: 'let the delegating agent finish the task itself, or raise the limit if the tree is meant to be this large.',
    }),
    example: {
      breaker: 'delegation breaker "delegations"',
      path: ['planner', 'researcher', 'planner'],
      limit: 'cycle',
      why: 'planner already works on this very task, further up',
    },
  }),
  PLM_DELEGATION_CANCELLED: entry({
    help: 'A delegation was cancelled with the tree or the part of the tree it belongs to. Its caller gets this error at once, and its function is aborted by its signal.',
    text: (d: { breaker: string; path: readonly string[]; reason: string }) => ({
      message: `${d.path.join(' > ')} and everything below it was cancelled (${d.reason}).`,
      where: d.breaker,
      fix: 'treat it as the end of the task; pass delegation.signal on to the calls of the agent.',
    }),
    example: {
      breaker: 'delegation breaker "delegations"',
      path: ['planner', 'researcher'],
      reason: 'user left',
    },
  }),
  PLM_POOL_EXHAUSTED: entry({
    help: 'Every object of a pool is taken. A pool does not grow past max; use tryTake() to go on without.',
    text: (d: { pool: string; max: number }) => ({
      message: `all ${d.max} objects are taken.`,
      where: d.pool,
      fix: 'release handles with using handle = pool.take(), raise max, or use tryTake().',
    }),
    example: { pool: 'pool "buffers"', max: 50 },
  }),
  PLM_POOL_STALE: entry({
    help: 'The value of a handle was read after the handle was released. The object may be in use by other code.',
    text: (d: { pool: string }) => ({
      message: 'the handle was released; its object may be in use by other code.',
      where: d.pool,
      fix: 'read the value before the release and keep the handle for as long as the object is used.',
    }),
    example: { pool: 'pool "buffers"' },
  }),
  PLM_BAG_FULL: entry({
    help: 'An output was put into a bag that is full of outputs with open readers, and it could not be spilled. The output was not taken.',
    text: (d: { bag: string; key: string; bytes: number; held: number; maxBytes: number; why: string }) => ({
      message: `"${d.key}" takes ${formatByteSize(d.bytes)} and the bag holds ${formatByteSize(d.held)} of ${formatByteSize(d.maxBytes)}: ${d.why}.`,
      where: d.bag,
      fix: 'let consumers read earlier outputs first, raise maxBytes or maxSpillBytes, or make the output plain data so that it can be spilled.',
    }),
    example: {
      bag: 'output bag "outputs"',
      key: 'summary',
      bytes: 9_000_000,
      held: 60_000_000,
      maxBytes: 67_108_864,
      why: 'it may not be spilled',
    },
  }),
  PLM_BAG_BAD_READ: entry({
    help: 'An output was put twice, or read although it is unknown, was released after its last consumer, or by a reader that is not one of its consumers.',
    text: (d: { bag: string; key: string; why: string }) => ({
      message: `"${d.key}" ${d.why}.`,
      where: d.bag,
      fix: 'name every consumer of an output when putting it, put each output once, and let each consumer read it once.',
    }),
    example: {
      bag: 'output bag "outputs"',
      key: 'summary',
      why: 'was released after its last consumer read it',
    },
  }),
};
