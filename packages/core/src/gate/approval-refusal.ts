import { PlimsollError, catalogue } from '../errors.ts';
import type { ErrorText } from '../errors/entry.ts';

const codes = {
  DENIED: 'PLM_APPROVAL_DENIED',
  EXPIRED: 'PLM_APPROVAL_EXPIRED',
  PENDING: 'PLM_APPROVAL_PENDING',
  FULL: 'PLM_APPROVAL_FULL',
  LEVEL: 'PLM_APPROVAL_LEVEL',
  STALE: 'PLM_APPROVAL_STALE',
  LOST: 'PLM_APPROVAL_LOST',
  ABORTED: 'PLM_APPROVAL_ABORTED',
} as const satisfies Readonly<Record<RefusalReason, keyof typeof catalogue>>;

/** Why a held operation does not go on. */
export type RefusalReason =
  | 'DENIED'
  | 'EXPIRED'
  | 'PENDING'
  | 'FULL'
  | 'LEVEL'
  | 'STALE'
  | 'LOST'
  | 'ABORTED';

interface RefusalFacts {
  readonly reason: RefusalReason;
  /** The ticket; undefined when there was no room for one. */
  readonly id?: string | undefined;
  readonly retryAfterMs: number;
  /** What the text of this reason needs. */
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * The error of an operation that needed an approval and did not get one. It says whether the same request can be let in later, and when to
 * come back, and is its own HTTP answer: Fastify, Express and Koa read `statusCode` and `headers`.
 */
export class ApprovalRefusal extends PlimsollError {
  readonly reason: RefusalReason;
  /** The ticket; undefined when there was no room for one. */
  readonly id: string | undefined;
  /** False when a human said no. */
  readonly retryable: boolean;
  /** Each refusal gets its own, so that clients do not come back together; 0 when it is not retryable. */
  readonly retryAfterMs: number;
  readonly statusCode: 403 | 503;

  constructor(facts: RefusalFacts, options?: { cause?: unknown }) {
    const code = codes[facts.reason];
    const text = catalogue[code].text as (details: object) => ErrorText;
    super(code, text({ ...facts.details, id: facts.id }), options);
    this.name = 'ApprovalRefusal';
    this.reason = facts.reason;
    this.id = facts.id;
    this.retryable = facts.reason !== 'DENIED';
    this.retryAfterMs = this.retryable ? facts.retryAfterMs : 0;
    this.statusCode = this.retryable ? 503 : 403;
  }

  /** Headers of the HTTP answer. */
  get headers(): Readonly<Record<string, string>> {
    return {
      'cache-control': 'no-store',
      ...(this.retryable ? { 'retry-after': String(Math.max(1, Math.ceil(this.retryAfterMs / 1000))) } : {}),
    };
  }
}
