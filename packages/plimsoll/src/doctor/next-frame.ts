import type { Frame } from '@plimsoll/host/protocol/frame';
import { liveDescriptors, watchFeed } from '@plimsoll/host/protocol';

/** The next frame of a process that is governed from this folder; undefined when it is not, or says nothing in time. */
export function nextFrame(dir: string, pid: number, timeoutMs = 5000): Promise<Frame | undefined> {
  const found = liveDescriptors(dir).find((each) => each.pid === pid);
  if (found === undefined) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const finish = (frame: Frame | undefined): void => {
      clearTimeout(timer);
      feed.close();
      resolve(frame);
    };
    const timer = setTimeout(() => finish(undefined), timeoutMs);
    const feed = watchFeed(found.socket, { onFrame: finish, onClose: () => finish(undefined) });
  });
}
