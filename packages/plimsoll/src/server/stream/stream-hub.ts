import type { ServerResponse } from 'node:http';
import { failure } from '@plimsoll/core/internal/errors';
import type { Sources } from '../sources.ts';
import { StreamClient } from './stream-client.ts';
import { StreamRoom } from './stream-room.ts';

const beatMs = 15_000;
/** A client that has read nothing for this time is disconnected. A page reconnects when it wakes up. */
const longestStallMs = 60_000;

/** Places that are reserved for the owner of the process. */
const placesOfOwner = 8;

export interface HubOptions {
  /** Most streams at once. Default 64. */
  readonly mostClients?: number;
  readonly beatMs?: number;
  readonly longestStallMs?: number;
}

/** All open streams, by the process they watch. */
export class StreamHub implements Disposable {
  readonly #sources: Pick<Sources, 'pick'>;
  readonly #options: HubOptions;
  readonly #rooms = new Map<string, StreamRoom>();
  #clients = 0;
  #beat: NodeJS.Timeout | undefined;

  constructor(sources: Pick<Sources, 'pick'>, options: HubOptions = {}) {
    this.#sources = sources;
    this.#options = options;
  }

  get clients(): number {
    return this.#clients;
  }

  /** Throws when there is no place left. After it `open` cannot fail. The last places are reserved for the owner. */
  checkPlace(isOwner: boolean): void {
    const all = this.#options.mostClients ?? 64;
    const most = isOwner ? all : all - Math.min(placesOfOwner, Math.floor(all / 2));
    if (this.#clients >= most) throw failure('PLM_SERVER_BUSY', { what: 'live streams are open', most });
  }

  /** Writes events to a response until its client disconnects. */
  open(out: ServerResponse, id: string | undefined): void {
    this.#clients++;
    this.#beat ??= setInterval(() => this.#pulse(), this.#options.beatMs ?? beatMs).unref();
    const room = this.#room(id);
    const client = new StreamClient(out);
    out.socket?.setTimeout(0);
    out.socket?.setNoDelay(true);
    out.once('close', () => {
      this.#clients--;
      room.remove(client);
      if (room.size === 0) this.#rooms.delete(id ?? '');
      if (this.#clients === 0) {
        clearInterval(this.#beat);
        this.#beat = undefined;
      }
    });
    room.add(client);
  }

  [Symbol.dispose](): void {
    for (const room of this.#rooms.values()) room.close();
    this.#rooms.clear();
    clearInterval(this.#beat);
    this.#beat = undefined;
  }

  #room(id: string | undefined): StreamRoom {
    const key = id ?? '';
    const known = this.#rooms.get(key);
    if (known !== undefined) return known;
    const made = new StreamRoom(() => this.#sources.pick(id));
    this.#rooms.set(key, made);
    return made;
  }

  #pulse(): void {
    for (const room of this.#rooms.values()) room.beat(this.#options.longestStallMs ?? longestStallMs);
  }
}
