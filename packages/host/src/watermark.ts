import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { Frame, LevelName } from './protocol/frame.ts';

const order: readonly LevelName[] = ['normal', 'warning', 'critical', 'emergency'];

/** The highest values seen since the start. */
export class Watermark {
  #usedBytes = 0;
  #rss = 0;
  #level: LevelName = 'normal';

  note(reading: Reading, level: LevelName): void {
    this.#usedBytes = Math.max(this.#usedBytes, reading.used);
    this.#rss = Math.max(this.#rss, reading.rss);
    if (order.indexOf(level) > order.indexOf(this.#level)) this.#level = level;
  }

  get values(): Frame['watermark'] {
    return { usedBytes: this.#usedBytes, rss: this.#rss, level: this.#level };
  }
}
