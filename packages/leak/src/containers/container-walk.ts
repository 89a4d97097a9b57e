/**
 * Finds the containers of a program while it runs: from the listeners of its servers through closures, properties, private fields, results of
 * promises and entries of weak maps to Maps, Sets, arrays, objects with many keys and lists of listeners, each with the path that names it.
 *
 * A heap snapshot shows the same paths, but it stops the process. This walk takes slices of a few ms, follows each object once, and ends
 * after a maximum of objects. Objects that the program's own functions reach come first, because a framework alone has more objects than a
 * walk may visit.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { types } from 'node:util';
import type { ScriptOrigin } from '../sites/script-origins.ts';
import type { FunctionScopes, NamedValues } from './function-scopes.ts';
import { codedBounds } from './coded-bounds.ts';
import { chainOf, isLink, textOf } from './chains-and-texts.ts';
import { limitsIn, listsBeside, type DeclaredLimits } from './declared-limits.ts';
import { anyEntry, classOf } from './container-name.ts';
import type { ContainerKind, FoundContainer } from './found-container.ts';
import { innerListsOf } from './inner-lists.ts';
import { mostKeys, sampledValues, sampleOf, type KeySample } from './key-sample.ts';
import { firstListener, isListenerList, type ListenerFunction } from './listener-list.ts';
import { mayHideFields } from './private-fields.ts';
import { builtIns, isOpaque, ownContainers } from './opaque-objects.ts';
import { partOf, pathOf, type WalkItem } from './walk-item.ts';

/** Where a walk begins. `of` names what the value belongs to, which is a part of the program. */
export interface WalkRoot {
  readonly via: string;
  readonly value: unknown;
  readonly of?: string;
}

interface ContainerWalkOptions {
  readonly scopes: FunctionScopes;
  /** The origin of a script; undefined when unknown. Closures of Node.js and of Plimsoll are not opened. */
  readonly originOf: (scriptId: string) => ScriptOrigin | undefined;
  /** The file of a script of a package. */
  readonly fileOf?: (scriptId: string) => string | undefined;
  /** The script of each function that a walk has opened, so that the next walk skips those of Node.js. */
  readonly scriptOf?: WeakMap<object, string>;
  /** Takes in the scripts of the program of which a function was opened. */
  readonly opened?: Set<string>;
  /** Objects that have too many keys to be listed again. */
  readonly huge?: WeakSet<object>;
  /** Runs a slice of the walk and does not count its allocations as the program's. */
  readonly discount?: (slice: () => void) => void;
  readonly mostObjects?: number;
  readonly mostOpened?: number;
}

/** Longest time that the event loop waits for one slice. */
const sliceMs = 4;
const mostDepth = 14;
const mostContainers = 300;
/** Objects that are looked into beyond weak maps. */
const leastOfWeak = 200;
/** The entries of a larger container count as data and are not walked. */
const mostWalked = 100;
/** An object with more keys counts as a container. */
const manyKeys = 64;
const mostOpenedKeys = 1000;
/** Least number of entries of a container in a package, because packages have very many lists. */
const fewestOfPackage = 16;

/** Variables of every module of CommonJS. They lead to all other modules, by paths that name nothing. */
const ofLoader = new Set(['module', 'require']);

/** Walks from the named roots and returns the containers, nearest first. */
export async function walkContainers(
  roots: readonly WalkRoot[],
  options: ContainerWalkOptions,
): Promise<readonly FoundContainer[]> {
  const { scopes, mostObjects = 4000, discount = (slice): void => slice() } = options;
  const walk = new ContainerWalk(options);
  for (const each of roots) walk.begin(each);
  walk.left = mostObjects;
  while (!walk.isOver) {
    discount(() => {
      const until = performance.now() + sliceMs;
      do walk.step();
      while (!walk.isOver && performance.now() < until);
      scopes.release();
    });
    if (!walk.isOver) await turn();
  }
  return nearest(walk.found).map((each) => ({ ...each, limits: walk.limitsOf(each) }));
}

/** A container that was reached by more than one path has that of the program, which came last. */
function nearest(found: readonly FoundContainer[]): readonly FoundContainer[] {
  const byObject = new Map<object, Map<string, FoundContainer>>();
  for (const each of found) {
    const same = byObject.get(each.object) ?? new Map<string, FoundContainer>();
    byObject.set(each.object, same.set(`${each.kind} ${each.links?.first} ${each.links?.next}`, each));
  }
  const kept = new Set([...byObject.values()].flatMap((same) => [...same.values()]));
  return found.filter((each) => kept.has(each));
}

