import { currentScope } from '@plimsoll/core';
import { recordOf } from '@plimsoll/core/internal/scope/scope';
import type { ScopeRecord } from '@plimsoll/core/internal/scope/scope-record';
import { AuditLook } from './attachment.ts';
import type { Attachment, AttachmentSink } from './attachment.ts';
import { isOwnFile, originHere } from './call-site.ts';
import { SiteGroup } from './site-group.ts';

export interface AttachmentLedgerOptions {
  /** Most stacks taken per second. Above it only every n-th attachment is followed, with weight n. Default 1,000. */
  readonly perSecond?: number;
  /** Most attachments followed at once; default 20,000. */
  readonly most?: number;
  /** Monotonic ms; default `performance.now`. */
  readonly now?: () => number;
  /** True for Plimsoll's own files. */
  readonly isOwn?: (file: string) => boolean;
}

interface Entry {
  readonly attachment: Attachment;
  readonly group: SiteGroup;
  /** Number of attachments that it represents. */
  readonly weight: number;
  /** The scope in which it was made, until that scope closes; undefined for the process. */
  scope: ScopeRecord | undefined;
  closedEpoch: number;
}

const mostSites = 1024;
const settleEpochs = 2;

/**
 * Records attachments with their place in the code and their scope, and checks whether they are still there.
 *
 * A new entry refers to its target until the next check, one or two seconds later. Most attachments are gone by then; the others become
 * weak. A WeakRef from the start would keep every short-lived emitter alive until the next major GC on Node 22 and 24. Removal is never
 * intercepted; a check asks the target itself. Bounded in entries, sites and stacks per second.
 */
export class AttachmentLedger implements AttachmentSink {
  readonly #perSecond: number;
  readonly #most: number;
  readonly #now: () => number;
  readonly #isOwn: (file: string) => boolean;
  readonly #groups = new Map<string, SiteGroup>();
  #fresh: Entry[] = [];
  readonly #scoped = new Map<ScopeRecord, Entry[]>();
  #unscoped: Entry[] = [];
  #overdue: Entry[] = [];
  #size = 0;
  #seen = 0;
  #taken = 0;
  #stride = 1;
  #turnAt = 0;
  #skipped = 0;
  #epoch = -1;
  #isBusy = false;

  constructor(options: AttachmentLedgerOptions = {}) {
    this.#perSecond = options.perSecond ?? 1000;
    this.#most = options.most ?? 20_000;
    this.#now = options.now ?? (() => performance.now());
    this.#isOwn = options.isOwn ?? isOwnFile;
  }

  get groups(): Iterable<SiteGroup> {
    return this.#groups.values();
  }

