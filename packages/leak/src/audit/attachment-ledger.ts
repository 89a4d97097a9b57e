import { currentScope } from '@plimsoll/core';
import { recordOf } from '@plimsoll/core/internal/scope/scope';
import type { ScopeRecord } from '@plimsoll/core/internal/scope/scope-record';
import { AuditLook } from './attachment.ts';
import type { Attachment, AttachmentSink } from './attachment.ts';
import { isOwnFile, originHere } from './call-site.ts';
import { SiteGroup } from './site-group.ts';

export interface AttachmentLedgerOptions {
  /** Stacks taken per second; beyond, one in so many attachments is followed and stands for the others. Default 1,000. */
  readonly perSecond?: number;
  /** Attachments followed at once; default 20,000. */
  readonly most?: number;
  /** Monotonic ms; default `performance.now`. */
  readonly now?: () => number;
  /** Which files are Plimsoll's own. */
  readonly isOwn?: (file: string) => boolean;
}

interface Entry {
  readonly attachment: Attachment;
  readonly group: SiteGroup;
  /** Attachments it stands for. */
  readonly weight: number;
  /** The scope it was made in, until that has closed; undefined for the process. */
  scope: ScopeRecord | undefined;
  closedEpoch: number;
}

const mostSites = 1024;
const settleEpochs = 2;

/**
 * Who attached what, in which scope, and whether it is still there.
 *
 * A new entry refers to what it follows until the next look, less than a second or two later; most are gone by then. Those that are not
 * become weak: a WeakRef for each would keep every short-lived emitter alive until the next major GC on Node 22 and 24. Removal is never
 * intercepted; at a look the target itself is asked. Bounded in entries, sites and stacks per second.
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

  /** Attachments followed now, and those that found no room. */
  get tally(): { readonly followed: number; readonly skipped: number } {
    return { followed: this.#size, skipped: this.#skipped };
  }

  /** Whether the attachment at hand is to be followed; called by the taps before they make anything. */
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

  /** Looks what is still there. `epoch` counts major GCs: only after one is what outlived its scope looked at again. */
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

  /** Makes room for new sites; false when every one is in use. */
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

/** A target of the program may throw when it is asked. Then nothing is known of it. */
function isThere(attachment: Attachment, look: AuditLook): boolean {
  try {
    return attachment.isAttached(look);
  } catch {
    return false;
  }
}
