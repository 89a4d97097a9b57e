/**
 * What functions of the program reach, looked at while they run. Some frameworks keep the program's handlers where no walk from a server
 * comes, such as behind the `this` of an arrow function, and a worker of a queue has no server. A function that allocates what stays
 * reaches who keeps it: by its own variables, by those around it, or by its `this`.
 *
 * V8 evaluates the condition of a breakpoint inside the function that comes by. Ours hands over closures that see what the function sees,
 * and it is always false, so that nothing is ever paused. (A pause could last: an inspector session of another thread may hold it.) To list
 * the functions of the heap instead takes eight collections; a breakpoint takes as long as one, in two parts.
 */
import type { Session } from 'node:inspector';
import v8 from 'node:v8';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { inspectorSession } from '@plimsoll/core/internal/inspector';
import type { Site } from '../sites/site-sampler.ts';
import type { FunctionScopes } from './function-scopes.ts';

/** The objects that a function reached when it ran, by the names of its variables. */
export interface EnteredFunction {
  readonly site: Site;
  readonly self: object | undefined;
  readonly variables: ReadonlyMap<string, object>;
}

/** What the condition hands over: closures that see the variables around the function, its own ones, and its `this`. */
interface Given {
  readonly around: () => unknown;
  readonly self: () => unknown;
  readonly named: Readonly<Record<string, () => unknown>>;
}

/** What takes in work of ours. */
export interface OwnWork {
  /** Runs a slice of it, whose allocations are not the program's. */
  readonly discount: (slice: () => void) => void;
  /** So many bytes of it stay in the heap. */
  readonly keep: (bytes: number) => void;
}

interface Location {
  readonly scriptId: string;
  readonly lineNumber: number;
  readonly columnNumber?: number;
}

const key = Symbol.for('plimsoll.entered.v1');
/** A function that has not run by then is not waited for. */
const longestMs = 3000;
const beatMs = 25;
/** Breakpoints per function: at its begin, and further ones for a loop that was entered long ago. */
const mostLocations = 6;
/** Only variables that an inner function uses are among those around. The others are asked for by the names in the function's text. */
const declared = /\b(?:const|let|var)\s+([A-Za-z_$][\w$]*)/g;
const mostNames = 32;
const mostText = 8000;
/** The text of a larger script takes too long to be handed over. */
const mostScript = 2_000_000;

/** The session is one for all of the thread, so that one entering waits for the other. */
let before: Promise<unknown> = Promise.resolve();

/**
 * Waits until the functions run, for at most three seconds, and says what they reach. Finds nothing while somebody debugs the process.
 */
export async function enterFunctions(
  functions: readonly Site[],
  scopes: FunctionScopes,
  own: OwnWork,
): Promise<readonly EnteredFunction[]> {
  const entered = before.then(async () => await enter(functions, scopes, own));
  // What was found is not kept by it.
  const over = (): void => undefined;
  before = entered.then(over, over);
  return await entered;
}

async function enter(
  functions: readonly Site[],
  scopes: FunctionScopes,
  own: OwnWork,
): Promise<readonly EnteredFunction[]> {
  const session = inspectorSession();
  if (session === undefined || process.getBuiltinModule('node:inspector').url() !== undefined) return [];
  const entrances = new Entrances(session, own);
  const found: EnteredFunction[] = [];
  try {
    for (const each of functions) {
      entrances.arm(each);
      await turn();
    }
    const until = performance.now() + longestMs;
    while (entrances.isArmed && performance.now() < until) {
      for (const [entered, given] of entrances.take())
        own.discount(() => found.push(reachedBy(entered, given, scopes)));
      await wait(beatMs, undefined, { ref: false });
    }
  } finally {
    own.discount(() => {
      entrances[Symbol.dispose]();
      scopes.release();
    });
  }
  return found;
}

