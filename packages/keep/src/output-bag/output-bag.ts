import { deserialize, serialize } from 'node:v8';
import { failure } from '@plimsoll/core/internal/errors';
import type { Scope } from '@plimsoll/core';
import { measure } from '@plimsoll/core/meter';
import { badOption, bytesOption, countOption } from '../bound.ts';
import type { Keeper, KeeperFigures, ShedRequest } from '@plimsoll/core/keeper';
import { KeeperEntry } from '../keeper-entry.ts';
import { ReportBoard } from '../report-board.ts';
import { isPlainData } from '../spill/plain-data.ts';
import { SpillFile, tempTarget } from '../spill/spill-file.ts';
import type { SpillTarget } from '../spill/spill-file.ts';

export interface OutputBagOptions {
  /** Name in reports, default "outputs". */
  readonly name?: string;
  /** Most bytes in memory: a number or a size such as "64MiB". Required. */
  readonly maxBytes: number | string;
  /** Most outputs, default 10,000. */
  readonly maxOutputs?: number;
  /** What happens at the bound: "spill" (default) moves the outputs that were read longest ago to an unlinked file, "refuse" takes no more. */
  readonly overflow?: 'spill' | 'refuse';
  /** Most bytes in the file, default 4 GiB. */
  readonly maxSpillBytes?: number | string;
  /** Directory of the file, or where it comes from. Default the system's temporary directory. */
  readonly spillTo?: string | SpillTarget;
  /** The scope that is charged, default the current one. */
  readonly scope?: Scope;
}

export interface PutOptions {
  /** Who reads the output, each of them once; it is released after the last. */
  readonly consumers: readonly string[];
  /** Bytes of the output when they are known; otherwise it is measured. */
  readonly bytes?: number;
}

export interface OutputBagStats {
  readonly outputs: number;
  readonly bytes: number;
  readonly maxBytes: number;
  readonly spilledOutputs: number;
  readonly spilledBytes: number;
  readonly put: number;
  readonly released: number;
  readonly refused: number;
  readonly spillFailures: number;
}

/** An output that still waits to be read. */
export interface PendingOutput {
  readonly key: string;
  readonly bytes: number;
  readonly isSpilled: boolean;
  /** Who has not read it yet. */
  readonly consumers: readonly string[];
}

export interface OutputBagEvents {
  readonly spill: { readonly key: string; readonly bytes: number; readonly fileBytes: number };
  readonly 'spill-failed': { readonly key: string; readonly error: Error };
  readonly release: { readonly key: string; readonly bytes: number };
}

interface Output {
  readonly key: string;
  value: unknown;
  readonly bytes: number;
  readonly waiting: Set<string>;
  place: { readonly position: number; readonly length: number } | undefined;
  /** Known not to be plain data. */
  isFixed: boolean;
}

const keeper = 'OutputBag';

/**
 * What the stages of a pipeline hand to each other: bounded in memory, spilled when it is too much, and released the moment the last
 * consumer has read it. See docs/reference/keepers/output-bag.md.
 */
export class OutputBag implements Keeper, Disposable {
  readonly kind = 'output-bag';
  readonly name: string;
  readonly #maxBytes: number;
  readonly #maxOutputs: number;
  readonly #maxSpillBytes: number;
  readonly #maySpill: boolean;
  readonly #file: SpillFile;
  readonly #board = new ReportBoard<OutputBagEvents>();
  readonly #entry: KeeperEntry;
  /** Outputs by key, the one used longest ago first. */
  readonly #outputs = new Map<string, Output>();
  #held = 0;
  #spilled = 0;
  #puts = 0;
  #released = 0;
  #refused = 0;
  #isClosed = false;

  constructor(options: OutputBagOptions) {
    const maxBytes = bytesOption(keeper, 'maxBytes', options?.maxBytes);
    if (maxBytes === undefined) throw failure('PLM_KEEP_UNBOUNDED', { keeper, options: ['maxBytes'] });
    const { overflow = 'spill', spillTo } = options;
    if (overflow !== 'spill' && overflow !== 'refuse')
      throw badOption(keeper, 'overflow', overflow, '"spill" or "refuse"');
    this.name = options.name ?? 'outputs';
    this.#maxBytes = maxBytes;
    this.#maxOutputs = countOption(keeper, 'maxOutputs', options.maxOutputs) ?? 10_000;
    this.#maxSpillBytes = bytesOption(keeper, 'maxSpillBytes', options.maxSpillBytes) ?? 4 * 1024 ** 3;
    this.#maySpill = overflow === 'spill';
    this.#file = new SpillFile(typeof spillTo === 'object' ? spillTo : tempTarget(spillTo));
    this.#entry = new KeeperEntry(this, options.scope);
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#held;
  }

