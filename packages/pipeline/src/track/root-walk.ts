import { types } from 'node:util';
import { sizeOf } from '@plimsoll/core/internal/sense/census/scope-walk';
import { expand, Walk } from '@plimsoll/core/internal/meter/layout';

/** Bytes of a root, and the bytes that a value adds to it. */
export interface RootBytes {
  readonly root: number;
  /** Bytes of the value that the root does not reach. */
  readonly value: number;
  /** The part of both that lies outside the V8 heap: Buffers and ArrayBuffers. */
  readonly external: number;
  /** False when there was no time for the whole walk and the rest is extrapolated. */
  readonly isExact: boolean;
}

/** Objects between two looks at the clock. */
const objectsPerLook = 16;
/** Elements of a container that one step looks at. */
const chunk = 64;
/** A smaller object is not checked for being a buffer. */
const bufferSize = 512;
export const nothing: RootBytes = { root: 0, value: 0, external: 0, isExact: true };

/** A container that the walk has not finished. */
interface OpenContainer {
  readonly size: number;
  /** Sum of the walk after the container itself was charged. */
  readonly base: number;
  done: number;
}

/** True for a value without bytes of its own: it is stored in the slot that refers to it, or is shared by all. */
export function isWeightless(value: unknown): boolean {
  if (typeof value === 'number') return (value | 0) === value;
  return value === undefined || value === null || typeof value === 'boolean';
}

/**
 * Measures a root and then a value, each object once, within `mostMs`. When the time is over, the rest is extrapolated from the first part
 * of each container. No getter and no proxy trap runs. Never throws.
 */
export function walkRoot(root: object | undefined, value: unknown, mostMs: number): RootBytes {
  if (root === undefined && isWeightless(value)) return nothing;
  try {
    const walk = new RootWalk(performance.now() + mostMs);
    const rootBytes = root === undefined ? 0 : walk.add(root);
    const valueBytes = walk.add(value);
    return { root: rootBytes, value: valueBytes, external: walk.external, isExact: walk.isExact };
  } catch {
    // The graph changed during the walk.
    return { ...nothing, isExact: false };
  }
}

class RootWalk {
  readonly #walk = new Walk({ chunk, flatten: true });
  readonly #seen = new Set<object>();
  readonly #containers: OpenContainer[] = [];
  readonly #deadlineMs: number;
  external = 0;
  isExact = true;

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  /** Bytes that a value adds to what was walked so far. */
  add(value: unknown): number {
    const walk = this.#walk;
    const before = walk.bytes;
    walk.value(value);
    if (this.#drain()) return walk.bytes - before;
    this.isExact = false;
    const bytes = this.#extrapolated() - before;
    walk.pending.length = 0;
    walk.cursors.length = 0;
    this.#containers.length = 0;
    return bytes;
  }

  /** True when nothing is left; false when the time is over. */
  #drain(): boolean {
    const { pending, cursors } = this.#walk;
    for (let untilLook = objectsPerLook; ; untilLook--) {
      const node = pending.pop();
      if (node !== undefined) this.#visit(node);
      else if (!this.#resume()) return true;
      if (untilLook > 0) continue;
      untilLook = objectsPerLook;
      if (performance.now() > this.#deadlineMs && pending.length + cursors.length > 0) return false;
    }
  }

  #visit(node: object): void {
    const walk = this.#walk;
    const before = this.#seen.size;
    this.#seen.add(node);
    if (this.#seen.size === before) return;
    const bytes = walk.bytes;
    expand(node, walk);
    if (walk.bytes - bytes >= bufferSize) this.external += externalOf(node);
    if (walk.cursors.length > this.#containers.length)
      this.#containers.push({ size: sizeOf(node), base: walk.bytes, done: 0 });
  }

  #resume(): boolean {
    const { cursors } = this.#walk;
    const cursor = cursors.pop();
    if (cursor === undefined) return false;
    cursor.resume(this.#walk);
    const container = this.#containers.at(-1);
    if (cursors.length < this.#containers.length) this.#containers.pop();
    else if (container !== undefined) container.done += chunk;
    return true;
  }

  #extrapolated(): number {
    let { bytes } = this.#walk;
    let pending = this.#walk.pending.length;
    for (const { size, base, done } of this.#containers.toReversed()) {
      const open = Math.min(pending, chunk - 1);
      pending -= open;
      const counted = done - open;
      if (counted > 0 && size > counted) bytes += ((bytes - base) / counted) * (size - counted);
    }
    return Math.round(bytes);
  }
}

function externalOf(node: object): number {
  if (types.isAnyArrayBuffer(node)) return node.byteLength;
  // A small Buffer out of the pool is charged with its own length.
  return ArrayBuffer.isView(node) && node.byteLength < node.buffer.byteLength ? node.byteLength : 0;
}
