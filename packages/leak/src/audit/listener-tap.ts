import { EventEmitter } from 'node:events';
import { ListenerAttachment } from './attachment.ts';
import type { AttachmentSink } from './attachment.ts';
import { tapMethod } from './method-tap.ts';

/**
 * Follows listeners as they are added to any EventEmitter or EventTarget; returns what takes the tap off again.
 *
 * `once` and `prependOnceListener` add through the two methods tapped here, with a wrapper that knows the listener.
 */
export function tapListeners(ledger: AttachmentSink): () => void {
  const note = (target: unknown, args: readonly unknown[]): void => {
    const [type, listener] = args;
    if (typeof target !== 'object' || target === null) return;
    if (typeof type !== 'string' && typeof type !== 'symbol') return;
    if ((typeof listener !== 'function' && typeof listener !== 'object') || listener === null) return;
    if (!ledger.admit()) return;
    const inner: unknown = (listener as { listener?: unknown }).listener;
    ledger.add(new ListenerAttachment(target, type, typeof inner === 'function' ? inner : listener));
  };
  const untap = [
    ...(['on', 'addListener', 'prependListener'] as const).map((name) =>
      tapMethod(EventEmitter.prototype, name, note),
    ),
    tapMethod(EventTarget.prototype, 'addEventListener', note),
  ];
  return () => untap.forEach((each) => each());
}
