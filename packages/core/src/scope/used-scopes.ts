import type { ScopeRecord } from './scope-record.ts';

/** Scopes that may wait to be taken. Beyond them the follower looks at every scope once. */
const mostWaiting = 10_000;

/**
 * The scopes with roots that were opened, used or given another root since the census asked last. Most open scopes are idle, so the census
 * looks at these and not at all of them.
 */
class UsedScopes {
  #follower: object | undefined;
  #list: ScopeRecord[] = [];
  #isOverfull = false;

  /** Takes a scope whose use somebody waits for. */
  note(record: ScopeRecord): void {
    record.tellsUse = false;
    if (this.#follower === undefined || this.#isOverfull) return;
    if (this.#list.length < mostWaiting) record.usedAt = this.#list.push(record) - 1;
    else {
      this.#list = [];
      this.#isOverfull = true;
    }
  }

  /** Lets go of a scope that closes: most live for milliseconds, and one that waits here for a second is copied by V8 as if it lived long. */
  closed(record: ScopeRecord): void {
    if (this.#list[record.usedAt] !== record) return;
    const last = this.#list.pop() as ScopeRecord;
    if (last === record) return;
    this.#list[record.usedAt] = last;
    last.usedAt = record.usedAt;
  }

  /**
   * What was used since this follower asked last; undefined when it has to look at everything. There is one follower at a time, the last
   * to ask. `all` gives every open scope.
   */
  take(follower: object, all: () => readonly ScopeRecord[]): readonly ScopeRecord[] | undefined {
    const isKnown = this.#follower === follower && !this.#isOverfull;
    const list = this.#list;
    this.#follower = follower;
    this.#list = [];
    this.#isOverfull = false;
    for (const record of isKnown ? list : all()) record.tellsUse = record.extras?.marker !== undefined;
    return isKnown ? list : undefined;
  }

  /** Ends following, when it is this one that follows. */
  leave(follower: object): void {
    if (this.#follower !== follower) return;
    this.#follower = undefined;
    this.#list = [];
  }
}

export const usedScopes = new UsedScopes();
