import { createHash } from 'node:crypto';
import type { Claim } from '../findings/finding-book.ts';

/** Fields of Node's warning of too many listeners. */
interface ListenerWarning extends Error {
  readonly emitter: object;
  readonly type: string | symbol;
  readonly count: number;
}

/**
 * Takes Node's own warning of too many listeners as a suspicion, with the place that added the last one; it costs nothing, so it is always
 * on. Node.js warns once per emitter and type, at eleven listeners, and never for an AbortSignal. `--audit` finds more.
 */
export function watchListenerWarnings(onClaim: (claim: Claim) => void): () => void {
  const listener = (warning: Error): void => {
    if (warning.name !== 'MaxListenersExceededWarning') return;
    const { type, count, emitter, stack } = warning as ListenerWarning;
    const subject = `"${String(type).slice(0, 100)}" on ${emitter?.constructor?.name ?? 'object'}`;
    const site = siteFrom(stack ?? '');
    onClaim({
      kind: 'listener',
      severity: 'info',
      scope: 'process',
      fingerprint: createHash('sha256').update(`warning\0${subject}\0${site}`).digest('hex').slice(0, 16),
      bytes: 0,
      times: count,
      subject,
      site,
      fix: `${count} listeners on one emitter: take each away when its work ends, or raise the number with setMaxListeners if they are meant. plimsoll run --audit tells whether they outlive their scopes.`,
    });
  };
  process.on('warning', listener);
  return () => void process.off('warning', listener);
}

/** The first place of a stack text outside of Node.js. */
function siteFrom(stack: string): string {
  const line = stack.split('\n').find((each) => /^\s+at /.test(each) && !each.includes('node:'));
  return line === undefined ? 'unknown' : line.replace(/^\s+at /, '').replace('file://', '');
}
