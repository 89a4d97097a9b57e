import { randomUUID } from 'node:crypto';
import { failure } from '@plimsoll/core/internal/errors';
import { sessions } from '@plimsoll/core/adapter';
import { measure } from '@plimsoll/core/meter';
import { parseByteSize } from '@plimsoll/core/units';

export interface BoundedSessionOptions {
  /** Most bytes of the items: a number or a size such as "1MiB". */
  readonly maxBytes: number | string;
  /** Most items; default 1,000. */
  readonly maxItems?: number;
  /** Id of the session. Give the run the same `groupId`, and the bytes are charged to its scope. Default: a new one. */
  readonly sessionId?: string;
}

interface Kept<Item> {
  readonly item: Item;
  readonly bytes: number;
}

/**
 * A `Session` of OpenAI Agents in memory with a bound. The oldest items go first, up to the next message of the user, so that no result of
 * a tool stays without its call. `MemorySession` of the framework keeps every item of every run.
 */
export class BoundedSession<Item extends object = object> {
  readonly #maxBytes: number;
  readonly #maxItems: number;
  readonly #id: string;
  #items: Kept<Item>[] = [];
  #line: { readonly scope: unknown; set(bytes: number): void } | undefined;

  constructor({ maxBytes, maxItems = 1000, sessionId = randomUUID() }: BoundedSessionOptions) {
    this.#maxBytes = bound(
      'maxBytes',
      typeof maxBytes === 'number' ? maxBytes : parseByteSize(maxBytes),
      maxBytes,
    );
    this.#maxItems = bound('maxItems', maxItems, maxItems);
    this.#id = sessionId;
  }

  get bytes(): number {
    return this.#items.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  async getSessionId(): Promise<string> {
    return this.#id;
  }

  /** The newest items, oldest first. */
  async getItems(limit?: number): Promise<Item[]> {
    const items = this.#items.map(({ item }) => item);
    return limit === undefined ? items : limit <= 0 ? [] : items.slice(-limit);
  }

  async addItems(items: readonly Item[]): Promise<void> {
    for (const item of items) this.#items.push({ item, bytes: measure(item).bytes });
    this.#shrink();
    this.#charge();
  }

  async popItem(): Promise<Item | undefined> {
    const last = this.#items.pop();
    this.#charge();
    return last?.item;
  }

  async clearSession(): Promise<void> {
    this.#items = [];
    this.#charge();
  }

  #shrink(): void {
    let { bytes } = this;
    let from = 0;
    const most = this.#items.length - 1;
    while (from < most && (bytes > this.#maxBytes || this.#items.length - from > this.#maxItems))
      bytes -= (this.#items[from++] as Kept<Item>).bytes;
    if (from === 0) return;
    const whole = this.#items.findIndex(
      ({ item }, i) => i >= from && (item as { role?: unknown }).role === 'user',
    );
    this.#items = this.#items.slice(whole < 0 ? from : whole);
  }

  #charge(): void {
    const scope = sessions().get(this.#id);
    if (scope === undefined) return;
    if (this.#line?.scope !== scope) {
      const line = scope.line('items');
      this.#line = { scope, set: (bytes) => line.set(bytes) };
    }
    this.#line.set(this.bytes);
  }
}

function bound(option: string, value: number | undefined, given: unknown): number {
  if (value !== undefined && value >= 1) return value;
  throw failure('PLM_ADAPTER_BAD_BOUND', { option, value: String(given), by: 'new BoundedSession' });
}
