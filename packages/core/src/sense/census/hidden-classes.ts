/**
 * How much objects of a class, functions of one place in the code, and promises of one kind of scope were found to hide.
 *
 * The walk reports what each object that was looked into added. An object that was not is estimated by the mean of its class, with the
 * spread that was seen.
 */
import { types } from 'node:util';

/** What objects of a class, or functions of one place in the code, were found to hide. */
export interface HiddenClass {
  kind: 'unknown' | 'bare' | 'hiding' | 'heavy';
  /**
   * A look at a function with a prototype makes V8 create that, which takes 336 bytes for as long as the function lives. So few are looked
   * into, however much they differ.
   */
  readonly isSpared: boolean;
  /** How many objects were put down to be looked into. */
  wishes: number;
  /** The last look took long. One alone may be the first of all, or have waited for the collector. */
  wasSlow: boolean;
  /** Objects measured, their mean bytes, and the sum of squared differences from it. */
  count: number;
  mean: number;
  squares: number;
}

/** A class is estimated by its mean once so many of its objects were measured. */
const fewestMeasured = 6;
/** And taken for settled if they differ by less than this: bytes, or share of the mean. */
const alikeBytes = 96;
const alikeShare = 0.1;
/** Places in the code that are remembered. */
const mostPlaces = 2000;

export class HiddenClasses {
  readonly #classes = new WeakMap<object, HiddenClass>();
  /** Functions by name and length of their source: those of one place in the code. And promises by the kind of scope. */
  #places = new Map<string, HiddenClass>();

  of(node: object, kind: string): HiddenClass {
    // A promise results in anything, but in the same kind of thing in sessions of one kind.
    const place = typeof node === 'function' ? placeOf(node) : oneOff(node);
    if (place !== undefined) {
      const key = typeof node === 'function' ? place : `${place} of ${kind}`;
      let record = this.#places.get(key);
      if (record !== undefined) return record;
      if (this.#places.size >= mostPlaces) this.#places = new Map();
      record = newClass('hiding', typeof node === 'function' && Object.hasOwn(node, 'prototype'));
      this.#places.set(key, record);
      return record;
    }
    const prototype = Object.getPrototypeOf(node) as object;
    let record = this.#classes.get(prototype);
    if (record === undefined) this.#classes.set(prototype, (record = newClass('unknown', false)));
    return record;
  }
}

function newClass(kind: HiddenClass['kind'], isSpared: boolean): HiddenClass {
  return { kind, isSpared, wishes: 0, wasSlow: false, count: 0, mean: 0, squares: 0 };
}

/** Takes down how many bytes an object that was looked into added to its scope. */
export function learn(record: HiddenClass, bytes: number): void {
  record.count++;
  const off = bytes - record.mean;
  record.mean += off / record.count;
  record.squares += off * (bytes - record.mean);
  // Half of the past is forgotten now and then, so that a class can change.
  if (record.count >= 200) {
    record.count /= 2;
    record.squares /= 2;
  }
}

/** Whether its mean says something. */
export function isMeasured(record: HiddenClass): boolean {
  return record.count >= fewestMeasured;
}

/** Whether it differs so little that a look tells no more than the mean. */
export function isAlike(record: HiddenClass): boolean {
  if (isWorn(record)) return true;
  return isMeasured(record) && deviationOf(record) <= Math.max(alikeBytes, alikeShare * record.mean);
}

/** A class of which no more objects than so many are looked into was looked into so often. */
export function isWorn(record: HiddenClass): boolean {
  return record.isSpared && record.wishes >= 2 * fewestMeasured + record.count / 16;
}

export function deviationOf({ count, squares }: HiddenClass): number {
  return Math.sqrt(squares / Math.max(1, count));
}

/** Of objects that hide something each, whether or not the first one did, the common name. */
export function oneOff(node: object): string | undefined {
  if (types.isProxy(node)) return 'proxy';
  if (types.isGeneratorObject(node)) return 'generator';
  if (types.isMapIterator(node) || types.isSetIterator(node)) return 'iterator';
  const prototype: unknown = Object.getPrototypeOf(node);
  if (prototype === Promise.prototype) return 'promise';
  return prototype === WeakMap.prototype ? 'weak map' : undefined;
}

/** The source is a piece of the text of its script, so that asking for it copies nothing. */
function placeOf(node: object): string {
  const name: unknown = Object.getOwnPropertyDescriptor(node, 'name')?.value;
  return `${typeof name === 'string' ? name : ''} ${Function.prototype.toString.call(node).length}`;
}

/** What sort of object it is that hides something. */
export function hiderOf(node: object): 'instance' | 'promise' | 'other' {
  if (typeof node === 'function') return 'other';
  const name = oneOff(node);
  return name === undefined ? 'instance' : name === 'promise' ? 'promise' : 'other';
}
