import type { Alert, Notice } from '../alert.ts';

/** Somewhere notices go. It throws when a notice did not arrive; a `DeliveryError` says whether trying again can help. */
export interface AlertSink {
  readonly name: string;
  deliver(notice: Notice, signal: AbortSignal): Promise<void>;
  close?(): void;
}

/** Somewhere the whole state goes, again and again, and grouping is done there. */
export interface MirrorSink {
  readonly name: string;
  readonly resendMs: number;
  /** All alerts that fire or ended lately. */
  mirror(alerts: readonly Alert[], signal: AbortSignal): Promise<void>;
  close?(): void;
}

/** Why a notice did not arrive. Its message never holds a secret or more than the host of an address. */
export class DeliveryError extends Error {
  /** Trying again cannot help. */
  readonly final: boolean;
  /** The recipient asked never to be told again. */
  readonly gone: boolean;
  /** The recipient asked to be left alone for so long. */
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
