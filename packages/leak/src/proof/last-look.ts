/** Signals that ask a program to end and that it can answer. */
const ending = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Looks once more before a signal ends the program, while it still holds what it holds. The program's own listeners run afterwards as if
 * ours were not there. Where it has none, the signal is sent again without ours and does what it always does. Returns the removal.
 */
export function lookBeforeSignals(look: () => void): () => void {
  const removals = ending.map((signal) => {
    const listener = (): void => {
      look();
      if (process.listenerCount(signal) > 1) return;
      process.removeListener(signal, listener);
      process.kill(process.pid, signal);
    };
    process.prependListener(signal, listener);
    return () => process.removeListener(signal, listener);
  });
  return () => {
    for (const remove of removals) remove();
  };
}
