import { createHash } from 'node:crypto';
import { siteText } from './call-site.ts';
import type { Origin } from './call-site.ts';
import type { Attachment, AttachmentKind } from './attachment.ts';

/** A count that is looked at now and then: how often it rose since it last fell. */
export class RisingCount {
  value = 0;
  rises = 0;
  #peak = 0;

  /** Takes the count of a new look. A fall of a tenth from the peak starts it anew. */
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

/** Everything of one subject attached at one site. */
export class SiteGroup {
  readonly kind: AttachmentKind;
  readonly subject: string;
  readonly origin: Origin;
  readonly endsByItself: boolean;
  readonly fingerprint: string;
  /** Attached in a scope that has closed, and still there two major GCs later. */
  readonly outlived = new RisingCount();
  /** Attached outside of every scope but the process, and still there. */
  readonly unscoped = new RisingCount();
  /** Most of them that one target holds. */
  onOneTarget = 0;
  /** Closed scopes that left at least one behind. */
  scopes = 0;
  /** Path and kind of the scope that left the oldest one. */
  example: { readonly path: string; readonly kind: string } | undefined;
  /** The scope counted last. */
  lastScopeId = -1;
  /** Entries of the ledger that are followed now. */
  entries = 0;
  /** Ever attached; an estimate where only a part is followed. */
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
