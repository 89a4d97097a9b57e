const keptBytes = 8192;
const heapDeath =
  /JavaScript heap out of memory|Reached heap limit|Ineffective mark-compacts near heap limit|invalid (?:array|table|string) (?:length|size).*Allocation failed|Fatal process out of memory/;
/** Here V8's own report begins, which does not help a reader of the caller's output. */
const reportBegins = /^(?:<--- Last few GCs --->|FATAL ERROR: |#\r?$|# Fatal )/m;

/** The end of what a process wrote to its stderr. */
export class StderrTail {
  #text = '';
  #isReport = false;

  /** Takes a chunk. Returns the part to pass on. */
  take(chunk: string): string {
    this.#text = (this.#text + chunk).slice(-keptBytes);
    if (this.#isReport) return '';
    const at = reportBegins.exec(chunk)?.index;
    if (at === undefined) return chunk;
    this.#isReport = true;
    return chunk.slice(0, at);
  }

  /** True when V8 reported that its heap is full. */
  get isHeapDeath(): boolean {
    return heapDeath.test(this.#text);
  }

  /** V8's own sentence, or the first line of an error that nobody caught, or the last line. */
  get lastLine(): string | undefined {
    const lines = this.#text.split(/\r?\n/).map((line) => line.trim());
    const told =
      lines.findLast((line) => line.startsWith('FATAL ERROR: ')) ??
      lines.findLast((line) => /^(?:Uncaught )?[A-Z]\w*(?:Error|Exception)\b.*: /.test(line)) ??
      lines.findLast((line) => line !== '' && !/^Node\.js v\d/.test(line));
    return told?.slice(0, 300);
  }
}
