import { failure } from '@plimsoll/core/internal/errors';
import { bytesOption, msOption } from '../bound.ts';
import { holderName } from './shared-row.ts';

/** What every lot outside of the process lets a user bound. */
export interface SharedBoundsOptions {
  /** How long a claim lasts without being renewed, default 30 s. A session whose process died is free again after this time. */
  readonly claim?: number | string;
  /** How long a parked session is kept, default 7 days. */
  readonly keep?: number | string;
  /** Most bytes of all parked sessions, by default 10 GiB in PostgreSQL and 1 GiB in Redis; the longest parked goes first. */
  readonly maxBytes?: number | string;
}

/** The bounds of a lot outside of the process, what was parked there at the last look, and the refusals that follow from them. */
export class SharedBounds {
  readonly claimMs: number;
  readonly keepMs: number;
  readonly maxBytes: number;
  readonly #lot: string;
  /** Forms and their bytes at the last look. */
  parked: { readonly size: number; readonly bytes: number } | undefined;

  constructor(keeper: string, lot: string, options: SharedBoundsOptions, mostBytes: number) {
    this.#lot = lot;
    // Redis takes whole milliseconds only.
    this.claimMs = Math.ceil(msOption(keeper, 'claim', options.claim) ?? 30_000);
    this.keepMs = Math.ceil(msOption(keeper, 'keep', options.keep) ?? 7 * 86_400_000);
    this.maxBytes = bytesOption(keeper, 'maxBytes', options.maxBytes) ?? mostBytes;
  }

  /** The form as clients send it, without a copy. Throws when it is larger than the whole lot may be. */
  sendable(id: string, form: Uint8Array): Buffer {
    const { maxBytes } = this;
    const bytes = form.byteLength;
    if (bytes > maxBytes) throw failure('PLM_KEEP_PARK_TOO_LARGE', { id, bytes, maxBytes, lot: this.#lot });
    return Buffer.from(form.buffer, form.byteOffset, bytes);
  }

  claimLost(id: string): Error {
    return failure('PLM_KEEP_CLAIM_LOST', { id, lot: this.#lot });
  }

  /** The error for a session that another process holds; `ms` is how long its claim still lasts, as far as the lot told. */
  heldElsewhere(id: string, holder: unknown, ms: unknown): Error {
    return failure('PLM_KEEP_HELD_ELSEWHERE', {
      id,
      holder: holderName(holder),
      ms: Math.max(0, Number(ms ?? this.claimMs)),
      lot: this.#lot,
    });
  }
}
