/**
 * Looks into what JavaScript cannot see: private fields, variables of closures and of generators that wait, results of promises, values of
 * weak maps, targets of proxies.
 *
 * The inspector of the own process answers what an object hides, and hands the values back as live references. One object takes 50 to
 * 60 µs, so the census asks for a few at a time within a budget of its own and remembers the answers. References are remembered weakly: a
 * private field that got another value does not keep the former one alive.
 *
 * Most objects of a class hide about as much: a URL, a `Headers`, the closure of one line. So the walk reports what each object that was
 * looked into added, and a class is estimated by its mean after a few of them. The first ones of a class are looked into in the middle of
 * the walk that meets them. Of classes whose objects differ by what matters to a scope, further ones are looked into in turn. Roots of
 * scopes are looked into one by one, for all that their scopes hold may be behind them.
 */
import type { Session } from 'node:inspector';
import { types } from 'node:util';
import { inspectorSession } from '../../inspector.ts';
import { collectionBytes, dictionaryCapacity } from '../../meter/hash-tables.ts';
import { boxedNumber, collectionHeader, storeHeader, weakTable } from '../../meter/rules.ts';
import { stringBytes } from '../../meter/string-bytes.ts';
import { startWork } from '../clock.ts';
import type { Clock } from '../clock.ts';
import { deviationOf, HiddenClasses, isAlike, isMeasured, isWorn, learn, oneOff } from './hidden-classes.ts';
import type { HiddenClass } from './hidden-classes.ts';
import { LookQueue } from './look-queue.ts';
import { call, objectGroup, post, properties } from './remote-objects.ts';
import type { RemoteValue } from './remote-objects.ts';
import { TimeBudget } from './time-budget.ts';

/** What an object was seen to hide. */
export interface Hidden {
  /** Mostly there is one value: a list for each would take half as much memory again. */
  readonly values: WeakRef<object> | readonly WeakRef<object>[];
  /** Strings, numbers and contexts that only this object refers to. */
  readonly bytes: number;
  /** When it was looked at, whole seconds of the monotonic clock. */
  readonly at: number;
}

/** One scope of a function, as the inspector lists them from the inside out. */
interface FunctionScope {
  readonly description: string;
  readonly object: object;
}

interface Entry {
  readonly key?: unknown;
  readonly value?: unknown;
}

interface AskOptions {
  readonly isRoot?: boolean;
  readonly itself?: boolean;
  /** What the scope is known to hold so far. */
  readonly scopeBytes?: number;
}

interface Estimate {
  readonly bytes: number;
  readonly spread: number;
}

/** A value that an object hides: itself, or a list of what it stands for. */
type Part = 'value' | 'scopes' | 'entries' | 'arguments';

interface Found {
  readonly node: object;
  readonly ids: string[];
  readonly parts: Part[];
  bytes: number;
}

