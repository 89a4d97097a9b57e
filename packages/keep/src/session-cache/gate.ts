/** Keeps an id from being opened again while an older value of it is still being let go of. */
export class Gates {
  readonly #gates = new Map<string, { count: number; readonly waiters: (() => void)[] }>();

  close(id: string): void {
    const gate = this.#gates.get(id);
    if (gate === undefined) this.#gates.set(id, { count: 1, waiters: [] });
    else gate.count++;
  }

  open(id: string): void {
    const gate = this.#gates.get(id);
    if (gate === undefined || --gate.count > 0) return;
    this.#gates.delete(id);
    for (const pass of gate.waiters) pass();
  }

  /** Resolves when nothing of the id is in the way; undefined when nothing is. */
  passed(id: string): Promise<void> | undefined {
    const gate = this.#gates.get(id);
    return gate === undefined ? undefined : new Promise((resolve) => gate.waiters.push(resolve));
  }
}
