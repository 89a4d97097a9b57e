import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import { PlimsollTimer } from './attachment.ts';
import type { AttachmentSink } from './attachment.ts';
import { tapMethod } from './method-tap.ts';

/** Shortest timeout that is followed by default. A shorter one is over before the audit checks. */
const longMs = 10_000;

/** Follows intervals and long timeouts. Returns the function that removes the tap. */
export function tapTimers(
  ledger: AttachmentSink,
  now: () => number = () => performance.now(),
  leastMs = longMs,
): () => void {
  const followed = new WeakMap<object, PlimsollTimer>();
  const follow = (timer: unknown, subject: 'setInterval' | 'setTimeout', endsAt: number): void => {
    if (typeof timer !== 'object' || timer === null || !ledger.admit()) return;
    const attachment = new PlimsollTimer(timer, subject, endsAt);
    if (ledger.add(attachment)) followed.set(timer, attachment);
  };
  const cleared = (_: unknown, [timer]: readonly unknown[]): void => {
    if (typeof timer === 'object' && timer !== null) followed.get(timer)?.cleared();
  };
  const untap = [globalThis, timers].flatMap((holder) => [
    tapMethod(holder, 'setInterval', (_, _args, timer) =>
      follow(timer, 'setInterval', Number.POSITIVE_INFINITY),
    ),
    tapMethod(holder, 'setTimeout', (_, [, ms], timer) => {
      if (typeof ms === 'number' && ms >= leastMs) follow(timer, 'setTimeout', now() + ms);
    }),
    tapMethod(holder, 'clearInterval', cleared),
    tapMethod(holder, 'clearTimeout', cleared),
  ]);
  syncBuiltinESMExports();
  return () => {
    untap.forEach((each) => each());
    syncBuiltinESMExports();
  };
}
