/** What to do about a leak that no matcher knows, from what its path goes through. */
interface Hop {
  readonly type: string;
  readonly name: string;
  readonly via: string;
}

const rules: readonly { readonly test: RegExp; readonly fix: string }[] = [
  {
    test: /AbortSignal|kEvents|gcPersistentSignals|\bListener\b/,
    fix: 'remove the abort listener when the work ends, or hand the work a signal of its own (scope.signal forwards a long-lived one and lets go on close).',
  },
  {
    test: /_events|EventEmitter/,
    fix: 'remove the listener when what added it ends: emitter.off, { once: true } or { signal: scope.signal }.',
  },
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

export function cureOf(trace: readonly (Hop & { readonly suspect?: boolean })[]): string {
  const suspects = trace.filter((hop) => hop.suspect === true);
  const text = (suspects.length > 0 ? suspects : trace).map((hop) => `${hop.via} ${hop.name}`).join(' ');
  const rule = rules.find(({ test }) => test.test(text));
  if (rule !== undefined) return rule.fix;
  const holder = trace[Math.max(0, trace.findIndex((hop) => hop.suspect === true) - 1)];
  const place = suspects[0]?.via ?? '';
  const name = holder === undefined || holder.type === 'root' ? place : `${holder.name} ${place}`.trim();
  return `remove entries from ${name === '' ? 'the holder' : name} when their work ends, or give it a bound (a keeper of @plimsoll/keep).`;
}
