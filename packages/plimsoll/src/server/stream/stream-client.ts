import type { ServerResponse } from 'node:http';
import { nothingRead } from './scope-feed.ts';
import type { FeedCursor } from './scope-feed.ts';

/** Some scopes as an event, and the reader's new position. */
export interface ScopesPage {
  readonly event: Buffer;
  readonly cursor: FeedCursor;
}

/** The newest events for a client, already serialised and shared by all clients. */
export interface Offer {
  readonly process: { readonly number: number; readonly event: Buffer };
  readonly frame: { readonly number: number; readonly event: Buffer } | undefined;
  /** The scopes that changed after the cursor; undefined when none did. */
  readonly scopesSince: (cursor: FeedCursor) => ScopesPage | undefined;
}

/** One event in the text of Server-Sent Events. JSON has no line breaks of its own. */
export function eventText(name: string, value: unknown): Buffer {
  return Buffer.from(`event: ${name}\ndata: ${JSON.stringify(value)}\n\n`);
}

const comment = Buffer.from(': \n\n');

/**
 * One open stream. At most one write is under way. Meanwhile nothing is queued for the client; missed events are only counted. Its next
 * event is the newest state.
 */
export class StreamClient {
  readonly #out: ServerResponse;
  #isBusy = false;
  #busySince = 0;
  #process = -1;
  #frame = 0;
  #cursor = nothingRead;
  #missed = 0;
  #total = 0;
  #offer: Offer | undefined;

  constructor(out: ServerResponse) {
    this.#out = out;
  }

  /** Takes events that it has not sent yet. A new frame replaces one that could not be written, which counts as missed. */
  offer(offer: Offer): void {
    const before = this.#offer?.frame;
    this.#offer = offer;
    if (before !== undefined && before.number !== this.#frame && before.number !== offer.frame?.number) {
      this.#missed++;
      this.#total++;
    }
    if (!this.#isBusy) this.#next();
  }

  /** Sends a sign of life as an event, and ends a stream whose client has read nothing for `longestMs`. */
  beat(longestMs: number): void {
    if (!this.#isBusy) this.#write(this.#offer?.process.event ?? comment);
    else if (performance.now() - this.#busySince > longestMs) this.#out.destroy();
  }

  close(): void {
    this.#out.end();
    this.#out.destroy();
  }

  #next(): void {
    const event = this.#pending();
    if (event !== undefined) this.#write(event);
  }

  /** The next event to write, by importance. */
  #pending(): Buffer | undefined {
    const offer = this.#offer;
    if (offer === undefined) return undefined;
    if (offer.process.number !== this.#process) {
      this.#process = offer.process.number;
      this.#cursor = nothingRead;
      return offer.process.event;
    }
    if (offer.frame !== undefined && offer.frame.number !== this.#frame) {
      if (this.#missed > 0) {
        const event = eventText('skipped', { events: this.#missed, total: this.#total });
        this.#missed = 0;
        return event;
      }
      this.#frame = offer.frame.number;
      return offer.frame.event;
    }
    const scopes = offer.scopesSince(this.#cursor);
    if (scopes === undefined) return undefined;
    this.#cursor = scopes.cursor;
    return scopes.event;
  }

  #write(event: Buffer): void {
    if (this.#out.destroyed) return;
    this.#isBusy = true;
    this.#busySince = performance.now();
    this.#out.write(event, () => {
      this.#isBusy = false;
      this.#next();
    });
  }
}
