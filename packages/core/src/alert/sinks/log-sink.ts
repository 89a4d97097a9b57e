import { channel } from 'node:diagnostics_channel';
import type { Notice } from '../alert.ts';
import { linesOf, titleOf } from '../notice-text.ts';
import type { AlertSink } from './sink.ts';

/** The shape that console, pino, winston and bunyan share. */
export interface AlertLogger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

const noticeChannel = channel('plimsoll:alert');
const slot = Symbol.for('plimsoll.alert-logger.v1');
type Slot = { [slot]?: AlertLogger | undefined };

/** Takes the logger that alerts of this process go to; without an argument they go where they went before. */
export function useAlertLogger(logger?: AlertLogger): void {
  (globalThis as Slot)[slot] = logger;
}

/** Publishes notices on the channel `plimsoll:alert` and writes them to the logger of the process. */
export class LogSink implements AlertSink {
  readonly name: string;
  readonly #fallback: AlertLogger | undefined;

  /** `fallback` is used while nobody passed a logger. */
  constructor(name = 'log', fallback?: AlertLogger) {
    this.name = name;
    this.#fallback = fallback;
  }

  async deliver(notice: Notice): Promise<void> {
    if (noticeChannel.hasSubscribers) noticeChannel.publish(notice);
    const logger = (globalThis as Slot)[slot] ?? this.#fallback;
    if (logger === undefined) return;
    const text = [titleOf(notice), ...linesOf(notice)].join('\n');
    if (notice.firing.length === 0) logger.info(text);
    else if (notice.level === 'warning') logger.warn(text);
    else logger.error(text);
  }
}
