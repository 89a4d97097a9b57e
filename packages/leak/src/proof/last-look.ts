/** Signals that ask a program to end and that it can answer. */
const ending = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const ours = new Set<NodeJS.SignalsListener>();

/**
 * Looks once more before a signal ends the program, while it still holds what it holds. The program's own listeners run afterwards as if
 * ours were not there. Where it has none, the signal is sent again without ours and does what it always does. No exit event follows then,
 * so `leave` is called right before. Returns the removal.
 */
export function lookBeforeSignals(look: () => void, leave: () => void): () => void {
  const removals = ending.map((signal) => {
    const listener = (): void => {
      look();
      if (process.listenerCount(signal) > 1) return;
      leave();
      process.removeListener(signal, listener);
      process.kill(process.pid, signal);
    };
    ours.add(listener);
    process.prependListener(signal, listener);
    return () => {
      ours.delete(listener);
      process.removeListener(signal, listener);
    };
  });
  return () => {
    for (const remove of removals) remove();
  };
}

/** The ending signals that the program itself listens to. */
export function handledSignals(): readonly NodeJS.Signals[] {
  return ending.filter((signal) =>
    process.listeners(signal).some((listener) => !ours.has(listener as NodeJS.SignalsListener)),
  );
}
