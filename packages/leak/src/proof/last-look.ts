/** Signals that ask a program to end and that it can answer. */
const ending = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const ours = new Set<NodeJS.SignalsListener>();

/**
 * Takes last measurements before a signal ends the program and releases its memory. Our listener is then removed, and the program's own
 * listeners run as if it had never been there: a framework that counts the listeners of a signal ends the process only when its own is the
 * last one. Where the program has none, the signal is sent again and has its default effect. No exit event follows then, so `leave` is
 * called right before. A program that listens to SIGHUP reloads its configuration and goes on, so SIGHUP is not an end there. Returns the
 * function that removes the listeners.
 */
export function lookBeforeSignals(look: () => void, leave: () => void): () => void {
  const removals = ending.map((signal) => {
    const listener = (): void => {
      const isHandled = process.listenerCount(signal) > 1;
      if (isHandled && signal === 'SIGHUP') return;
      process.removeListener(signal, listener);
      look();
      if (isHandled) return;
      leave();
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
