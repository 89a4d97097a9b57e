import type { Claim } from '../findings/finding-book.ts';
import type { Severity } from '../findings/finding.ts';
import { AttachmentLedger } from './attachment-ledger.ts';
import type { AttachmentLedgerOptions } from './attachment-ledger.ts';
import { claimOf } from './audit-claim.ts';
import { tapHandles } from './handle-tap.ts';
import { tapListeners } from './listener-tap.ts';
import { tapTimers } from './timer-tap.ts';
import { verdictOn } from './audit-severity.ts';
import type { ScopeCounts } from './audit-severity.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import { HandleAttachment } from './attachment.ts';
import { tapMethod } from './method-tap.ts';

/** Follows listeners, timers, handles and storages that a program leaves attached, each with its place in the code and its scope. */
export class Audit implements Disposable {
  readonly #ledger: AttachmentLedger;
  readonly #told = new Map<string, { severity: Severity; times: number }>();
  #untap: readonly (() => void)[] = [];

  constructor(options: AttachmentLedgerOptions = {}) {
    this.#ledger = new AttachmentLedger(options);
  }

  get isOn(): boolean {
    return this.#untap.length > 0;
  }

  /** Number of followed attachments, and of those for which there was no room. */
  get tally(): AttachmentLedger['tally'] {
    return this.#ledger.tally;
  }

  /** Starts following attachments that are made from now on. Earlier ones stay unknown. */
  start(): void {
    if (this.isOn) return;
    const ledger = this.#ledger;
    this.#untap = [tapListeners(ledger), tapTimers(ledger), tapHandles(ledger), tapStorages(ledger)];
  }

  /** Restores all methods and forgets all attachments. */
  stop(): void {
    for (const untap of this.#untap) untap();
    this.#untap = [];
    this.#ledger.clear();
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  /**
   * Checks all attachments and returns new claims: of a group that has just become suspicious, has a higher severity, or has grown by half.
   * Call it about once a second. `epoch` is the number of major GCs so far.
   */
  look(epoch: number, scopes: ScopeCounts): readonly Claim[] {
    this.#ledger.look(epoch);
    const found: Claim[] = [];
    for (const group of this.#ledger.groups) {
      const severity = verdictOn(group, scopes);
      if (severity === undefined) continue;
      const claim = claimOf(group, severity);
      const times = claim.times ?? 1;
      const told = this.#told.get(claim.fingerprint);
      if (told?.severity === severity && times < 1.5 * told.times) continue;
      this.#told.set(claim.fingerprint, { severity, times });
      found.push(claim);
    }
    return found;
  }

  /** Every current claim, for the end of a run. */
  claims(scopes: ScopeCounts): readonly Claim[] {
    return [...this.#ledger.groups].flatMap((group) => {
      const severity = verdictOn(group, scopes);
      return severity === undefined ? [] : [claimOf(group, severity)];
    });
  }
}

/** Follows every AsyncLocalStorage from its first use to its collection. One per process is normal, one per run is a leak. */
function tapStorages(ledger: AttachmentLedger): () => void {
  const known = new WeakMap<object, object>();
  const registry = new FinalizationRegistry<HandleAttachment>((attachment) => attachment.closed());
  const note = (storage: unknown): void => {
    if (typeof storage !== 'object' || storage === null || known.has(storage)) return;
    // The token is attached to the storage, because a registered object with a payload would live until the next major GC.
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