/** Share of a core for looking into private fields and closures, and what can be saved up: a look takes half a millisecond. */
const lookRatio = 0.002;
const lookBurstMs = 3;
/** Granted once at the start: nothing is known of any class then. */
const firstLooksMs = 50;
/** What is set aside before a look. */
const lookMs = 0.6;
/** What is behind it may be laid out otherwise than it was measured, by up to this share. */
const layoutSpread = 0.5;
/** One object in so many of an estimated class is still looked into, in case the class changed. */
const reviewEvery = 64;
/** Objects that differ by less than this share of their scope are estimated only. */
const mattersShare = 0.005;
const mostFailures = 8;
/** Objects per look: about half a millisecond. */
export const objectsPerLook = 8;
/** An answer older than this is asked for again when the object is met. */
const renewAfterSeconds = 60;
/** Answers that are remembered, at 100 to 200 bytes each; then all are dropped and asked for again. */
const mostKnown = 40_000;
export const knownBytes = 150;
/** A class whose objects take longer than this to look into is left alone: its fields hold long texts, which the answer copies. */
const tooLongMs = 4;
/** An object with more text than this in its visible fields is not looked into for the same reason. */
const mostVisibleText = 16_384;
/** The variables of a module or a bundle are in a scope of many; those of a session or request are few. */
const mostVariables = 24;
/** Variables of files, those of Node.js among them. Vite's begin with `__vi`. */
const ofFiles = new Set(['require', 'exports', 'module', 'process', 'primordials', 'internalBinding']);
const handle = Symbol.for('plimsoll.lens');
/** What is followed of the insides of objects. */
const followed: Readonly<Record<string, Part>> = {
  '[[PromiseResult]]': 'value',
  '[[TargetFunction]]': 'value',
  '[[BoundThis]]': 'value',
  '[[BoundArgs]]': 'arguments',
  '[[GeneratorFunction]]': 'value',
  '[[GeneratorReceiver]]': 'value',
  '[[Target]]': 'value',
  '[[Handler]]': 'value',
  '[[Scopes]]': 'scopes',
  '[[Entries]]': 'entries',
};
/** Header of a context with its two links. */
const contextHeader = 32;
/** A generator that waits keeps what its code works with beside its variables, and more inside a loop. */
const frameSlots = 6;
const blockSlots = 4;

