import { registerKeeper } from '@plimsoll/core/keeper';
import type { Keeper } from '@plimsoll/core/keeper';
import type { GovernedScope } from '@plimsoll/govern/internal/level/budgeted-scopes';
import type { LeverScope } from '@plimsoll/govern/internal/actions/levers';
import { parseScopePath } from '@plimsoll/govern/internal/policy/scope-path';
import type { StoredSample } from '@plimsoll/ledger';

/** The kinds of keepers that actions use. */
const keeperKinds = [
  'session-cache',
  'conversation-window',
  'replay-buffer',
  'output-bag',
  'event-sink',
  'pool',
];

/** Scopes are written every ten seconds. One that is missing for longer has closed, or is no longer among the heaviest. */
const missingMs = 25_000;

/** A scope of the past. It has bytes but nothing that can be released. */
class PastScope implements GovernedScope {
  readonly id: number;
  readonly kind: string;
  readonly name: string;
  readonly path: string;
  readonly parent: PastScope | undefined;
  readonly account: { held: number; closed: boolean };
  readonly keepers: readonly Keeper[];
  readonly openedMs: number;
  seenMs: number;
  changedMs: number;

  constructor(id: number, path: string, parent: PastScope | undefined, nowMs: number) {
    const step = parseScopePath(path).at(-1);
    this.id = id;
    this.kind = step?.kind ?? 'scope';
    this.name = step?.name ?? path;
    this.path = path;
    this.parent = parent;
    this.account = { held: 0, closed: false };
    this.keepers = phantomKeepers(() => this.account.held, path);
    this.openedMs = nowMs;
    this.seenMs = nowMs;
    this.changedMs = nowMs;
  }
}

/** The open scopes of a process by its ledger. They are bounded by the rows that the ledger wrote at a time. */
export class PastScopes {
  readonly #open = new Map<string, PastScope>();
  readonly #stopped = new Set<string>();
  readonly #opened: (scope: PastScope) => void;
  #keepers: readonly Keeper[] | undefined;
  #ids = 0;

  constructor(opened: (scope: PastScope) => void) {
    this.#opened = opened;
  }

  get count(): number {
    return this.#ids;
  }

  get open(): Iterable<PastScope> {
    return this.#open.values();
  }

  /** The keepers for actions. */
  get keepers(): readonly Keeper[] {
    return (this.#keepers ??= [...this.#open.values()].flatMap((scope) => scope.keepers));
  }

  take(rows: readonly StoredSample[], nowMs: number): void {
    for (const { scope: path, bytes } of rows) {
      const scope = this.#scope(path, nowMs);
      if (scope === undefined) continue;
      if (scope.account.held !== bytes) scope.changedMs = nowMs;
      scope.account.held = bytes;
      scope.seenMs = nowMs;
    }
    for (const [path, scope] of this.#open) {
      if (nowMs - scope.seenMs < missingMs) continue;
      this.#close(path, scope);
    }
  }

  /** The scopes for actions. The ledger does not have the last use of a scope, so the last change of its bytes is used. */
  levers(nowMs: number): LeverScope[] {
    return [...this.#open.values()].map((scope) => ({
      id: scope.id,
      kind: scope.kind,
      name: scope.name,
      path: scope.path,
      bytes: scope.account.held,
      idleMs: nowMs - scope.changedMs,
      ageMs: nowMs - scope.openedMs,
      leases: 0,
      close: () => this.#stop(scope),
    }));
  }

  /** Removes a stopped scope and everything inside it, also from later rows of the history. */
  #stop(stopped: PastScope): Promise<void> {
    for (const [path, scope] of this.#open) {
      if (path !== stopped.path && !path.startsWith(`${stopped.path}/`)) continue;
      this.#stopped.add(path);
      this.#close(path, scope);
    }
    return Promise.resolve();
  }

  #close(path: string, scope: PastScope): void {
    scope.account.closed = true;
    this.#open.delete(path);
    this.#keepers = undefined;
  }

  #scope(path: string, nowMs: number): PastScope | undefined {
    const known = this.#open.get(path);
    if (known !== undefined) return known;
    const cut = path.lastIndexOf('/');
    if (cut < 0 || this.#stopped.has(path)) return undefined;
    const above = path.slice(0, cut);
    const parent = above === 'process' ? undefined : this.#scope(above, nowMs);
    const scope = new PastScope(++this.#ids, path, parent, nowMs);
    this.#open.set(path, scope);
    this.#keepers = undefined;
    this.#opened(scope);
    return scope;
  }
}

/** Keepers with the bytes of the history that free nothing, because a ledger does not show what an action would have freed. */
export function phantomKeepers(bytes: () => number, home?: string): readonly Keeper[] {
  return keeperKinds.map((kind) => {
    const keeper: Keeper = {
      name: 'replay',
      kind,
      get bytes() {
        return bytes();
      },
      stats: () => ({}),
      shed: () => Promise.resolve(0),
    };
    // Registered only to set its owner. A replay does not use the roster.
    if (home !== undefined) registerKeeper(keeper, home)();
    return keeper;
  });
}
