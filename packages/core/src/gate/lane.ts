import { AsyncLocalStorage } from 'node:async_hooks';

/** The lane that is never refused: health, metrics, approvals, administration. */
export const managementLane = 'management';

/** Which lane the running code is in, found again in everything it calls. */
export class Lanes {
  readonly #current = new AsyncLocalStorage<string>();

  get name(): string | undefined {
    return this.#current.getStore();
  }

  run<R>(lane: string, work: () => R): R {
    return this.#current.run(lane, work);
  }
}
