/** Lowest value of each of the last 168 hours, with its time and load. */
export class Hours {
  /** Single precision: a minimum needs no more, and half the state is saved. */
  private readonly rows = new Float32Array(168 * 3);
  private hour = -1;
  private count = 0;

  add(t: number, y: number, load: number): void {
    const hour = Math.floor(t / 3600);
    if (hour !== this.hour) {
      this.hour = hour;
      this.count++;
    } else if (y >= (this.rows[this.at(0) + 1] as number)) return;
    const at = this.at(0);
    this.rows[at] = t;
    this.rows[at + 1] = y;
    this.rows[at + 2] = load;
  }

  /** Whether an hour since `from` stands above every hour before it by `margin`, load taken out. */
  hasRisen(from: number, margin: number, loadSlope: number): boolean {
    const size = Math.min(168, this.count);
    let before = Number.NEGATIVE_INFINITY;
    let since = Number.NEGATIVE_INFINITY;
    for (let back = 0; back < size; back++) {
      const at = this.at(back);
      const y = (this.rows[at + 1] as number) - loadSlope * (this.rows[at + 2] as number);
      if (back === 0 || (this.rows[at] as number) >= from) since = Math.max(since, y);
      else before = Math.max(before, y);
    }
    return since >= before + margin;
  }

  private at(back: number): number {
    return ((this.count - back + 168) % 168) * 3;
  }
}
