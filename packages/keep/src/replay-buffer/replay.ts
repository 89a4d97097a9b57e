import { badOption, msOption } from '../bound.ts';
import { ReplayBuffer } from './replay-buffer.ts';
import { systemClock } from '../clock.ts';
import type { ReplayBufferOptions } from './settings.ts';

export interface ReplayOptions<T> extends ReplayBufferOptions<T> {
  /** Cancels the source when nobody has been reading for this long. Default: never, the stream is read to its end. */
  readonly cancelUnread?: number | string;
}

/**
 * Reads a stream once and gives it to many readers: `const fan = replay(result.fullStream, { maxBytes: '1MiB' })`.
 *
 * The source is read as fast as it comes unless a reader has the lag policy "block". Its error reaches every reader, and cancelling the
 * buffer cancels the source.
 */
export function replay<T>(
  source: AsyncIterable<T> | ReadableStream<T>,
  options: ReplayOptions<T>,
): ReplayBuffer<T> {
  const iterate = (source as Partial<AsyncIterable<T>> | null)?.[Symbol.asyncIterator];
  if (typeof iterate !== 'function')
    throw badOption('replay', 'source', typeof source, 'an async iterable or a ReadableStream');
  const unreadMs = msOption('replay', 'cancelUnread', options.cancelUnread);
  const buffer = new ReplayBuffer<T>(options);
  const iterator = iterate.call(source) as AsyncIterator<T>;
  buffer.cancelled(() => void stop(iterator));
  if (unreadMs !== undefined) watch(buffer, unreadMs, options);
  void pump(iterator, buffer);
  return buffer;
}

async function pump<T>(iterator: AsyncIterator<T>, buffer: ReplayBuffer<T>): Promise<void> {
  try {
    for (;;) {
      const { value, done } = await iterator.next();
      if (buffer.stats().state !== 'open') return;
      if (done === true) break;
      if (!buffer.push(value)) await buffer.ready();
    }
    buffer.end();
  } catch (error) {
    buffer.fail(error);
  }
}

async function stop(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // The source is being given up; how it takes that changes nothing for the readers.
  }
}

/** Looks now and then whether anybody reads; the buffer is held weakly, so that it can go meanwhile. */
function watch<T>(buffer: ReplayBuffer<T>, unreadMs: number, options: ReplayOptions<T>): void {
  const clock = options.clock ?? systemClock;
  const ref = new WeakRef(buffer);
  let sinceMs = clock.monotonic();
  const look = (): void => {
    const held = ref.deref();
    const stats = held?.stats();
    if (held === undefined || stats === undefined || stats.state !== 'open') return;
    const now = clock.monotonic();
    if (stats.readers > 0) sinceMs = now;
    else if (now - sinceMs >= unreadMs) {
      held.cancel('nobody reads it');
      return;
    }
    clock.after(Math.max(1, stats.readers > 0 ? unreadMs : sinceMs + unreadMs - now), look);
  };
  clock.after(unreadMs, look);
}
