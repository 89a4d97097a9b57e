import { isPlimsollError } from '@plimsoll/core';
import { levels } from '@plimsoll/core/internal/level';
import { replaceFile } from '@plimsoll/core/internal/replace-file';
import { roster } from '@plimsoll/core/internal/scope/index';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { SelfCost } from '@plimsoll/core/internal/sense/self-cost';
import type { ControlOps } from '../protocol/control.ts';
import { removeDescriptor, socketPath, writeDescriptor } from '../protocol/descriptor.ts';
import type { Frame, Level } from '../protocol/frame.ts';
import { lastFrameFile } from '../protocol/last-frame.ts';
import type { Part } from '../parts/part.ts';
import type { ScopeBytes } from '../parts/scopes/scope-bytes.ts';
import type { HostSettings } from '../parts/settings.ts';
import { FeedServer } from './feed-server.ts';
import { FrameMaker } from './frame-maker.ts';
import type { BriefFrame, FrameParts } from './frame-maker.ts';

interface FeedPartOptions {
  readonly settings: HostSettings;
  readonly startedAt: number;
  readonly bytes: ScopeBytes;
  readonly controls: readonly ControlOps[];
  /** It counts the cost of making frames, and slows them down when that cost is too high. */
  readonly self: Pick<SelfCost, 'measure' | 'slowdown'>;
  readonly level: () => Level;
  /** The facts of the other parts. The feed adds the reading, the watermark and its own fault. */
  readonly facts: () => Omit<FrameParts, 'reading' | 'level' | 'watermark' | 'last'>;
}

/** Least ms between two brief frames with rows: while the bytes of scopes change, and while they do not. */
const movedMs = 5000;
const stillMs = 30_000;

/** What watchers connect to: descriptor and socket. It sends one frame per reading and writes the last frame on exit. */
export class FeedPart implements Part {
  readonly #options: FeedPartOptions;
  readonly #server: FeedServer;
  readonly #frames: FrameMaker;
  #watermark: Frame['watermark'] = { usedBytes: 0, rss: 0, level: 'normal' };
  #reading: Reading | undefined;
  #fault: string | null = null;
  /** The state when brief frames last had rows. */
  #rows = { number: 0, at: Number.NEGATIVE_INFINITY, scopes: '', moves: 0 };
  /** Readings since the last frame. */
  #unsent = 0;

  constructor(options: FeedPartOptions) {
    const { settings, startedAt, bytes, controls } = options;
    this.#options = options;
    this.#server = new FeedServer(socketPath(settings.dir, process.pid));
    this.#server.offer(controls);
    this.#frames = new FrameMaker({ target: settings.target, startedAt }, roster, bytes);
  }

  /** The newest frame; undefined before the first reading. */
  get frame(): Frame | undefined {
    return this.#reading === undefined ? undefined : this.#make(this.#reading, false);
  }

  start(): void {
    const { startedAt } = this.#options;
    const { dir, target } = this.#options.settings;
    const fault = (error: Error): void => {
      this.#fault = error.message;
    };
    try {
      const socket = socketPath(dir, process.pid);
      writeDescriptor(dir, { pid: process.pid, target, startedAt, socket });
      this.#server.listen(fault);
    } catch (error) {
      fault(error as Error);
      if (isPlimsollError(error)) process.emitWarning(String(error), { type: 'PlimsollWarning' });
    }
  }

  take(reading: Reading): void {
    this.#reading = reading;
    this.#note(reading);
    const { self } = this.#options;
    if (++this.#unsent < self.slowdown('frames')) return;
    this.#unsent = 0;
    self.measure('frames', () =>
      this.#server.push(
        (isBrief) => JSON.stringify(isBrief ? this.#makeBrief(reading) : this.#make(reading, false)),
        this.#rowsNumber(),
      ),
    );
  }

  /** Writes the last frame into a file. When the disk is full, watchers keep the frame before it. */
  exit(_code: number, reading: Reading | undefined): void {
    const { dir } = this.#options.settings;
    try {
      if (reading !== undefined)
        replaceFile(lastFrameFile(dir, process.pid), JSON.stringify(this.#make(reading, true)));
    } finally {
      removeDescriptor(dir, process.pid);
    }
  }

  stop(): void {
    this.#server.close();
    this.#frames.stop();
    removeDescriptor(this.#options.settings.dir, process.pid);
  }

  #note({ used, rss }: Reading): void {
    const level = this.#options.level();
    const { usedBytes, rss: highestRss, level: highest } = this.#watermark;
    this.#watermark = {
      usedBytes: Math.max(usedBytes, used),
      rss: Math.max(highestRss, rss),
      level: levels.indexOf(level) > levels.indexOf(highest) ? level : highest,
    };
  }

  /**
   * Changes when a watcher of brief frames should get the rows. Above level normal the rows are sent every time: the process may end soon,
   * and people then ask which scope held most.
   */
  #rowsNumber(): number {
    const now = performance.now();
    const { at, scopes, moves } = this.#rows;
    const next = { at: now, scopes: `${roster.opened} ${roster.count}`, moves: this.#options.bytes.moves };
    const isDue =
      this.#options.level() !== 'normal' ||
      next.scopes !== scopes ||
      now - at >= (next.moves === moves ? stillMs : movedMs);
    if (isDue) this.#rows = { ...next, number: this.#rows.number + 1 };
    return this.#rows.number;
  }

  #make(reading: Reading, last: boolean): Frame {
    return this.#frames.make(this.#parts(reading, last));
  }

  #makeBrief(reading: Reading): BriefFrame {
    return this.#frames.makeBrief(this.#parts(reading, false));
  }

  #parts(reading: Reading, last: boolean): FrameParts {
    const { ledger, ...facts } = this.#options.facts();
    return {
      ...facts,
      reading,
      level: this.#options.level(),
      watermark: this.#watermark,
      ledger: { ...ledger, fault: ledger.fault ?? this.#fault },
      last,
    };
  }
}