/** Breakpoints that are never stopped at. */
class Entrances implements Disposable {
  readonly #session: Session;
  readonly #own: OwnWork;
  readonly #places: Site[] = [];
  readonly #armed = new Map<Site, readonly string[]>();
  readonly #given: (readonly [Site, Given])[] = [];
  #isOff = false;
  readonly #lengths = new Map<string, number>();
  readonly #onScript = ({ params }: { readonly params: { scriptId: string; length?: number } }): void => {
    this.#lengths.set(params.scriptId, params.length ?? 0);
  };

  constructor(session: Session, own: OwnWork) {
    this.#session = session;
    this.#own = own;
    // It switches all breakpoints off, because a loop may come by 100,000 times in one turn.
    const value = (index: number, given: Given): void => {
      this.#switch(false);
      const place = this.#places[index];
      if (place !== undefined && this.#armed.has(place)) this.#given.push([place, given]);
    };
    Object.defineProperty(globalThis, key, { value, configurable: true });
    session.on('Debugger.scriptParsed', this.#onScript);
    own.discount(() => this.#enable());
  }

  /** V8 then finds the lines of all scripts and keeps them: 0.4 MB of a small server, 1.8 MB of 900 scripts. No statement pauses either. */
  #enable(): void {
    const before = oldBytes();
    this.#post('Debugger.enable');
    this.#own.keep(Math.max(0, oldBytes() - before));
    this.#post('Debugger.setSkipAllPauses', { skip: true });
  }

  /** Functions are still waited for. */
  get isArmed(): boolean {
    return this.#armed.size > 0;
  }

  arm(place: Site): void {
    this.#own.discount(() => {
      const locations = this.#locationsIn(place);
      const condition = conditionFor(this.#places.length, this.#namesIn(place, locations.at(-1)));
      this.#places.push(place);
      this.#armed.set(place, []);
      const ids = locations.flatMap((location) => {
        const set = this.#post('Debugger.setBreakpoint', { location, condition });
        return (set as { readonly breakpointId?: string } | undefined)?.breakpointId ?? [];
      });
      this.#armed.set(place, ids);
    });
  }

  /** What was handed over since the last call. Each function is asked once. */
  take(): readonly (readonly [Site, Given])[] {
    const taken = this.#given.splice(0);
    if (!this.#isOff) return taken;
    this.#own.discount(() => {
      for (const [place] of taken) this.#disarm(place);
      this.#switch(true);
    });
    return taken;
  }

  [Symbol.dispose](): void {
    for (const place of this.#armed.keys()) this.#disarm(place);
    this.#post('Debugger.disable');
    this.#session.off('Debugger.scriptParsed', this.#onScript);
    delete (globalThis as { [key]?: unknown })[key];
  }

  #switch(active: boolean): void {
    this.#isOff = !active;
    this.#post('Debugger.setBreakpointsActive', { active });
  }

  #disarm(place: Site): void {
    for (const breakpointId of this.#armed.get(place) ?? [])
      this.#post('Debugger.removeBreakpoint', { breakpointId });
    this.#armed.delete(place);
  }

  /** A column later than the function's own is inside of it: at its own place the function around it makes it. */
  #locationsIn({ scriptId, line, column }: Site): readonly Location[] {
    const start = { scriptId, lineNumber: line - 1, columnNumber: column === 0 ? 0 : column + 1 };
    const possible = this.#post('Debugger.getPossibleBreakpoints', { start, restrictToFunction: true });
    const { locations = [] } = (possible ?? {}) as { readonly locations?: readonly Location[] };
    const step = Math.max(1, locations.length / mostLocations);
    const few = Array.from({ length: Math.min(mostLocations, locations.length) }, (_, i) =>
      locations.at(Math.floor(i * step)),
    );
    return few.flatMap((each) => each ?? []);
  }

  #namesIn({ scriptId, line, column }: Site, last: Location | undefined): readonly string[] {
    if (last === undefined || (this.#lengths.get(scriptId) ?? mostScript) >= mostScript) return [];
    const found = this.#post('Debugger.getScriptSource', { scriptId });
    const { scriptSource = '' } = (found ?? {}) as { readonly scriptSource?: string };
    const lines = scriptSource.split('\n').slice(line - 1, last.lineNumber + 1);
    const text = lines.join('\n').slice(column, column + mostText);
    return [...new Set(Iterator.from(text.matchAll(declared)).map(([, name = '']) => name))].slice(
      0,
      mostNames,
    );
  }

  /** The callback of a session in its own thread runs before `post` returns. */
  #post(method: string, parameters: object = {}): unknown {
    let answer: unknown;
    this.#session.post(method, parameters, (error, found) => {
      if (error === null) answer = found;
    });
    return answer;
  }
}

function oldBytes(): number {
  return v8
    .getHeapSpaceStatistics()
    .filter(({ space_name: name }) => name === 'old_space' || name === 'large_object_space')
    .reduce((sum, { space_used_size: bytes }) => sum + bytes, 0);
}

function conditionFor(index: number, names: readonly string[]): string {
  const named = names.map((name) => `${name}: () => ${name}`).join(', ');
  const given = `{ around: () => 0, self: () => this, named: { ${named} } }`;
  return `(globalThis[Symbol.for('${key.description}')]?.(${index}, ${given}), false)`;
}

function reachedBy(entered: Site, given: Given, scopes: FunctionScopes): EnteredFunction {
  const variables = new Map<string, object>();
  const add = (name: string, value: unknown): void => {
    if (isObject(value) && !variables.has(name)) variables.set(name, value);
  };
  for (const [name, read] of Object.entries(given.named)) add(name, valueOf(read));
  for (const scope of scopes.openedOf(given.around)?.scopes() ?? [])
    for (const [name, value] of Object.entries(scope)) add(name, value);
  const self = valueOf(given.self);
  return { site: entered, self: isObject(self) && self !== globalThis ? self : undefined, variables };
}

/** A name may be that of another function, or of a variable that is not there yet. */
function valueOf(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