class ContainerWalk {
  readonly found: FoundContainer[] = [];
  /** Objects that may still be looked into. */
  left = 0;
  isOver = false;
  readonly #options: ContainerWalkOptions;
  /** Objects that were pushed, and whether the program reached them. */
  readonly #seen = new WeakMap<object, boolean>();
  readonly #ofNode = new WeakSet<object>();
  /** What the program reaches, and what only its packages do: the latter has to wait. */
  readonly #near: WalkItem[] = [];
  readonly #far: WalkItem[] = [];
  #atNear = 0;
  #atFar = 0;
  #opened = 0;
  readonly #weakMaps: (WalkItem & { readonly value: WeakMap<object, unknown> })[] = [];
  /** Objects that may be looked into beyond weak maps, once one was found, and where those are that they led to. */
  #reserve = 0;
  #weakFrom: number | undefined;
  readonly #parts = new Map<string, WalkItem>();
  readonly #limits = new WeakMap<object, DeclaredLimits>();
  readonly #coded = new WeakMap<object, number>();
  readonly #beside = new WeakMap<object, readonly (readonly unknown[])[]>();

  constructor(options: ContainerWalkOptions) {
    this.#options = options;
    for (const value of builtIns()) {
      this.#ofNode.add(value);
      this.#seen.set(value, true);
    }
    for (const value of ownContainers()) this.#seen.set(value, true);
  }

