import { slots } from '@plimsoll/core/internal/slots';
import type { Logger } from '@plimsoll/core/internal/slots';
import { channel } from 'node:diagnostics_channel';
import type { Notice } from '../alert.ts';
import { linesOf, titleOf } from '../notice-text.ts';
import type { AlertSink } from './sink.ts';

export type { Logger as AlertLogger };

const noticeChannel = channel('plimsoll:alert');

/** Sets the logger for alerts of this process. Without an argument the default is used again. */
export function useAlertLogger(logger?: Logger): void {
  slots().logger = logger;
}

/** Publishes notices on the channel `plimsoll:alert` and writes them to the logger of the process. */
export class LogSink implements AlertSink {
  readonly name: string;
  readonly #fallback: Logger | undefined;

  /** `fallback` is used while the program has passed no logger. */
  constructor(name = 'log', fallback?: Logger) {
    this.name = name;
    this.#fallback = fallback;
  }

  async deliver(notice: Notice): Promise<void> {
    if (noticeChannel.hasSubscribers) noticeChannel.publish(notice);
    const logger = slots().logger ?? this.#fallback;
    if (logger === undefined) return;
    const text = [titleOf(notice), ...linesOf(notice)].join('\n');
    if (notice.firing.length === 0) logger.info(text);
    else if (notice.level === 'warning') logger.warn(text);
    else logger.error(text);
  }
}
