import type { Frame } from '@plimsoll/host/protocol/frame';
import { liveDescriptors, takeLastFrame, watchFeed } from '@plimsoll/host/protocol';

const retryMs = 100;
/** Interval of searches for children when the program itself is already followed. */
const childrenMs = 1000;
/** Most processes that are followed at a time, and most ended ones whose last frame is kept. */
const mostFollowed = 32;
const mostFrames = 100;

/**
 * Follows the governed processes of a program that `plimsoll run` started, from the first frame to the last. One of them is the program
 * itself: the target, or the first process that a launcher such as npm starts. The others are its children.
 */
export class Watcher {
  readonly #dir: string;
  readonly #pid: number;
  readonly #since: number;
  readonly #onFrame: (frame: Frame) => void;
  readonly #until: () => number | undefined;
  readonly #feeds = new Map<number, { close(): void }>();
  readonly #frames = new Map<number, Frame>();
  #timer: NodeJS.Timeout | undefined;
  #main: number | undefined;
  #isFinished = false;
  #isClosed = false;

  /** `pid` is the target's. `onFrame` gets the frames of the program itself. Processes that begin after `until` belong to the next life. */
  constructor(
    dir: string,
    pid: number,
    since: number,
    onFrame: (frame: Frame) => void,
    until: () => number | undefined = () => undefined,
  ) {
    this.#dir = dir;
    this.#pid = pid;
    this.#since = since;
    this.#onFrame = onFrame;
    this.#until = until;
    this.#look();
  }

  /** The newest frame of the program itself. */
  get newest(): Frame | undefined {
    return this.#main === undefined ? undefined : this.#frames.get(this.#main);
  }

  /** The newest frame of each process by its id. */
  get frames(): ReadonlyMap<number, Frame> {
    return this.#frames;
  }

  /**
   * Called when the program has ended. Returns its last frame, if possible the one written at exit. Its children are followed until
   * `close`.
   */
  finish(): Frame | undefined {
    this.#isFinished = true;
    const last = takeLastFrame(this.#dir, this.#main ?? this.#pid);
    if (last !== undefined) {
      // A program that ended early has no other frame.
      if (this.newest === undefined) this.#onFrame(last);
      this.#main = last.pid;
      this.#frames.set(last.pid, last);
    }
    return this.newest;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const feed of this.#feeds.values()) feed.close();
  }

  #look(): void {
    if (this.#isClosed) return;
    // A program that starts now belongs to the next life.
    const all = this.#isFinished ? [] : this.#descriptors();
    if (this.#main !== this.#pid && !all.some(({ pid }) => pid === this.#main))
      this.#main = (all.find(({ pid }) => pid === this.#pid) ?? all.at(-1))?.pid ?? this.#main;
    for (const { pid, socket } of all) {
      if (this.#feeds.has(pid) || (this.#feeds.size >= mostFollowed && pid !== this.#main)) continue;
      this.#follow(pid, socket);
    }
    const isFollowed = this.#main !== undefined && this.#feeds.has(this.#main);
    this.#timer = setTimeout(() => this.#look(), isFollowed ? childrenMs : retryMs);
  }

  #follow(pid: number, socket: string): void {
    const feed = watchFeed(socket, {
      isBrief: true,
      onFrame: (frame) => {
        this.#keep(frame);
        if (pid === this.#main && !this.#isFinished) this.#onFrame(frame);
      },
      onClose: () => {
        this.#feeds.delete(pid);
        if (pid === this.#main && !this.#isClosed) {
          clearTimeout(this.#timer);
          this.#timer = setTimeout(() => this.#look(), retryMs);
        }
      },
    });
    this.#feeds.set(pid, feed);
  }

  #keep(frame: Frame): void {
    this.#frames.set(frame.pid, frame);
    if (this.#frames.size <= mostFrames) return;
    for (const pid of this.#frames.keys()) {
      if (pid === this.#main || this.#feeds.has(pid)) continue;
      this.#frames.delete(pid);
      return;
    }
  }

  /** Oldest last. None while the folder is not ours, which the host of the program has reported on stderr. */
  #descriptors(): ReturnType<typeof liveDescriptors> {
    try {
      const until = this.#until() ?? Number.POSITIVE_INFINITY;
      return liveDescriptors(this.#dir).filter(
        ({ startedAt }) => startedAt >= this.#since && startedAt < until,
      );
    } catch {
      return [];
    }
  }
}
