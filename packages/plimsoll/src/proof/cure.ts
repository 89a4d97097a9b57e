/** What to do about a leak that no matcher knows, from what its path goes through. */
interface Hop {
  readonly type: string;
  readonly name: string;
  readonly via: string;
}

interface Rule {
  readonly test: RegExp;
  readonly fix: string;
}

/** Listeners are kept in Maps of their own, so these are asked before any container is blamed. */
const listenerRules: readonly Rule[] = [
  {
    test: /AbortSignal|kEvents|gcPersistentSignals|\bListener\b/,
    fix: 'remove the abort listener when the work ends, or hand the work a signal of its own (scope.signal forwards a long-lived one and lets go on close).',
  },
  {
    test: /_events|EventEmitter/,
    fix: 'remove the listener when what added it ends: emitter.off, { once: true } or { signal: scope.signal }.',
  },
];

/** What a server reaches everything by, when no container of the program lies in between. */
const carrierRules: readonly Rule[] = [
  {
    test: /TimersList|timerListMap|\bTimeout\b|\bImmediate\b/,
    fix: 'clear the timer when the work ends (clearTimeout in finally, or scope.own(() => clearTimeout(timer))).',
  },
  {
    test: /AsyncLocalStorage|AsyncContextFrame/,
    fix: 'make one AsyncLocalStorage per process, not per run, and keep only a small handle in it.',
  },
  {
    test: /PromiseReaction|\bPromise\b/,
    fix: 'let the promise settle or drop what holds it; race against a signal that is aborted when the work ends.',
  },
];

const container = /^(?:Map|Set|Array)$/;

export function cureOf(trace: readonly (Hop & { readonly suspect?: boolean })[]): string {
  const suspects = trace.filter((hop) => hop.suspect === true);
  const text = (suspects.length > 0 ? suspects : trace).map((hop) => `${hop.via} ${hop.name}`).join(' ');
  const listener = listenerRules.find(({ test }) => test.test(text));
  if (listener !== undefined) return listener.fix;
  // The container nearest to what leaks is the one that was not cleared; what lies before it is how a server is held.
  const kept = trace.findLastIndex((hop, i) => hop.suspect === true && container.test(hop.name) && i > 0);
  const carrier = kept < 0 ? carrierRules.find(({ test }) => test.test(text)) : undefined;
  if (carrier !== undefined) return carrier.fix;
  const at = kept < 0 ? trace.findIndex((hop) => hop.suspect === true) : kept;
  const holder = trace[Math.max(0, at - 1)];
  const place = trace[at]?.via ?? '';
  const name = holder === undefined || holder.type === 'root' ? place : `${holder.name} ${place}`.trim();
  return `remove entries from ${name === '' ? 'the holder' : name} when their work ends, or give it a bound (a keeper of @plimsoll/keep).`;
}
