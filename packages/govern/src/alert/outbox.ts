import type { RecipientRule } from '../policy/sections/alert-rules.ts';
import type { Alert, AlertClock, Notice } from './alert.ts';
import { MirrorLoop } from './mirror-loop.ts';
import type { DeliveryCounts, DeliveryOutcome } from './sinks/delivery-queue.ts';
import { DeliveryQueue } from './sinks/delivery-queue.ts';
import type { AlertSink, MirrorSink } from './sinks/sink.ts';

export type RecipientCounts = DeliveryCounts;

/** The recipients, each with the sink that delivers to it. */
export type Recipients = readonly {
  readonly rule: Pick<RecipientRule, 'name' | 'timeoutMs' | 'attempts'>;
  readonly sink: AlertSink | MirrorSink;
}[];

export interface OutboxOptions {
  readonly recipients: Recipients;
  readonly clock: AlertClock;
  readonly random?: () => number;
  readonly alertsFor: (recipient: string) => readonly Alert[];
  readonly onSettled: (notice: Notice, outcome: DeliveryOutcome) => void;
  readonly onMirrorFailed: (recipient: string, reason: string) => void;
}

/** Sends to recipients: with a queue for each that takes notices, with a loop for each that takes the whole state. */
export class Outbox {
  readonly #queues = new Map<string, DeliveryQueue>();
  readonly #mirrors: MirrorLoop[] = [];

  constructor(options: OutboxOptions) {
    const { clock, random, onSettled } = options;
    for (const { rule, sink } of options.recipients) {
      const { name, timeoutMs, attempts } = rule;
      if ('mirror' in sink)
        this.#mirrors.push(
          new MirrorLoop(sink, {
            clock,
            timeoutMs,
            alerts: () => options.alertsFor(name),
            onFailed: (reason) => options.onMirrorFailed(name, reason),
          }),
        );
      else
        this.#queues.set(
          name,
          new DeliveryQueue(sink, {
            clock,
            timeoutMs,
            attempts,
            onSettled,
            ...(random === undefined ? {} : { random }),
          }),
        );
    }
  }

  /** The recipients that take notices. */
  get queued(): Iterable<string> {
    return this.#queues.keys();
  }

  get hasMirrors(): boolean {
    return this.#mirrors.length > 0;
  }

  get counts(): Readonly<Record<string, RecipientCounts>> {
    return Object.fromEntries([
      ...[...this.#queues].map(([name, queue]) => [name, queue.counts] as const),
      ...this.#mirrors.map((mirror) => [mirror.name, mirror.counts] as const),
    ]);
  }

  /** Whether a recipient asked never to be sent anything again. */
  isGone(name: string): boolean {
    return this.#queues.get(name)?.counts.gone ?? false;
  }

  push(notice: Notice): void {
    this.#queues.get(notice.recipient)?.push(notice);
  }

  changed(): void {
    for (const mirror of this.#mirrors) mirror.changed();
  }

  async drained(ms: number): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.drained(ms)));
  }

  close(): void {
    for (const queue of this.#queues.values()) queue.close();
    for (const mirror of this.#mirrors) mirror.close();
  }
}
