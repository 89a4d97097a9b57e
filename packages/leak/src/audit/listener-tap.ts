import { EventEmitter } from 'node:events';
import { PlimsollListener } from './attachment.ts';
import type { AttachmentSink } from './attachment.ts';
import { tapMethod } from './method-tap.ts';

/**
 * Follows listeners that are added to any EventEmitter or EventTarget. Returns the function that removes the tap.
 *
 * `once` and `prependOnceListener` call the two tapped methods with a wrapper that refers to the listener.
 */
export function tapListeners(ledger: AttachmentSink): () => void {
  const note = (target: unknown, args: readonly unknown[]): void => {
    const [type, listener] = args;
    if (typeof target !== 'object' || target === null) return;
    if (typeof type !== 'string' && typeof type !== 'symbol') return;
    if ((typeof listener !== 'function' && typeof listener !== 'object') || listener === null) return;
    if (!ledger.admit()) return;
    const inner: unknown = (listener as { listener?: unknown }).listener;
    ledger.add(new PlimsollListener(target, type, typeof inner === 'function' ? inner : listener));
  };
  const untap = [
    ...(['on', 'addListener', 'prependListener'] as const).map((name) =>
      tapMethod(EventEmitter.prototype, name, note),
    ),
    tapMethod(EventTarget.prototype, 'addEventListener', note),
  ];
  return () => untap.forEach((each) => each());
}
