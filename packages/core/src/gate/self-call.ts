import { randomBytes, timingSafeEqual } from 'node:crypto';

/** The header by which a server knows a request that it sent to itself. */
export const selfCallHeader = 'plimsoll-self-call';

/**
 * Calls of a process to its own address. One that waits in the line behind the very run that made it would wait for ever, so a server marks
 * them and lets them in as part of that run. The mark is a secret of the process: nobody else can claim it.
 */
export class SelfCall {
  #secret: Buffer | undefined;

  /** Headers for a request to an address of this very process, and to no other. */
  headers(): Readonly<Record<string, string>> {
    this.#secret ??= randomBytes(24);
    return { [selfCallHeader]: this.#secret.toString('base64url') };
  }

  /** True when a request with this header came from this process. */
  isFrom(header: unknown): boolean {
    if (this.#secret === undefined || typeof header !== 'string') return false;
    const given = Buffer.from(header, 'base64url');
    return given.length === this.#secret.length && timingSafeEqual(given, this.#secret);
  }
}
