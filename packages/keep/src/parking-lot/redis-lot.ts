import { badOption } from '../bound.ts';
import type { LotClaim, SharedLot } from './parking-lot.ts';
import { redisScripts } from './redis-scripts.ts';
import { SharedBounds } from './shared-bounds.ts';
import type { SharedBoundsOptions } from './shared-bounds.ts';
import { keyOf } from './shared-row.ts';

type Argument = string | Buffer;

/**
 * The part of a Redis or Valkey client that the lot uses. ioredis (also `iovalkey`) gives replies as Buffers by `callBuffer`; its
 * `sendCommand` takes something else. A client of `redis` (node-redis 4 or 5) has `sendCommand` only.
 */
export type RedisLotClient =
  | { callBuffer(command: string, ...args: Argument[]): Promise<unknown> }
  | { sendCommand(args: Argument[], options?: object): Promise<unknown> };

export interface RedisLotOptions extends SharedBoundsOptions {
  /** The client, connected; it stays yours: the lot does not end it. */
  readonly client: RedisLotClient;
  /** What the keys begin with, default "plimsoll:{parked}:". The part in braces keeps all keys in one slot of a cluster. */
  readonly prefix?: string;
}

/** Makes node-redis 4 (returnBuffers) and 5 (typeMapping; 36 is a blob string) reply with Buffers. */
const asBuffers = { returnBuffers: true, typeMapping: { 36: Buffer } };
/** Renewals that are under way at once. */
const renewBatch = 200;

type Script = keyof typeof redisScripts;

/** Parked sessions in Redis or Valkey, which all pods share. */
export class RedisLot implements SharedLot {
  readonly label: string;
  readonly #client: RedisLotClient;
  readonly #prefix: string;
  readonly #bounds: SharedBounds;

  constructor(options: RedisLotOptions) {
    const name = 'RedisLot';
    const { prefix = 'plimsoll:{parked}:', client } = options;
    if (!/\{[^{}]+\}/.test(prefix)) throw badOption(name, 'prefix', prefix, 'a text with a part in braces');
    const given = client as Partial<Record<'callBuffer' | 'sendCommand', unknown>> | undefined;
    if (typeof given?.callBuffer !== 'function' && typeof given?.sendCommand !== 'function')
      throw badOption(name, 'client', typeof client, 'a client of redis (node-redis) or ioredis');
    this.#client = client;
    this.#prefix = prefix;
    this.label = `parking lot ${prefix} in Redis`;
    this.#bounds = new SharedBounds(name, this.label, options, 1024 ** 3);
  }

  get claimMs(): number {
    return this.#bounds.claimMs;
  }

  /** Bytes of all parked sessions when this process parked last. */
  get bytes(): number | undefined {
    return this.#bounds.parked?.bytes;
  }

  get size(): number | undefined {
    return this.#bounds.parked?.size;
  }

  async put(id: string, form: Uint8Array, fence?: number): Promise<void> {
    const { keepMs, maxBytes } = this.#bounds;
    const values = [this.#bounds.sendable(id, form), String(keepMs), String(maxBytes)];
    const reply =
      fence === undefined
        ? await this.#run('put', id, ...values)
        : await this.#run('putFenced', id, ...values, String(fence));
    if (reply[0] !== 1) {
      if (fence === undefined) throw await this.#heldElsewhere(id);
      throw this.#bounds.claimLost(id);
    }
    this.#bounds.parked = { size: Number(reply[1]), bytes: Number(reply[2]) };
  }

  async get(id: string): Promise<Uint8Array | undefined> {
    return formOf((await this.#run('get', id))[1]);
  }

  async remove(id: string, fence?: number): Promise<boolean> {
    const reply =
      fence === undefined
        ? await this.#run('remove', id)
        : await this.#run('removeFenced', id, String(fence));
    if (reply[0] !== 1) throw await this.#heldElsewhere(id);
    return reply[1] === 1;
  }

  async claim(id: string, holder: string): Promise<LotClaim> {
    const reply = await this.#run('claim', id, holder, String(this.claimMs), String(this.#bounds.keepMs));
    if (reply[0] !== 1) throw await this.#heldElsewhere(id);
    return { fence: Number(reply[1]), form: formOf(reply[2]) };
  }

  async renew(claims: ReadonlyMap<string, number>): Promise<ReadonlySet<string>> {
    const kept = new Set<string>();
    const all = [...claims];
    for (let at = 0; at < all.length; at += renewBatch) {
      const renewals = all.slice(at, at + renewBatch).map(async ([id, fence]) => {
        const reply = await this.#run(
          'renew',
          id,
          String(fence),
          String(this.claimMs),
          String(this.#bounds.keepMs),
        );
        if (reply[0] === 1) kept.add(id);
      });
      await Promise.all(renewals);
    }
    return kept;
  }

  async release(id: string, fence: number): Promise<void> {
    await this.#run('release', id, String(fence));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #heldElsewhere(id: string): Promise<Error> {
    const [, holder, ms] = await this.#run('holder', id);
    return this.#bounds.heldElsewhere(id, holder, ms);
  }

  async #run(script: Script, id: string, ...values: Argument[]): Promise<readonly unknown[]> {
    const name = keyOf(id);
    const args = [redisScripts[script], '2', this.#prefix, `${this.#prefix}s:${name}`, name, ...values];
    const reply =
      'callBuffer' in this.#client
        ? await this.#client.callBuffer('EVAL', ...args)
        : await this.#client.sendCommand(['EVAL', ...args], asBuffers);
    return reply as readonly unknown[];
  }
}

function formOf(reply: unknown): Uint8Array | undefined {
  return reply instanceof Uint8Array ? reply : undefined;
}