  begin({ via, value, of }: WalkRoot): void {
    const part = of === undefined ? undefined : (this.#parts.get(of) ?? partOf(of));
    if (part !== undefined) this.#parts.set(part.via, part);
    this.push(value, via, part);
  }

  push(value: unknown, via: string, from: WalkItem | undefined): void {
    if (typeof value === 'string' && from !== undefined) this.#add(() => textOf(value, via, from));
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return;
    const depth = (from?.depth ?? 0) + 1;
    const isProgram = from?.isProgram ?? false;
    if (value === globalThis || types.isProxy(value) || depth > mostDepth) return;
    const seen = this.#seen.get(value);
    // What only packages were known to reach has waited, and waits no longer.
    if (seen === true || seen === isProgram) return;
    this.#seen.set(value, isProgram);
    if (from !== undefined && isLink(via) && via === from.via && from.from !== undefined) {
      const first = from.from;
      this.#add(() => this.#chainOf(via, first, value));
      return;
    }
    (isProgram ? this.#near : this.#far).push({ value, via, from, depth, isProgram });
  }

  /** Looks into one object, or asks one weak map. */
  step(): void {
    const next = this.left > 0 ? this.#next() : undefined;
    if (next === undefined) {
      this.#askWeakMap();
      return;
    }
    this.left--;
    try {
      this.#enter(next);
    } catch {
      // An object that throws when it is read is skipped.
    }
  }

  #next(): WalkItem | undefined {
    if (this.#atNear < this.#near.length) return this.#near[this.#atNear++];
    for (let next = this.#far[this.#atFar]; next !== undefined; next = this.#far[this.#atFar]) {
      this.#atFar++;
      if (this.#seen.get(next.value) === false) return next;
    }
    return undefined;
  }

  #enter(item: WalkItem): void {
    const { value } = item;
    if (typeof value === 'function') this.#enterFunction(item);
    else if (Array.isArray(value)) this.#enterEntries(item, 'Array', value.length, value.entries());
    else if (types.isMap(value)) this.#enterEntries(item, 'Map', value.size, value.entries());
    else if (types.isSet(value)) this.#enterEntries(item, 'Set', value.size, value.entries());
    else if (types.isWeakMap(value)) this.#keepWeakMap(item, value);
    else if (types.isPromise(value)) this.#enterPrivates(item, this.#open(value)?.inner() ?? {});
    else if (types.isGeneratorObject(value)) this.#enterScopes(item, this.#open(value)?.scopes() ?? []);
    else if (!isOpaque(value, (maker) => this.#ofNode.has(maker))) this.#enterObject(item);
  }

  #enterFunction(found: WalkItem): void {
    const { originOf, scriptOf } = this.#options;
    const script = scriptOf?.get(found.value);
    if (script !== undefined && originOf(script) === 'other') return;
    const opened = this.#open(found.value);
    if (opened === undefined) return;
    const { scriptId } = opened;
    if (scriptId === undefined) {
      // A bound function has no place of its own, and a built-in one leads nowhere.
      this.#enterPrivates(found, opened.inner());
      return;
    }
    scriptOf?.set(found.value, scriptId);
    const origin = originOf(scriptId);
    if (origin === 'other') return;
    if (origin === 'program') this.#options.opened?.add(scriptId);
    const scopes = opened.scopes();
    if (origin === 'program') this.#learnCoded(found.value, scopes);
    const isFirst = origin === 'program' && !found.isProgram;
    const item = isFirst
      ? { ...found, depth: 1, isProgram: true }
      : { ...found, isProgram: found.isProgram && origin !== 'package' };
    this.#enterScopes(item, scopes);
    this.#enterPrivates(item, opened.privates());
    this.#enterProperties(item, Object.keys(item.value));
    const { prototype } = item.value as { readonly prototype?: unknown };
    this.push(prototype, 'prototype', item);
  }

  #enterScopes(item: WalkItem, scopes: readonly NamedValues[]): void {
    for (const scope of scopes)
      for (const name of Object.keys(scope))
        if (!ofLoader.has(name)) this.push(scope[name], `variable ${name}`, item);
  }

  #keepWeakMap(item: WalkItem, value: WeakMap<object, unknown>): void {
    if (!item.isProgram) return;
    this.#weakMaps.push({ ...item, value });
    this.#reserve = leastOfWeak;
  }

  /**
   * Weak maps do not say what they have. What they keep alive has a key that something else keeps alive, so that each object of the walk is
   * asked for as a key, once there is nothing else to look into.
   */
  #askWeakMap(): void {
    const item = this.#weakMaps.shift();
    if (item === undefined) {
      if (this.left === 0) {
        this.left = this.#reserve;
        this.#atNear = Math.max(this.#atNear, this.#weakFrom ?? 0);
      }
      this.#reserve = 0;
      this.isOver = this.left === 0 || this.#atNear >= this.#near.length;
      return;
    }
    this.#weakFrom ??= this.#near.length;
    for (const keys of [this.#near, this.#far])
      for (let i = 0, { length } = keys; i < length; i++) {
        const key = (keys[i] as WalkItem).value;
        const value: unknown = WeakMap.prototype.get.call(item.value, key);
        if (value !== undefined) this.push(value, `[${classOf(key)}]`, item);
      }
  }

  #enterObject(item: WalkItem): void {
    const { value } = item;
    if (isListenerList(value)) {
      this.#keep(item, 'listeners', { listener: this.#listenerOf(firstListener(value), value.size) });
      return;
    }
    const { huge } = this.#options;
    if (huge?.has(value) === true) {
      this.#keep(item, 'object');
      return;
    }
    const keys = Reflect.ownKeys(value);
    if (keys.length > mostKeys) huge?.add(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    const isPlain = prototype === Object.prototype || prototype === null;
    if (keys.length > manyKeys && isPlain && !types.isModuleNamespaceObject(value)) {
      const sample = sampleOf(keys);
      this.#keep(item, 'object', { sample });
      const values = sampledValues(value, sample);
      this.#keepLists(item, values, keys.length, sample);
      if (!isInterface(values)) return;
    }
    const fields = this.#enterProperties(item, keys.slice(0, 4 * manyKeys));
    if (isPlain) return;
    // V8 lists private fields together with all others.
    const mayHide = keys.length <= mostOpenedKeys && mayHideFields(value);
    const privates = (mayHide ? this.#open(value)?.privates() : undefined) ?? {};
    this.#enterPrivates(item, privates);
    this.#learnOfClass(prototype as object, { ...fields, ...privates });
    // Methods lead to the variables of the class's module.
    this.push(prototype, 'prototype', item);
  }

  #enterProperties(item: WalkItem, keys: readonly (string | symbol)[]): NamedValues {
    const fields: Record<string, unknown> = {};
    for (const key of keys) {
      const property = Reflect.getOwnPropertyDescriptor(item.value, key);
      if (typeof key === 'string') fields[key] = property?.value;
      // Getters are code of the program and are not run. Their variables hold the values that they would return.
      if (property !== undefined)
        this.push(
          property.value ?? property.get,
          typeof key === 'symbol' ? (key.description ?? 'symbol') : key,
          item,
        );
    }
    this.#learnLimits(item.value, fields);
    return fields;
  }

  #learnLimits(owner: object, fields: NamedValues): void {
    const found = limitsIn(fields);
    if (Object.keys(found).length === 0) return;
    this.#limits.set(owner, { ...found, ...this.#limits.get(owner) });
    this.#beside.set(owner, listsBeside(fields));
  }

  /** The function that bounds a container may come after the one that led to it. */
  #learnCoded(found: object, scopes: readonly NamedValues[]): void {
    for (const { container, bound } of codedBounds(Function.prototype.toString.call(found), scopes))
      this.#coded.set(container, Math.min(bound, this.#coded.get(container) ?? bound));
  }

