import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';
import type { ScriptOrigins } from '../sites/script-origins.ts';
import type { Site } from '../sites/site-sampler.ts';
import { classOf } from './container-name.ts';
import type { WalkRoot } from './container-walk.ts';
import type { EnteredFunction, OwnWork } from './entered-functions.ts';
import type { FunctionScopes } from './function-scopes.ts';

/** Says which functions of the program allocate what stays, and whose scripts are. */
export interface BusyProgram {
  readonly scripts: ScriptOrigins;
  /** Most bytes first. */
  busyFunctions(): readonly Site[];
}

interface Held {
  readonly of: string;
  readonly via: string;
  readonly ref: WeakRef<object>;
}

/** A program that starts loads its code, and much of what runs then never runs again. */
const startMs = 5000;
const mostAtOnce = 3;
/** A function that did not run while it was waited for may run later. */
const mostTries = 3;
/** Functions that are entered while nothing is suspected, and in all. */
const mostCalm = 9;
const mostEntered = 24;
/** While nothing is suspected no single stop may take longer, by CPU time. */
const mostSliceMs = 50;
/** The longest one: V8 looks for all scripts, and for their lines. With 215 scripts and 60 MB it took 33 ms, with 937 and 21 MB 62 ms. */
const leastSliceMs = 18;
const msPerScript = 0.045;
const msPerByte = 0.12e-6;

/** Where walks begin that no server leads to: what functions of the program reached when they were entered. All of it is held weakly. */
export class EnteredRoots {
  #held: readonly Held[] = [];
  readonly #tries = new Map<string, number>();
  #slowestMs = 0;

  /** What is still there of it. */
  roots(): readonly WalkRoot[] {
    return this.#held.flatMap(({ of, via, ref }) => {
      const value = ref.deref();
      return value === undefined ? [] : [{ of, via, value }];
    });
  }

  /** One function per script of which a walk has opened none. V8 has numbered the scripts of the process up to `newest`. */
  unopened(
    functions: readonly Site[],
    opened: ReadonlySet<string>,
    newest: string | undefined,
  ): readonly Site[] {
    const bytes = v8.getHeapStatistics().used_heap_size;
    const sliceMs = leastSliceMs + msPerScript * Number(newest ?? 0) + msPerByte * bytes;
    if (performance.now() < startMs || this.#tries.size >= mostCalm) return [];
    if (Math.max(sliceMs, this.#slowestMs) > mostSliceMs) return [];
    const scripts = new Set(opened);
    return this.#further(functions)
      .filter(({ scriptId }) => {
        if (scripts.has(scriptId)) return false;
        scripts.add(scriptId);
        return true;
      })
      .slice(0, mostAtOnce);
  }

  /** The functions that allocate most of what stays, without those that were entered already. */
  heaviest(functions: readonly Site[]): readonly Site[] {
    return this.#tries.size >= mostEntered ? [] : this.#further(functions).slice(0, mostAtOnce);
  }

  /** Enters functions; true when they reached something. */
  async enter(functions: readonly Site[], scopes: FunctionScopes, own: OwnWork): Promise<boolean> {
    if (functions.length === 0) return false;
    for (const each of functions) this.#tries.set(keyOf(each), (this.#tries.get(keyOf(each)) ?? 0) + 1);
    const { enterFunctions } = await import('./entered-functions.ts');
    const discount = (slice: () => void): void => this.#time(slice, own.discount);
    const found = await enterFunctions(functions, scopes, { ...own, discount });
    for (const { site } of found) this.#tries.set(keyOf(site), mostTries);
    this.#held = [...this.roots().flatMap(heldOf), ...found.flatMap(reachedBy)];
    return found.length > 0;
  }

  #further(functions: readonly Site[]): readonly Site[] {
    return functions.filter((each) => (this.#tries.get(keyOf(each)) ?? 0) < mostTries);
  }

  #time(slice: () => void, discount: (slice: () => void) => void): void {
    const before = process.cpuUsage();
    discount(slice);
    const { user, system } = process.cpuUsage(before);
    this.#slowestMs = Math.max(this.#slowestMs, (user + system) / 1000);
  }
}

function keyOf({ scriptId, line, column }: Site): string {
  return `${scriptId}:${line}:${column}`;
}

function heldOf({ of = '', via, value }: WalkRoot): readonly Held[] {
  return [{ of, via, ref: new WeakRef(value as object) }];
}

/** The same variable of the same file has one path, whichever function saw it. */
function reachedBy({ site, self, variables }: EnteredFunction): readonly Held[] {
  const path = site.file.startsWith('file:') ? fileURLToPath(site.file) : site.file;
  const near = relative(process.cwd(), path);
  const of = `module ${near.startsWith('..') ? path : near}`;
  const named = [...variables].map(([name, value]) => ({ via: `variable ${name}`, value }));
  const own = self === undefined ? [] : [{ via: `variable (${classOf(self)})`, value: self }];
  return [...named, ...own].map(({ via, value }) => ({ of, via, ref: new WeakRef(value) }));
}
