const everyMs = 10_000;

/** Merges refusals of a full desk into one row per entry and ten seconds. A row says how many refusals the previous row stood for. */
export class FloodLog {
  readonly #last = new Map<string, { atMs: number; since: number; id: string }>();

  /** The id of the row that covers this refusal; undefined when it needs a row of its own. */
  covers(name: string, nowMs: number): string | undefined {
    const last = this.#last.get(name);
    if (last === undefined || nowMs - last.atMs >= everyMs) return undefined;
    last.since++;
    return last.id;
  }

  /** Records a row. Returns how many further refusals the previous row covered. */
  note(name: string, nowMs: number, id: string): number {
    const since = this.#last.get(name)?.since ?? 0;
    this.#last.set(name, { atMs: nowMs, since: 0, id });
    return since;
  }
}
