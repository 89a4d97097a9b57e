import type { Frame } from '@plimsoll/host/protocol';
import { liveDescriptors, takeLastFrame, watchFeed } from '@plimsoll/host/protocol';

const retryMs = 100;

/** Follows the governed process that `plimsoll run` started, from its first frame to its last. */
export class Watcher {
  readonly #dir: string;
  readonly #pid: number;
  readonly #since: number;
  readonly #onFrame: (frame: Frame) => void;
  #timer: NodeJS.Timeout | undefined;
  #feed: { close(): void } | undefined;
  #newest: Frame | undefined;
  #stopped = false;

  /** `pid` is the target's; a launcher such as npm has another, so any process of the folder born after `since` serves too. */
  constructor(dir: string, pid: number, since: number, onFrame: (frame: Frame) => void) {
    this.#dir = dir;
    this.#pid = pid;
    this.#since = since;
    this.#onFrame = onFrame;
    this.#look();
  }

  get newest(): Frame | undefined {
    return this.#newest;
  }

  /** Stops following and returns the last frame known, the one written at exit when there is one. */
  finish(): Frame | undefined {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#feed?.close();
    this.#newest = takeLastFrame(this.#dir, this.#newest?.pid ?? this.#pid) ?? this.#newest;
    return this.#newest;
  }

  #look(): void {
    if (this.#stopped) return;
    const all = this.#descriptors();
    const found = all.find((each) => each.pid === this.#pid) ?? all.at(-1);
    if (found === undefined) {
      this.#again();
      return;
    }
    this.#feed = watchFeed(found.socket, {
      onFrame: (frame) => {
        this.#newest = frame;
        this.#onFrame(frame);
      },
      onClose: () => this.#again(),
    });
  }

  /** None while the folder is not ours; the host of the program has said so on stderr. */
  #descriptors(): ReturnType<typeof liveDescriptors> {
    try {
      return liveDescriptors(this.#dir).filter((each) => each.startedAt >= this.#since);
    } catch {
      return [];
    }
  }

  #again(): void {
    if (!this.#stopped) this.#timer = setTimeout(() => this.#look(), retryMs);
  }
}
