import { PlimsollError, catalogue } from '../errors.ts';
import type { ErrorText } from '../errors/entry.ts';
import type { Level } from '../level.ts';
import type { ShedPoint, ShedReason } from './shed-point.ts';

const codes = {
  REFUSED: 'PLM_ADMIT_REFUSED',
  THROTTLED: 'PLM_ADMIT_THROTTLED',
  CLAMPED: 'PLM_ADMIT_CLAMPED',
  FULL: 'PLM_ADMIT_FULL',
  NO_ROOM: 'PLM_ADMIT_NO_ROOM',
  TOO_LARGE: 'PLM_ADMIT_TOO_LARGE',
  DRAINING: 'PLM_ADMIT_DRAINING',
  QUARANTINED: 'PLM_ADMIT_QUARANTINED',
} as const satisfies Readonly<Record<ShedReason, keyof typeof catalogue>>;

/** The numbers of a refusal. */
export interface RefusalFacts {
  readonly reason: ShedReason;
  readonly point: ShedPoint;
  readonly level: Level;
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly rule: string;
  readonly retryable: boolean;
  readonly retryAfterMs: number;
  /** What the text of this reason needs beside the numbers. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * The error of a shed point that said no. It carries the numbers for logs, says whether a later try can help, and is its own HTTP answer:
 * Fastify, Express and Koa read `statusCode` and `headers`, anything on web standards sends `toResponse()`.
 */
export class AdmitError extends PlimsollError {
  readonly point: ShedPoint;
  readonly level: Level;
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** Used / limit; 0 when no reading has come yet. */
  readonly ratio: number;
  readonly rule: string;
  /** False when the same request can never be let in: it is larger than the limit, or deeper than the clamp. */
  readonly retryable: boolean;
  /** Each refusal gets its own, so that clients do not come back together; 0 when it is not retryable. */
  readonly retryAfterMs: number;
  readonly statusCode: 503 | 413;

  constructor(facts: RefusalFacts) {
    const code = codes[facts.reason];
    const text = catalogue[code].text as (details: object) => ErrorText;
    super(code, text({ ...facts, ...facts.details }));
    this.name = 'AdmitError';
    this.point = facts.point;
    this.level = facts.level;
    this.usedBytes = facts.usedBytes;
    this.limitBytes = facts.limitBytes;
    this.ratio = facts.limitBytes > 0 ? facts.usedBytes / facts.limitBytes : 0;
    this.rule = facts.rule;
    this.retryable = facts.retryable;
    this.retryAfterMs = facts.retryable ? facts.retryAfterMs : 0;
    this.statusCode = facts.reason === 'TOO_LARGE' ? 413 : 503;
  }

  get status(): number {
    return this.statusCode;
  }

  /** Headers of the HTTP answer. */
  get headers(): Readonly<Record<string, string>> {
    return {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(this.retryable ? { 'retry-after': String(Math.max(1, Math.ceil(this.retryAfterMs / 1000))) } : {}),
    };
  }

  /** Body of the HTTP answer (RFC 9457). It tells a client when to come back, and nothing about the process. */
  get problem(): Readonly<Record<string, unknown>> {
    return {
      type: 'about:blank',
      title: this.statusCode === 413 ? 'Content Too Large' : 'Service Unavailable',
      status: this.statusCode,
      code: this.code,
      point: this.point,
      retryable: this.retryable,
      retryAfterMs: this.retryAfterMs,
    };
  }

  toResponse(): Response {
    return new Response(JSON.stringify(this.problem), { status: this.statusCode, headers: this.headers });
  }
}

/** True for a refusal of a shed point, also from another copy of the package. */
export function isAdmitError(value: unknown): value is AdmitError {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as Record<symbol, unknown>)[Symbol.for('plimsoll.error')] === true &&
    String((value as { code?: unknown }).code).startsWith('PLM_ADMIT_')
  );
}