export class Lens {
  readonly #clock: Clock;
  readonly #budget: TimeBudget;
  #spentMs = 0;
  /** Looks that failed one after the other. */
  #failures = 0;
  #known = new WeakMap<object, Hidden>();
  #knownCount = 0;
  readonly #classes = new HiddenClasses();
  #estimated = 0;
  readonly #queue = new LookQueue();
  readonly #holder: { list: readonly object[]; got: readonly unknown[] } = { list: [], got: [] };
  #session: Session | undefined;
  #holderId = '';
  #isOff = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#budget = new TimeBudget(lookRatio, lookBurstMs, clock.monotonic(), firstLooksMs);
  }

  /** True once looking failed or is impossible; nothing is asked any more then. */
  get isOff(): boolean {
    return this.#isOff;
  }

  /** Objects that wait to be looked at. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Whether a root is to be looked into before its scope is measured. Puts it down for that. */
  awaits(root: object, kind: string): boolean {
    if (this.#isOff || !mayHide(root) || this.#known.has(root)) return false;
    const record = this.#classes.of(root, kind);
    if (record.kind === 'bare' || record.kind === 'heavy') return false;
    this.#wish(root, record, true);
    return this.#queue.has(root);
  }

  isWaiting(node: object): boolean {
    return this.#queue.has(node);
  }

  /**
   * Whether an object hides something: `of` knows what, its class tells how much, or it is still to be looked at. A root is always looked
   * at itself, and before the others: what is behind it is all that its scope holds. It has `changed` when something it held is gone. With
   * `itself` its class is not enough, either.
   */
  ask(
    node: object,
    kind: string,
    { isRoot = false, itself = false, scopeBytes = 0 }: AskOptions = {},
  ): 'nothing' | 'seen' | 'changed' | 'unseen' | Estimate {
    const record = this.#classes.of(node, kind);
    const known = this.#known.get(node);
    if (known !== undefined) {
      const isOld = this.#clock.monotonic() / 1000 - known.at > renewAfterSeconds;
      const hasChanged = !isAlive(known);
      if (isOld || hasChanged) this.#wish(node, record, isRoot);
      if (!hasChanged) return 'seen';
      if (isRoot && record.kind !== 'heavy') return 'changed';
    }
    if (record.kind === 'bare') return 'nothing';
    const isHeavy = record.kind === 'heavy';
    if (isRoot || itself || !(isMeasured(record) || isWorn(record))) {
      if (!isHeavy) this.#wish(node, record, isRoot);
      return 'unseen';
    }
    const deviation = deviationOf(record);
    // The class may have changed, and one that differs much is looked into object by object where that matters to the scope.
    const matters = !isAlike(record) && deviation > mattersShare * scopeBytes;
    if (!isHeavy && (matters || ++this.#estimated % reviewEvery === 0)) this.#wish(node, record);
    return { bytes: record.mean, spread: Math.max(2 * deviation, layoutSpread * record.mean) };
  }

  /** Takes down how many bytes an object that was looked into added to its scope. */
  learn(node: object, kind: string, bytes: number, isRoot: boolean): void {
    const record = this.#classes.of(node, kind);
    learn(record, bytes);
    // From now on it is estimated by its class.
    if (isAlike(record) && !isRoot) this.#known.delete(node);
  }

  /** What an object was seen to hide: bytes of its own, and the values that are still alive. */
  of(node: object): { readonly bytes: number; readonly values: readonly object[] } | undefined {
    const known = this.#known.get(node);
    if (known === undefined) return undefined;
    const { bytes, values } = known;
    const references = Array.isArray(values)
      ? (values as readonly WeakRef<object>[])
      : [values as WeakRef<object>];
    const alive: object[] = [];
    for (const reference of references) {
      const value = reference.deref();
      if (value !== undefined) alive.push(value);
    }
    return { bytes, values: alive };
  }

  /** At most: objects that are gone take their answers along. */
  get retainedBytes(): number {
    return knownBytes * this.#knownCount;
  }

  /** Looks at the next few objects that wait. */
  look(): void {
    const { nodes, records } = this.#queue.take(objectsPerLook);
    this.#lookInto(nodes, records);
  }

  /**
   * Looks at an object of which `ask` said that it is unseen, in the middle of a walk, and at others in the list of whose classes too little
   * is known. False when that is not paid for: then they wait.
   */
  lookNow(node: object, others: readonly object[], kind: string): boolean {
    const now = this.#clock.monotonic();
    if (this.#isOff || this.#budget.waitMs(lookMs, now) > 0) return false;
    const nodes = [node];
    const records = [this.#classes.of(node, kind)];
    for (let i = others.length - 1; i >= 0 && nodes.length < objectsPerLook; i--) {
      const other = others[i] as object;
      const record = this.#classes.of(other, kind);
      if (isMeasured(record) || isWorn(record) || record.kind === 'bare' || record.kind === 'heavy') continue;
      if (this.#known.has(other)) continue;
      nodes.push(other);
      records.push(record);
    }
    this.#lookInto(nodes, records);
    return this.#known.has(node);
  }

  /** Whether a look is paid for. */
  mayLook(now: number): boolean {
    return this.#budget.waitMs(lookMs, now) === 0;
  }

  /** What looks took since this was asked last, ms. */
  takeSpentMs(): number {
    const spent = this.#spentMs;
    this.#spentMs = 0;
    return spent;
  }

  #lookInto(nodes: object[], records: HiddenClass[]): void {
    const work = startWork(this.#clock);
    for (let i = nodes.length - 1; i >= 0; i--) {
      if (!hasLongText(nodes[i] as object)) continue;
      (records[i] as HiddenClass).kind = 'heavy';
      nodes.splice(i, 1);
      records.splice(i, 1);
    }
    if (nodes.length === 0 || this.#isOff) return;
    try {
      this.#lookAt(nodes, records);
      this.#failures = 0;
    } catch {
      // No inspector in this build, or other answers than the known ones: what is hidden stays unknown. One object alone proves nothing.
      if (++this.#failures >= mostFailures) this.close();
    } finally {
      this.#holder.list = [];
      this.#holder.got = [];
      const spent = work();
      this.#spentMs += spent;
      this.#budget.spend(spent, this.#clock.monotonic());
    }
  }

  close(): void {
    this.#isOff = true;
    this.#queue.clear();
    this.#known = new WeakMap();
    this.#knownCount = 0;
    this.#session = undefined;
  }

  #wish(node: object, record: HiddenClass, isRoot = false): void {
    // Some are gone, or change before they are measured.
    if (!this.#isOff && !isWorn(record)) this.#queue.add(node, record, isRoot);
  }

  #lookAt(nodes: readonly object[], records: readonly HiddenClass[]): void {
    const session = this.#open();
    this.#holder.list = nodes;
    const list = call(session, this.#holderId, 'function () { return this.list; }', []);
    const found: Found[] = [];
    for (const { name, value } of properties(session, list.objectId as string).result) {
      const node = nodes[Number(name)];
      if (node !== undefined && value?.objectId !== undefined)
        found.push(this.#inspect(session, node, records[Number(name)] as HiddenClass, value.objectId));
    }
    const ids = found.flatMap((each) => each.ids);
    if (ids.length > 0)
      call(session, this.#holderId, 'function (...values) { this.got = values; return 0; }', ids);
    post(session, 'Runtime.releaseObjectGroup', { objectGroup });
    let at = 0;
    for (const each of found) {
      this.#remember(each, this.#holder.got.slice(at, at + each.ids.length));
      at += each.ids.length;
    }
  }

  #inspect(session: Session, node: object, record: HiddenClass, objectId: string): Found {
    const work = startWork(this.#clock);
    const { privateProperties = [], internalProperties = [] } = properties(session, objectId);
    const found: Found = { node, ids: [], parts: [], bytes: 0 };
    const add = (value: RemoteValue | undefined, part: Part): void => {
      if (value?.objectId !== undefined) {
        found.ids.push(value.objectId);
        found.parts.push(part);
      } else if (typeof value?.value === 'string') found.bytes += stringBytes(value.value);
      else if (typeof value?.value === 'number' && (value.value | 0) !== value.value)
        found.bytes += boxedNumber;
    };
    for (const { value } of privateProperties) add(value, 'value');
    for (const { name, value } of internalProperties) {
      const part = followed[name];
      if (part !== undefined && (part !== 'entries' || listsEntries(node))) add(value, part);
    }
    // Every private field takes a slot of the object, like any other.
    found.bytes += 8 * privateProperties.length;
    if (typeof node !== 'function') {
      const hides = privateProperties.length > 0 || found.ids.length > 0 || oneOff(node) !== undefined;
      const isSlow = work() > tooLongMs;
      record.kind = isSlow && record.wasSlow ? 'heavy' : hides ? 'hiding' : 'bare';
      record.wasSlow = isSlow;
    }
    return found;
  }

  #remember({ node, parts, bytes }: Found, got: readonly unknown[]): void {
    const values = new Set<object>();
    let sum = bytes;
    const add = (value: unknown): void => {
      if ((typeof value === 'object' && value !== null) || typeof value === 'function') values.add(value);
      else if (typeof value === 'string') sum += stringBytes(value);
      else if (typeof value === 'number' && (value | 0) !== value) sum += boxedNumber;
    };
    got.forEach((value, i) => {
      switch (parts[i]) {
        case 'scopes':
          for (const { description, object } of ownScopes(value as readonly FunctionScope[])) {
            const captured = variablesOf(object);
            sum += headerOf(description) + 8 * captured.length;
            captured.forEach(add);
          }
          break;
        case 'entries': {
          const entries = Object.values(value as object) as Entry[];
          sum += tableBytesOf(node, entries.length);
          for (const entry of entries) {
            add(entry.value);
            if (types.isMapIterator(node)) add(entry.key);
          }
          break;
        }
        case 'arguments': {
          const list = Object.values(value as object) as unknown[];
          if (list.length > 0) sum += storeHeader + 8 * list.length;
          list.forEach(add);
          break;
        }
        default:
          add(value);
      }
    });
    if (++this.#knownCount > mostKnown) {
      this.#known = new WeakMap();
      this.#knownCount = 1;
    }
    const references = Array.from(values, (value) => new WeakRef(value));
    this.#known.set(node, {
      values: references.length === 1 ? (references[0] as WeakRef<object>) : references,
      bytes: sum,
      at: Math.round(this.#clock.monotonic() / 1000),
    });
  }

  #open(): Session {
    if (this.#session !== undefined) return this.#session;
    const session = inspectorSession();
    if (session === undefined) throw new Error('no inspector');
    this.#session = session;
    Object.defineProperty(globalThis, handle, { value: this.#holder, configurable: true });
    try {
      const { result } = post(session, 'Runtime.evaluate', {
        expression: `globalThis[Symbol.for(${JSON.stringify(handle.description)})]`,
      }) as { result: RemoteValue };
      this.#holderId = result.objectId as string;
    } finally {
      Reflect.deleteProperty(globalThis, handle);
    }
    return session;
  }
}

/** Whether a walk would ask about it. */
function mayHide(node: object): boolean {
  if (typeof node === 'function' || types.isProxy(node)) return true;
  const prototype = Object.getPrototypeOf(node) as object | null;
  return prototype !== null && prototype !== Object.prototype && prototype !== Array.prototype;
}

/** False once something that it hides was replaced and collected. */
function isAlive({ values }: Hidden): boolean {
  if (!Array.isArray(values)) return (values as WeakRef<object>).deref() !== undefined;
  return (values as readonly WeakRef<object>[]).every((value) => value.deref() !== undefined);
}

/** A variable that is declared further down and was not reached yet throws when it is read. */
function variablesOf(scope: object): unknown[] {
  return Object.keys(scope).map((name) => {
    try {
      return Reflect.get(scope, name) as unknown;
    } catch {
      return undefined;
    }
  });
}

/**
 * The scopes that are the function's own: the innermost one of a closure, and of a generator that waits the variables of its call as well.
 * Those further out belong to the program, and so does that of a file which CommonJS, a bundler or a test runner wraps into a function.
 */
function ownScopes(list: readonly FunctionScope[]): readonly FunctionScope[] {
  // The list has no prototype, and so no methods.
  const scopes = Array.from({ length: list.length }, (_, i) => list[i] as FunctionScope);
  const call = scopes.findIndex(({ description }) => description.startsWith('Local'));
  const own = scopes.slice(0, call + 1);
  const captured = scopes
    .slice(call + 1)
    .find(({ description }) => description.startsWith('Closure') || description.startsWith('Block'));
  // What a generator captured is asked of its function.
  if (call >= 0 || captured === undefined) return own;
  const names = Object.keys(captured.object);
  const isProgram =
    names.length > mostVariables || names.some((name) => ofFiles.has(name) || name.startsWith('__vi'));
  return isProgram ? [] : [captured];
}

function headerOf(description: string): number {
  if (description.startsWith('Local')) return storeHeader + 8 * frameSlots;
  // Inside the call of a generator; that of a closure has no name of a function.
  return description.startsWith('Block (') ? 8 * blockSlots : contextHeader;
}

/** The table of a weak map beyond what it was charged with, and the one that an iterator goes through. */
function tableBytesOf(node: object, count: number): number {
  if (types.isWeakMap(node)) return weakTableBytes(count) - weakTable;
  return collectionBytes(count, types.isMapIterator(node) ? 3 : 2) - collectionHeader;
}

/** Entries of maps and sets can be read without the inspector. */
function listsEntries(node: object): boolean {
  return types.isWeakMap(node) || types.isMapIterator(node) || types.isSetIterator(node);
}

/** The table of a weak map: two words for each of its slots. */
function weakTableBytes(count: number): number {
  return storeHeader + 24 + 16 * dictionaryCapacity(count);
}

function hasLongText(node: object): boolean {
  if (typeof node === 'function' || types.isProxy(node)) return false;
  let chars = 0;
  for (const key of Object.keys(node)) {
    const value: unknown = Object.getOwnPropertyDescriptor(node, key)?.value;
    if (typeof value === 'string') chars += value.length;
    if (chars > mostVisibleText) return true;
  }
  return false;
}
