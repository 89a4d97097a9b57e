import { connect, type Socket } from 'node:net';
import { checkSocket } from '@plimsoll/core/internal/own-path';
import { briefWatch, LineReader } from './control.ts';
import type { Frame } from './frame.ts';

/** A longer line is not one of ours. The connection is closed instead of buffering it. */
const longestLine = 8 * 1024 * 1024;

interface FeedEvents {
  readonly onFrame: (frame: Frame) => void;
  readonly onClose?: () => void;
  readonly onFault?: (error: Error) => void;
  /**
   * Lets the process leave out the rows of scopes while its level is normal and no scope opens or closes, for at most five seconds when
   * their bytes change. The client then repeats the last rows. They are most of a frame's cost. By default every frame has them.
   */
  readonly isBrief?: boolean;
}

/**
 * Watches a governed process through its feed; `close()` ends it. It does not connect to a socket of another user, and calls `onFault` with
 * the reason.
 */
export function watchFeed(socketPath: string, events: FeedEvents): { close(): void } {
  try {
    checkSocket(socketPath);
  } catch (error) {
    const refused = setImmediate(() => {
      events.onFault?.(error as Error);
      events.onClose?.();
    });
    return { close: () => clearImmediate(refused) };
  }
  const socket: Socket = connect(socketPath);
  const lines = new LineReader(longestLine);
  let newest: Frame | undefined;
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    const found = lines.take(chunk);
    if (found === undefined) {
      socket.destroy();
      return;
    }
    for (const line of found) {
      const frame = parseFrame(line);
      if (frame === undefined) continue;
      newest = withRows(frame, newest);
      if (newest !== undefined) events.onFrame(newest);
    }
  });
  if (events.isBrief === true) socket.write(`${JSON.stringify(briefWatch)}\n`);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => events.onClose?.());
  return { close: () => socket.destroy() };
}

/** A brief frame with the rows of the one before; undefined when there was none. */
function withRows(frame: Partial<Frame>, before: Frame | undefined): Frame | undefined {
  if (frame.scopes !== undefined) return frame as Frame;
  if (before === undefined) return undefined;
  const { scopes, scopeCount, kinds, peaks, heap } = before;
  return { ...(frame as Frame), scopes, scopeCount, kinds, peaks, heap };
}

/** A frame from a line or a file; undefined for anything else. */
export function parseFrame(text: string): Frame | undefined {
  try {
    const value = JSON.parse(text) as Partial<Frame>;
    return value.v === 1 && typeof value.pid === 'number' ? (value as Frame) : undefined;
  } catch {
    return undefined;
  }
}
