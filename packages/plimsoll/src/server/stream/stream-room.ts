import type { Frame } from '@plimsoll/host/protocol/frame';
import type { Listener, Source } from '../source.ts';
import { eventText } from './stream-client.ts';
import type { FeedCursor } from './scope-feed.ts';
import type { Offer, ScopesPage, StreamClient } from './stream-client.ts';

const retryMs = 500;
/** Delay before a running process replaces an ended one on the page. */
const betterMs = 2000;

/** All watchers of one process. There is one listener on the process for all of them, and none without watchers. */
export class StreamRoom {
  readonly #pick: () => Promise<Source>;
  readonly #clients = new Set<StreamClient>();
  #source: Source | undefined;
  #stop: (() => void) | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isLooking = false;
  #numbers = 0;
  #process: Offer['process'] = { number: 0, event: eventText('process', null) };
  #frame: Offer['frame'];
  readonly #pages = new Map<string, ScopesPage>();
  #pagesOf = -1;

  constructor(pick: () => Promise<Source>) {
    this.#pick = pick;
  }

  get size(): number {
    return this.#clients.size;
  }

  add(client: StreamClient): void {
    this.#clients.add(client);
    if (this.#source === undefined) void this.#look();
    else client.offer(this.#offer());
  }

  remove(client: StreamClient): void {
    this.#clients.delete(client);
    if (this.#clients.size === 0) this.#leave();
  }

  beat(longestMs: number): void {
    for (const client of this.#clients) client.beat(longestMs);
  }

  close(): void {
    for (const client of this.#clients) client.close();
    this.#clients.clear();
    this.#leave();
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const source = await this.#pick().catch(() => undefined);
    this.#isLooking = false;
    if (this.#clients.size === 0 || this.#source !== undefined) return;
    if (source === undefined) {
      if (this.#process.number === 0) this.#announce(null);
      this.#later();
      return;
    }
    this.#source = source;
    this.#announce(source.process);
    this.#stop = source.listen(this.#listener(source));
    // An ended process does not change. A running one may appear later and is then shown.
    if (source.process.state !== 'running') this.#later(betterMs);
  }

  #listener(source: Source): Listener {
    const isOurs = (): boolean => this.#source === source;
    return {
      onFrame: (frame) => isOurs() && this.#show(frame),
      onScopes: () => isOurs() && this.#tell(),
      onGone: () => {
        if (!isOurs()) return;
        this.#leave();
        this.#announce(null);
        this.#later();
      },
    };
  }

  #later(ms = retryMs): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#again(), ms).unref();
  }

  /** Searches for a process, or for a better one than the shown one. */
  async #again(): Promise<void> {
    const shown = this.#source;
    if (shown === undefined) return this.#look();
    const found = await this.#pick().catch(() => undefined);
    if (this.#source !== shown || this.#clients.size === 0) return;
    if (found === undefined || found.process.id === shown.process.id) return this.#later(betterMs);
    this.#leave();
    return this.#look();
  }

  #leave(): void {
    clearTimeout(this.#retry);
    this.#stop?.();
    this.#stop = undefined;
    this.#source = undefined;
    this.#frame = undefined;
    this.#pages.clear();
  }

  #announce(process: Source['process'] | null): void {
    this.#process = { number: ++this.#numbers, event: eventText('process', process) };
    this.#frame = undefined;
    this.#tell();
  }

  #show(frame: Frame): void {
    this.#frame = { number: ++this.#numbers, event: eventText('frame', frame) };
    this.#tell();
  }

  #tell(): void {
    const offer = this.#offer();
    for (const client of this.#clients) client.offer(offer);
  }

  #offer(): Offer {
    return {
      process: this.#process,
      frame: this.#frame,
      scopesSince: (cursor) => this.#scopesSince(cursor),
    };
  }

  /** Clients at the same position get the same bytes, which are serialised once. */
  #scopesSince(cursor: FeedCursor): ScopesPage | undefined {
    const table = this.#source?.table;
    if (table === undefined || table.version === 0) return undefined;
    if (this.#pagesOf !== table.version) {
      this.#pages.clear();
      this.#pagesOf = table.version;
    }
    const key = `${cursor.epoch} ${cursor.version}`;
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const change = table.since(cursor, Date.now());
    if (change === undefined) return undefined;
    const page = { event: eventText('scopes', change.event), cursor: change.cursor };
    if (this.#pages.size < 64) this.#pages.set(key, page);
    return page;
  }
}
