import type { Frame } from '@plimsoll/host/protocol/frame';
import { liveDescriptors, watchFeed } from '@plimsoll/host/protocol';

/** The next frame of a process of this folder; undefined when the process is not governed or sends none in time. */
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
