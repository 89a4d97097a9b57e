import type { Alert, Notice } from '../alert.ts';

/** A target for notices. It throws when a notice did not arrive. A `DeliveryError` says whether a retry can help. */
export interface AlertSink {
  readonly name: string;
  deliver(notice: Notice, signal: AbortSignal): Promise<void>;
  close?(): void;
}

/** A target that gets the whole state repeatedly and groups alerts itself. */
export interface MirrorSink {
  readonly name: string;
  readonly resendMs: number;
  /** Sends all alerts that fire or ended recently. */
  mirror(alerts: readonly Alert[], signal: AbortSignal): Promise<void>;
  close?(): void;
}

/** Why a notice did not arrive. Its message has no secret, and of an address only the host. */
export class DeliveryError extends Error {
  /** True when a retry cannot help. */
  readonly final: boolean;
  /** True when the recipient asked never to be sent anything again. */
  readonly gone: boolean;
  /** Least wait before the next attempt, as the recipient asked. */
  readonly retryAfterMs: number;

  constructor(
    message: string,
    options: {
      readonly final?: boolean;
      readonly gone?: boolean;
      readonly retryAfterMs?: number;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'DeliveryError';
    this.final = options.final ?? options.gone ?? false;
    this.gone = options.gone ?? false;
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
}

/** A reason in one line of bounded length. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s+/g, ' ').replace(/\.$/, '').slice(0, 200);
}