  #learnOfClass(prototype: object, fields: NamedValues): void {
    if (!Object.values(fields).some(isLarge)) return;
    const maker: unknown = Reflect.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
    if (typeof maker === 'function') this.#learnCoded(maker, [{ this: fields }]);
  }

  /** What it says of itself, or the code that it is reached by. */
  limitsOf({ object, kind, limits }: FoundContainer): DeclaredLimits | undefined {
    // Lists, chains and texts only hang on the object.
    const bound = kind === 'Map' || kind === 'Set' || kind === 'Array' ? this.#coded.get(object) : undefined;
    return limits ?? (bound === undefined ? undefined : { bound });
  }

  #enterPrivates(item: WalkItem, fields: NamedValues): void {
    this.#learnLimits(item.value, fields);
    for (const [name, value] of Object.entries(fields)) this.push(value, name, item);
  }

  #enterEntries(
    item: WalkItem,
    kind: 'Map' | 'Set' | 'Array',
    size: number,
    entries: Iterable<readonly [unknown, unknown]>,
  ): void {
    if (kind !== 'Array') {
      // Classes that extend Map or Set, as many caches do.
      this.#enterProperties(item, Object.keys(item.value));
      if (mayHideFields(item.value)) this.#enterPrivates(item, this.#open(item.value)?.privates() ?? {});
    }
    const last = kind === 'Array' ? (item.value as readonly unknown[]).at(-1) : undefined;
    if (item.isProgram || size >= fewestOfPackage)
      this.#keep(item, kind, { listener: this.#listenerOf(last, size) });
    const values = kind === 'Map' ? (item.value as ReadonlyMap<unknown, unknown>).values() : item.value;
    this.#keepLists(item, values as Iterable<unknown>, size);
    if (size > mostWalked) return;
    for (const [key, value] of entries) {
      if (kind === 'Map') this.push(key, 'key of an entry', item);
      this.push(value, typeof key === 'string' || typeof key === 'number' ? `[${key}]` : 'entry', item);
    }
  }

  /** Adds the lists in the entries, each kind as one container. */
  #keepLists(item: WalkItem, values: Iterable<unknown>, size: number, sample?: KeySample): void {
    if (!item.isProgram && size < fewestOfPackage) return;
    const privatesOf = (value: object): NamedValues => this.#open(value)?.privates() ?? {};
    for (const { field, entry, list, count } of innerListsOf(values, size, privatesOf)) {
      const inner = field === undefined ? [] : [{ via: field, name: classOf(list) }];
      this.#add(() => ({
        path: [...pathOf(item), { via: anyEntry, name: classOf(entry) }, ...inner],
        kind: 'lists',
        object: item.value,
        links: { first: field, next: '' },
        ...(count !== undefined && { count }),
        sample,
      }));
    }
  }

  #open(value: object): ReturnType<FunctionScopes['openedOf']> {
    if (this.#opened >= (this.#options.mostOpened ?? 1500)) return undefined;
    this.#opened++;
    return this.#options.scopes.openedOf(value);
  }

  #keep(item: WalkItem, kind: ContainerKind, more: Pick<FoundContainer, 'sample' | 'listener'> = {}): void {
    this.#add(() => ({
      path: pathOf(item),
      kind,
      object: item.value,
      ...more,
      ...(kind === 'Map' && item.from !== undefined && { beside: this.#beside.get(item.from.value) }),
      limits: this.#limitsOf(item),
    }));
  }

  #chainOf(via: string, first: WalkItem, third: object): FoundContainer | undefined {
    const chain = chainOf(via, first, third, (each) => this.#open(each));
    return chain && { ...chain, limits: this.#limitsOf(first) };
  }

  #add(make: () => FoundContainer | undefined): void {
    const found = this.found.length >= mostContainers ? undefined : make();
    if (found !== undefined) this.found.push(found);
  }

  /** Which function a long list of listeners has. Known leaks of frameworks are told by it. */
  #listenerOf(value: unknown, size: number): ListenerFunction | undefined {
    if (typeof value !== 'function' || size < fewestOfPackage) return undefined;
    const scriptId = this.#open(value)?.scriptId;
    const file = scriptId === undefined ? undefined : this.#options.fileOf?.(scriptId);
    return { name: classOf(value), ...(file !== undefined && { file }) };
  }

  #limitsOf({ value, from }: WalkItem): DeclaredLimits | undefined {
    const ofOwner = from && this.#limits.get(from.value);
    return this.#limits.get(value) ?? (ofOwner && { ...ofOwner, isOfOwner: true });
  }
}

/** A Map, Set or array with enough entries to matter. */
function isLarge(value: unknown): boolean {
  if (types.isMap(value) || types.isSet(value)) return value.size > manyKeys;
  return Array.isArray(value) && value.length > manyKeys;
}

/** A third of what it has are functions: an object with methods, such as the server of a framework, is no data. */
function isInterface(values: readonly unknown[]): boolean {
  return 3 * values.filter((value) => typeof value === 'function').length >= values.length;
}
