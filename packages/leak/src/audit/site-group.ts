import { createHash } from 'node:crypto';
import { siteText } from './call-site.ts';
import type { Origin } from './call-site.ts';
import type { Attachment, AttachmentKind } from './attachment.ts';

/** Counts how often a number rose since it last fell. */
export class RisingCount {
  value = 0;
  rises = 0;
  #peak = 0;

  /** Takes a new value. A fall by a tenth from the peak restarts it. */
  see(value: number): void {
    if (value > this.value) this.rises++;
    if (value < 0.9 * this.#peak) {
      this.rises = 0;
      this.#peak = value;
    }
    this.#peak = Math.max(this.#peak, value);
    this.value = value;
  }
}

/** All attachments of one subject made at one site. */
export class SiteGroup {
  readonly kind: AttachmentKind;
  readonly subject: string;
  readonly origin: Origin;
  readonly endsByItself: boolean;
  readonly fingerprint: string;
  /** Attachments of closed scopes that are still there two major GCs later. */
  readonly outlived = new RisingCount();
  /** Attachments made outside of all scopes that are still there. */
  readonly unscoped = new RisingCount();
  /** The most of them on one target. */
  onOneTarget = 0;
  /** Number of closed scopes that left at least one. */
  scopes = 0;
  /** Path and kind of the scope that left the oldest one. */
  example: { readonly path: string; readonly kind: string } | undefined;
  /** Id of the scope that was counted last. */
  lastScopeId = -1;
  /** Entries of the ledger that are currently followed. */
  entries = 0;
  /** Number ever attached; an estimate when only a part is followed. */
  ever = 0;

  constructor(attachment: Attachment, origin: Origin) {
    this.kind = attachment.kind;
    this.subject = attachment.subject;
    this.endsByItself = attachment.endsByItself;
    this.origin = origin;
    this.fingerprint = createHash('sha256')
      .update(`${this.kind}\0${this.subject}\0${siteText(origin.site)}`)
      .digest('hex')
      .slice(0, 16);
  }
}
