/** Most listeners per event; more is a leak of listeners. */
const mostListeners = 100;

/** The listeners of one keeper and how often each event was reported. A listener that throws harms nobody. */
export class ReportBoard<Events extends object> {
  readonly #counts: Partial<Record<keyof Events, number>> = {};
  #listeners: Map<keyof Events, Set<(event: never) => void>> | undefined;

  /** Adds a listener; returns its removal. */
  on<E extends keyof Events>(event: E, listener: (event: Events[E]) => void): () => void {
    const listeners = (this.#listeners ??= new Map());
    const set = listeners.get(event) ?? new Set();
    listeners.set(event, set);
    if (set.size >= mostListeners) return () => {};
    set.add(listener);
    return () => {
      set.delete(listener);
    };
  }

  /** True when somebody listens; spares the making of what nobody hears. */
  has(event: keyof Events): boolean {
    return this.#listeners !== undefined && (this.#listeners.get(event)?.size ?? 0) > 0;
  }

  emit<E extends keyof Events>(event: E, payload: Events[E]): void {
    this.#counts[event] = this.count(event) + 1;
    const set = this.#listeners?.get(event);
    if (set === undefined) return;
    for (const listener of set) {
      try {
        (listener as (event: Events[E]) => void)(payload);
      } catch {
        // A report must not break what it reports on.
      }
    }
  }

  /** How often an event was reported. */
  count(event: keyof Events): number {
    return this.#counts[event] ?? 0;
  }
}
