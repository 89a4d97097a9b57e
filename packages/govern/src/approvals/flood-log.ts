const everyMs = 10_000;

/** Gives refusals of a full desk one row per entry and ten seconds. The row says how many refusals the last one stood for. */
export class FloodLog {
  readonly #last = new Map<string, { atMs: number; since: number; id: string }>();

  /** The id of the row that stands for this refusal, or undefined when it needs one of its own. */
  covers(name: string, nowMs: number): string | undefined {
    const last = this.#last.get(name);
    if (last === undefined || nowMs - last.atMs >= everyMs) return undefined;
    last.since++;
    return last.id;
  }

  /** Notes a row; returns how many refusals the one before stood for beside its own. */
  note(name: string, nowMs: number, id: string): number {
    const since = this.#last.get(name)?.since ?? 0;
    this.#last.set(name, { atMs: nowMs, since: 0, id });
    return since;
  }
}
