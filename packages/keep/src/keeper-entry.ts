import { currentScope } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { registerKeeper } from '@plimsoll/core/keeper';
import type { Keeper } from '@plimsoll/core/keeper';

/** Change in bytes that is charged at once; smaller ones wait for the next larger or exact charge. */
const stepBytes = 16 * 1024;

/** A keeper's place in the process: its line in the account of a scope and its seat in the roster. */
export class KeeperEntry {
  private readonly line: { set(bytes: number): void; close(): void };
  private readonly unregister: () => void;
  private charged = 0;

  constructor(keeper: Keeper, scope: Scope | undefined) {
    const home = scope ?? currentScope();
    this.line = home.line(`${keeper.kind}:${keeper.name}`);
    this.unregister = registerKeeper(keeper, home.path);
  }

  /** Charges what the keeper holds now when it moved by 16 KiB or more. */
  charge(bytes: number): void {
    const moved = bytes - this.charged;
    if (moved >= stepBytes || moved <= -stepBytes) this.settle(bytes);
  }

  /** Charges what the keeper holds now, exactly. */
  settle(bytes: number): void {
    if (bytes === this.charged) return;
    this.charged = bytes;
    this.line.set(bytes);
  }

  /** Credits everything and leaves the roster. */
  close(): void {
    this.unregister();
    this.line.close();
  }
}
