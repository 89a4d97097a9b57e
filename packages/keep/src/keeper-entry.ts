import type { Scope } from '@plimsoll/core';
import { registerKeeperWeakly } from '@plimsoll/core/internal/keeper-roster';
import { owningScope } from '@plimsoll/core/internal/scope/index';
import type { Keeper } from '@plimsoll/core/keeper';

const defaultStepBytes = 16 * 1024;

/** A keeper's place in the process: its line in the account of a scope and its seat in the roster. */
export class KeeperEntry {
  readonly #line: { readonly scope: unknown; set(bytes: number): void; close(): void };
  readonly #unregister: () => void;
  readonly #stepBytes: number;
  #charged = 0;

  /** A change of `stepBytes` is charged at once; a smaller one waits for the next larger or exact charge. */
  constructor(keeper: Keeper, scope: Scope | undefined, stepBytes = defaultStepBytes) {
    this.#stepBytes = stepBytes;
    const home = scope ?? owningScope();
    this.#line = home.line(`${keeper.kind}:${keeper.name}`);
    // Read while the scope is open: a keeper that outlives its scope charges nobody.
    const { path } = home;
    const line = this.#line;
    this.#unregister = registerKeeperWeakly(keeper, () => (line.scope === undefined ? undefined : path));
  }

  /** Charges what the keeper holds now when it moved by a step or more. */
  charge(bytes: number): void {
    const moved = bytes - this.#charged;
    if (moved >= this.#stepBytes || moved <= -this.#stepBytes) this.settle(bytes);
  }

  /** Charges what the keeper holds now, exactly. */
  settle(bytes: number): void {
    if (bytes === this.#charged) return;
    this.#charged = bytes;
    this.#line.set(bytes);
  }

  /** Credits everything and leaves the roster. */
  close(): void {
    this.#unregister();
    this.#line.close();
  }
}
