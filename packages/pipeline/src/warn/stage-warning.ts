import { channel } from 'node:diagnostics_channel';
import { failure } from '@plimsoll/core/internal/errors';
import { slots } from '@plimsoll/core/internal/slots';
import type { StageWarning } from '@plimsoll/leak/internal/stages/stage-warning';

const warningChannel = channel('plimsoll:stage.warning');

/** The same warning of the same stage is published again after this time. */
const quietMs = 60_000;
/** Warnings whose time is remembered. */
const mostRemembered = 1000;

type WarningCode =
  | 'PLM_PIPELINE_OVER_BOUND'
  | 'PLM_PIPELINE_CONTEXT_GREW'
  | 'PLM_PIPELINE_OUTPUT_UNREAD'
  | 'PLM_PIPELINE_EVENTS_DROPPED';
type Details<Code extends WarningCode> = Parameters<typeof failure<Code>>[1];

const toldAt = new Map<string, number>();

/**
 * Publishes a warning: a message on `plimsoll:stage.warning` and one log line. A governed process turns the message into a finding. The
 * same warning of one stage is published at most once a minute. Never throws.
 */
export function warnOfStage<Code extends WarningCode>(
  code: Code,
  details: Details<Code>,
  about: Pick<StageWarning, 'stage' | 'scope' | 'bytes'>,
): void {
  const now = performance.now();
  const key = `${code} ${about.stage}`;
  if (now - (toldAt.get(key) ?? Number.NEGATIVE_INFINITY) < quietMs) return;
  toldAt.delete(key);
  if (toldAt.size >= mostRemembered) toldAt.delete(toldAt.keys().next().value as string);
  toldAt.set(key, now);
  try {
    const { message, fix } = failure(code, details);
    const warning: StageWarning = { code, ...about, message, fix, at: Date.now() };
    if (warningChannel.hasSubscribers) warningChannel.publish(warning);
    const logger = slots().logger;
    if (logger === undefined)
      process.emitWarning(`${message} (fix: ${fix})`, { type: 'PlimsollWarning', code });
    else logger.warn(`${code}: ${message} fix: ${fix}`);
  } catch {
    // A warning must not break its stage.
  }
}

/** Forgets published warnings, for tests. */
export function forgetWarnings(): void {
  toldAt.clear();
}