  /** Puts an output in for its consumers; one without consumers is not kept at all. Throws PLM_BAG_FULL when there is no room. */
  put(key: string, value: unknown, options: PutOptions): void {
    this.#check(key, options);
    this.#puts++;
    const waiting = new Set(options.consumers);
    if (waiting.size === 0) {
      this.#released++;
      return;
    }
    const bytes = options.bytes ?? measure(value).bytes;
    const output: Output = { key, value, bytes, waiting, place: undefined, isFixed: false };
    this.#makeRoom(output);
    this.#outputs.set(key, output);
    if (output.place === undefined) this.#held += bytes;
    this.#entry.charge(this.#held);
  }

  /** The output, for one of its consumers, once; the last one takes it out of the bag. */
  take(key: string, consumer: string): unknown {
    const output = this.#outputs.get(key);
    if (output === undefined)
      throw this.#badRead(key, 'is not in the bag: unknown, or released after its last consumer read it');
    if (!output.waiting.has(consumer))
      throw this.#badRead(
        key,
        `was read by "${consumer}" before, or "${consumer}" is not one of its consumers`,
      );
    const value = this.#read(output);
    output.waiting.delete(consumer);
    if (output.waiting.size === 0) this.#release(output);
    else {
      // Used now: others are spilled before it.
      this.#outputs.delete(key);
      this.#outputs.set(key, output);
    }
    return value;
  }

  /** Says that a consumer will not read, because it failed or was skipped; null for every key. Returns how many outputs that released. */
  forgo(consumer: string, key: string | null = null): number {
    const before = this.#outputs.size;
    const output = key === null ? undefined : this.#outputs.get(key);
    const candidates = key === null ? this.#outputs.values() : output === undefined ? [] : [output];
    for (const candidate of candidates)
      if (candidate.waiting.delete(consumer) && candidate.waiting.size === 0) this.#release(candidate);
    return before - this.#outputs.size;
  }

  has(key: string): boolean {
    return this.#outputs.has(key);
  }

  /** Bytes of an output that waits; 0 when there is none of that key. */
  bytesOf(key: string): number {
    return this.#outputs.get(key)?.bytes ?? 0;
  }

  /** Outputs that still wait, with who has not read them. */
  pending(): PendingOutput[] {
    return [...this.#outputs.values()].map(({ key, bytes, place, waiting }) => ({
      key,
      bytes,
      isSpilled: place !== undefined,
      consumers: [...waiting],
    }));
  }

  /** Moves outputs to the file; resolves with the bytes freed. */
  async shed(request: ShedRequest): Promise<number> {
    if (!(request.bytes > 0)) throw badOption(this.#label, 'bytes', request.bytes, 'bytes above 0');
    const before = this.#held;
    if (this.#maySpill) this.#spillUntil(Math.max(0, this.#held - request.bytes));
    this.#entry.settle(this.#held);
    return before - this.#held;
  }

  /** Listens to an event; returns what stops it. */
  on<E extends keyof OutputBagEvents>(event: E, listener: (event: OutputBagEvents[E]) => void): () => void {
    return this.#board.on(event, listener);
  }

  figures(): KeeperFigures {
    return {
      entries: this.#outputs.size - this.#spilled,
      boundBytes: this.#maxBytes,
      boundEntries: this.#maxOutputs,
      parked: this.#spilled,
    };
  }

  stats(): OutputBagStats {
    return {
      outputs: this.#outputs.size,
      bytes: this.#held,
      maxBytes: this.#maxBytes,
      spilledOutputs: this.#spilled,
      spilledBytes: this.#file.bytes,
      put: this.#puts,
      released: this.#released,
      refused: this.#refused,
      spillFailures: this.#board.count('spill-failed'),
    };
  }

  /** Lets go of every output, read or not. */
  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#outputs.clear();
    this.#held = 0;
    this.#spilled = 0;
    this.#file.close();
    this.#entry.close();
  }

  get #label(): string {
    return `output bag "${this.name}"`;
  }

  #check(key: string, options: PutOptions): void {
    if (typeof key !== 'string' || key === '')
      throw failure('PLM_KEEP_BAD_KEY', {
        keeper: this.#label,
        value: key === '' ? 'an empty string' : typeof key,
      });
    if (!Array.isArray(options?.consumers) || options.consumers.some((name) => typeof name !== 'string'))
      throw badOption(this.#label, 'consumers', typeof options?.consumers, 'a list of names');
    if (this.#isClosed) throw failure('PLM_KEEP_CLOSED', { keeper: this.#label, verb: 'put' });
    if (this.#outputs.has(key)) throw this.#badRead(key, 'is in the bag already');
  }

  #badRead(key: string, why: string): Error {
    return failure('PLM_BAG_BAD_READ', { bag: this.#label, key, why });
  }

  #makeRoom(output: Output): void {
    const { key, bytes } = output;
    if (this.#outputs.size >= this.#maxOutputs) this.#refuse(output, `maxOutputs is ${this.#maxOutputs}`);
    if (this.#held + bytes <= this.#maxBytes) return;
    if (!this.#maySpill) this.#refuse(output, 'it may not be spilled');
    // One that would fill the bag by itself goes straight to the file.
    if (bytes > this.#maxBytes / 2 && this.#spill(output)) return;
    this.#spillUntil(this.#maxBytes - bytes);
    if (this.#held + bytes <= this.#maxBytes || this.#spill(output)) return;
    this.#refuse(output, `"${key}" could not be spilled`);
  }

  #refuse(output: Output, why: string): never {
    this.#refused++;
    const { key, bytes } = output;
    throw failure('PLM_BAG_FULL', {
      bag: this.#label,
      key,
      bytes,
      held: this.#held,
      maxBytes: this.#maxBytes,
      why,
    });
  }

  /** Spills what was used longest ago until at most `bytes` are in memory, or nothing more can be spilled. */
  #spillUntil(bytes: number): void {
    for (const output of this.#outputs.values()) {
      if (this.#held <= bytes) return;
      if (output.place === undefined && this.#spill(output)) this.#held -= output.bytes;
    }
  }

  #spill(output: Output): boolean {
    if (output.isFixed) return false;
    try {
      if (!isPlainData(output.value)) {
        output.isFixed = true;
        throw new TypeError('it is not plain data');
      }
      const bytes = serialize(output.value);
      if (this.#file.bytes + bytes.length > this.#maxSpillBytes)
        throw new RangeError('maxSpillBytes is reached');
      output.place = { position: this.#file.write(bytes), length: bytes.length };
    } catch (cause) {
      const why = `"${output.key}": ${cause instanceof Error ? cause.message : String(cause)}`;
      const error = failure('PLM_REPLAY_SPILL_FAILED', { keeper: this.#label, chunks: 1, why }, { cause });
      this.#board.emit('spill-failed', { key: output.key, error });
      return false;
    }
    output.value = undefined;
    this.#spilled++;
    this.#board.emit('spill', { key: output.key, bytes: output.bytes, fileBytes: this.#file.bytes });
    return true;
  }

  /** The value of an output; a spilled one is read for each consumer anew. */
  #read(output: Output): unknown {
    const { place } = output;
    if (place === undefined) return output.value;
    try {
      return deserialize(this.#file.read(place.position, place.length));
    } catch (cause) {
      const why = `"${output.key}": ${cause instanceof Error ? cause.message : String(cause)}`;
      throw failure('PLM_REPLAY_UNREADABLE', { keeper: this.#label, why }, { cause });
    }
  }

  #release(output: Output): void {
    this.#outputs.delete(output.key);
    this.#released++;
    if (output.place === undefined) this.#held -= output.bytes;
    // The file is given back when nothing of it is needed any more.
    else if (--this.#spilled === 0) this.#file.close();
    output.value = undefined;
    this.#entry.charge(this.#held);
    this.#board.emit('release', { key: output.key, bytes: output.bytes });
  }
}
