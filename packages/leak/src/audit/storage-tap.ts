import { AsyncLocalStorage } from 'node:async_hooks';
import { HandleAttachment } from './attachment.ts';
import type { AttachmentLedger } from './attachment-ledger.ts';
import { tapMethod } from './method-tap.ts';

/** Follows every AsyncLocalStorage from its first use to its collection: one per process is meant, one per run is a leak. */
export function tapStorages(ledger: AttachmentLedger): () => void {
  const known = new WeakMap<object, object>();
  const registry = new FinalizationRegistry<HandleAttachment>((attachment) => attachment.closed());
  const note = (storage: unknown): void => {
    if (typeof storage !== 'object' || storage === null || known.has(storage)) return;
    // The token hangs on the storage; a registered object with a payload would live until the next major GC.
    const token = {};
    known.set(storage, token);
    if (!ledger.admit()) return;
    const attachment = new HandleAttachment('AsyncLocalStorage');
    if (ledger.add(attachment)) registry.register(token, attachment);
  };
  const untap = (['run', 'enterWith'] as const).map((name) =>
    tapMethod(AsyncLocalStorage.prototype, name, note),
  );
  return () => untap.forEach((each) => each());
}