  /** Number of followed attachments, and of those for which there was no room. */
  get tally(): { readonly followed: number; readonly skipped: number } {
    return { followed: this.#size, skipped: this.#skipped };
  }

  /** Whether the current attachment is followed. The taps call it before they make anything. */
  admit(): boolean {
    if (this.#isBusy) return false;
    this.#seen++;
    if (this.#seen % this.#stride !== 0) return false;
    const now = this.#now();
    if (now - this.#turnAt >= 1000) this.#turn(now);
    if (this.#taken >= this.#perSecond || this.#size >= this.#most) {
      this.#skipped++;
      return false;
    }
    return true;
  }

  /** Follows an attachment made by the running code; never throws into it. */
  add(attachment: Attachment): boolean {
    this.#isBusy = true;
    try {
      this.#taken++;
      const origin = originHere(this.#isOwn);
      if (origin === undefined) return false;
      const { site } = origin;
      const key = `${attachment.kind} ${attachment.subject} ${site.line}:${site.column} ${site.file}`;
      let group = this.#groups.get(key);
      if (group === undefined) {
        if (this.#groups.size >= mostSites && !this.#dropEmptyGroups()) {
          this.#skipped++;
          return false;
        }
        this.#groups.set(key, (group = new SiteGroup(attachment, origin)));
      }
      const record = recordOf(currentScope());
      const scope = record === undefined || record.parent === undefined ? undefined : record;
      group.ever += this.#stride;
      group.entries++;
      this.#fresh.push({ attachment, group, weight: this.#stride, scope, closedEpoch: -1 });
      this.#size++;
      return true;
    } catch {
      return false;
    } finally {
      this.#isBusy = false;
    }
  }

  /**
   * Checks which attachments are still there. `epoch` counts major GCs: attachments that outlived their scope are checked again only after
   * one.
   */
  look(epoch: number): void {
    this.#isBusy = true;
    try {
      const look = new AuditLook(this.#now());
      this.#sortFresh(look, epoch);
      this.#closeScopes(look, epoch);
      if (epoch === this.#epoch) return;
      this.#epoch = epoch;
      this.#unscoped = this.#kept(this.#unscoped, look);
      this.#overdue = this.#kept(this.#overdue, look);
      this.#count(epoch);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Forgets everything. */
  clear(): void {
    this.#fresh = [];
    this.#unscoped = [];
    this.#overdue = [];
    this.#scoped.clear();
    this.#groups.clear();
    this.#size = 0;
  }

  #turn(now: number): void {
    const seconds = Math.max(1, (now - this.#turnAt) / 1000);
    this.#stride = Math.max(1, Math.ceil(this.#seen / seconds / this.#perSecond));
    this.#turnAt = now;
    this.#seen = 0;
    this.#taken = 0;
  }

  #sortFresh(look: AuditLook, epoch: number): void {
    const fresh = this.#fresh;
    this.#fresh = [];
    for (const entry of this.#kept(fresh, look)) {
      entry.attachment.weaken();
      const { scope } = entry;
      if (scope === undefined) this.#unscoped.push(entry);
      else if (scope.state === 'closed') this.#outlive([entry], scope, epoch);
      else {
        const list = this.#scoped.get(scope);
        if (list === undefined) this.#scoped.set(scope, [entry]);
        else list.push(entry);
      }
    }
  }

  #closeScopes(look: AuditLook, epoch: number): void {
    for (const [scope, entries] of this.#scoped) {
      if (scope.state !== 'closed') continue;
      this.#scoped.delete(scope);
      this.#outlive(this.#kept(entries, look), scope, epoch);
    }
  }

  #outlive(entries: readonly Entry[], scope: ScopeRecord, epoch: number): void {
    for (const entry of entries) {
      const { group } = entry;
      entry.scope = undefined;
      entry.closedEpoch = epoch;
      if (group.example === undefined) group.example = { path: scope.path, kind: scope.kind };
      if (group.lastScopeId !== scope.id) group.scopes++;
      group.lastScopeId = scope.id;
      this.#overdue.push(entry);
    }
  }

  #kept(entries: readonly Entry[], look: AuditLook): Entry[] {
    return entries.filter(({ attachment, group }) => {
      if (isThere(attachment, look)) return true;
      this.#size--;
      group.entries--;
      return false;
    });
  }

  /** Makes room for new sites; false when all are in use. */
  #dropEmptyGroups(): boolean {
    for (const [key, { entries }] of this.#groups) if (entries === 0) this.#groups.delete(key);
    return this.#groups.size < mostSites;
  }

  #count(epoch: number): void {
    const counts = new Map<SiteGroup, { outlived: number; unscoped: number; targets: Map<object, number> }>();
    const tally = (entry: Entry, field: 'outlived' | 'unscoped'): void => {
      let row = counts.get(entry.group);
      if (row === undefined)
        counts.set(entry.group, (row = { outlived: 0, unscoped: 0, targets: new Map() }));
      row[field] += entry.weight;
      const { holder } = entry.attachment;
      if (holder !== undefined) row.targets.set(holder, (row.targets.get(holder) ?? 0) + entry.weight);
    };
    for (const entry of this.#overdue)
      if (epoch - entry.closedEpoch >= settleEpochs) tally(entry, 'outlived');
    for (const entry of this.#unscoped) tally(entry, 'unscoped');
    for (const group of this.#groups.values()) {
      const row = counts.get(group);
      group.outlived.see(row?.outlived ?? 0);
      group.unscoped.see(row?.unscoped ?? 0);
      group.onOneTarget = Math.max(0, ...(row?.targets.values() ?? []));
    }
  }
}

/** True while it is attached. A target of the program may throw when it is asked; it then counts as gone. */
function isThere(attachment: Attachment, look: AuditLook): boolean {
  try {
    return attachment.isAttached(look);
  } catch {
    return false;
  }
}
