import { failure } from '@plimsoll/core/internal/errors';

/** A pooled object and how often it was released; a handle of an earlier generation is stale. */
export interface Slot<T> {
  readonly value: T;
  generation: number;
}

interface HandleOwner<T> {
  readonly label: string;
  giveBack(slot: Slot<T>): void;
}

/** The right to use a pooled object until it is released. */
export class Handle<T> implements Disposable {
  readonly #owner: HandleOwner<T>;
  readonly #slot: Slot<T>;
  readonly #generation: number;

  /** @internal */
  constructor(owner: HandleOwner<T>, slot: Slot<T>) {
    this.#owner = owner;
    this.#slot = slot;
    this.#generation = slot.generation;
  }

  /** The object; throws PLM_POOL_STALE after the release. */
  get value(): T {
    if (this.#slot.generation === this.#generation) return this.#slot.value;
    throw failure('PLM_POOL_STALE', { pool: this.#owner.label });
  }

  get isReleased(): boolean {
    return this.#slot.generation !== this.#generation;
  }

  /** Gives the object back, once; later calls do nothing. */
  release(): void {
    if (this.#slot.generation !== this.#generation) return;
    this.#slot.generation++;
    this.#owner.giveBack(this.#slot);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
