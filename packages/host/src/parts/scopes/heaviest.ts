import type { Holding } from '@plimsoll/core/internal/scope/holding';

const fewest = 200;
const kept = 400;
const most = 800;
/** Least ms between two walks of all scopes. Until then the list may be short. */
const renewMs = 5000;

/**
 * The heaviest open scopes, updated with each scope that changed. A scope outside of the list holds at most `least` bytes; a scope that
 * grows above it enters. All scopes are walked only when the list has run short because its members shrank or closed.
 */
export class HeaviestScopes {
  readonly #all: () => Iterable<Holding>;
  #list: Holding[] = [];
  #least = 0;
  /** True when a scope may be outside of the list. */
  #hasOthers = false;
  /** True when a member changed or closed since the list was sorted. */
  #isStale = false;
  #walkedMs = Number.NEGATIVE_INFINITY;

  constructor(all: () => Iterable<Holding>) {
    this.#all = all;
  }

  /** Takes a scope whose bytes changed. */
  note(holding: Holding): void {
    if (holding.isHeavy) this.#isStale = true;
    if (holding.isHeavy || !holding.isOpen) return;
    if (this.#hasOthers && holding.bytes <= this.#least) return;
    holding.isHeavy = true;
    this.#isStale = true;
    this.#list.push(holding);
    if (this.#list.length > most) this.#trim();
  }

  /** Empties the list. The caller then notes every scope again. */
  clear(): void {
    for (const holding of this.#list) holding.isHeavy = false;
    this.#list = [];
    this.#least = 0;
    this.#hasOthers = false;
  }

  /** The heaviest, heaviest first. */
  top(count: number, nowMs = performance.now()): readonly Holding[] {
    this.#sort();
    if (this.#hasOthers && !this.#isSure(Math.min(count, fewest)) && nowMs - this.#walkedMs >= renewMs)
      this.#renew(nowMs);
    return this.#list.slice(0, count);
  }

  #renew(nowMs: number): void {
    this.#walkedMs = nowMs;
    this.clear();
    for (const holding of this.#all()) this.note(holding);
    this.#sort();
  }

  /** True when so many members hold at least as much as any scope outside. */
  #isSure(count: number): boolean {
    const last = this.#list[count - 1];
    return count === 0 || (last !== undefined && last.bytes >= this.#least);
  }

  #trim(): void {
    this.#sort();
    for (const holding of this.#list.splice(kept)) {
      holding.isHeavy = false;
      this.#least = Math.max(this.#least, holding.bytes);
      this.#hasOthers = true;
    }
  }

  #sort(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    this.#list = this.#list.filter((holding) => holding.isOpen);
    this.#list.sort((a, b) => b.bytes - a.bytes);
  }
}
