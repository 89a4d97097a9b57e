import { failure } from '@plimsoll/core/internal/errors';
import { measure } from '@plimsoll/core/meter';
import { bytesOption } from '@plimsoll/keep/internal/bound';

export interface MessageSizeOptions {
  /** Most bytes of one message: a number or a size such as "1MiB". Required. */
  readonly maxBytes: number | string;
  /** Name of the receiver, for errors; default "inbox". */
  readonly name?: string;
}

/** Refuses messages that are too large before anything keeps them. Measuring stops soon after the bound. */
export class MessageSizeValidator {
  readonly #maxBytes: number;
  readonly #name: string;
  #accepted = 0;
  #refused = 0;

  constructor(options: MessageSizeOptions) {
    const maxBytes = bytesOption('MessageSizeValidator', 'maxBytes', options?.maxBytes);
    if (maxBytes === undefined)
      throw failure('PLM_KEEP_UNBOUNDED', { keeper: 'MessageSizeValidator', options: ['maxBytes'] });
    this.#maxBytes = maxBytes;
    this.#name = options.name ?? 'inbox';
  }

  get accepted(): number {
    return this.#accepted;
  }

  get refused(): number {
    return this.#refused;
  }

  /** Bytes of a message that fits; throws PLM_PIPELINE_MESSAGE_TOO_LARGE for one that does not. */
  check(message: unknown): number {
    const bytes = this.#bytesOf(message);
    if (bytes <= this.#maxBytes) {
      this.#accepted++;
      return bytes;
    }
    this.#refused++;
    throw failure('PLM_PIPELINE_MESSAGE_TOO_LARGE', { bytes, bound: this.#maxBytes, from: this.#name });
  }

  fits(message: unknown): boolean {
    try {
      this.check(message);
      return true;
    } catch {
      return false;
    }
  }

  /** A message of many small objects is not walked to its end, because at 16 bytes each they exceed the bound early. */
  #bytesOf(message: unknown): number {
    const maxNodes = Math.max(1000, Math.ceil(this.#maxBytes / 16));
    const { bytes, hi } = measure(message, { maxNodes });
    return hi === Number.POSITIVE_INFINITY ? Math.max(bytes, this.#maxBytes + 1) : bytes;
  }
}
