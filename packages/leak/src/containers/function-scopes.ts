import type { Session } from 'node:inspector';
import { inspectorSession } from '@plimsoll/core/internal/inspector';

/** Values of the program by the names of their variables or fields. */
export type NamedValues = Readonly<Record<string, unknown>>;

/** Data of an object that only the inspector can read. */
interface OpenedObject {
  /** V8's id of a function's script; undefined for other objects and for built-in functions. */
  readonly scriptId: string | undefined;
  /** The variables that a function reaches, one object per scope, innermost first. */
  readonly scopes: () => readonly NamedValues[];
  /** The private fields with objects and numbers by name, including `#`. */
  readonly privates: () => NamedValues;
  /** Of a bound function the one that it calls, with what. Of a promise its result. */
  readonly inner: () => NamedValues;
}

interface RemoteValue {
  readonly objectId?: string;
  /** A number as it is; of the place of a function its script. */
  readonly value?: number | { readonly scriptId?: string };
  readonly description?: string;
}

interface RemoteProperty {
  readonly name: string;
  readonly value?: RemoteValue;
}

interface Properties {
  readonly internalProperties?: readonly RemoteProperty[];
  readonly privateProperties?: readonly RemoteProperty[];
}

/** One entry of the list that the inspector shows as [[Scopes]]. */
interface ScopeEntry {
  readonly description?: string;
  readonly object?: NamedValues;
}

/** Scopes that every function reaches. */
const shared = /^(?:Global|Script)/;
/** What the inspector shows of a bound function, and of a promise. */
const isInner = /^\[\[(?:TargetFunction|Bound\w+|PromiseResult)\]\]$/;
const key = Symbol.for('plimsoll.scopes.v1');
const group = 'plimsoll.scopes';
/** Most variables of a scope. A scope with more belongs to generated code. */
const mostVariables = 500;

interface Exchange {
  given: unknown;
  taken: unknown;
}

/**
 * Reads the variables of closures and private fields of objects through an inspector session in this thread. It pauses nothing, runs no
 * getter and causes no collection. `release` releases every handle that V8 keeps for the session.
 */
export class FunctionScopes implements Disposable {
  readonly #session: Session;
  readonly #exchange: Exchange = { given: undefined, taken: undefined };

  private constructor(session: Session) {
    this.#session = session;
  }

  /** Opens a session; undefined without an inspector. */
  static open(): FunctionScopes | undefined {
    const session = inspectorSession();
    return session === undefined ? undefined : new FunctionScopes(session);
  }

  /** The data of an object; undefined when the inspector cannot read it. */
  openedOf(value: object): OpenedObject | undefined {
    const found = this.#properties(value);
    if (found === undefined) return undefined;
    const { internalProperties: internal = [], privateProperties: fields = [] } = found;
    const scopesId = internal.find(({ name }) => name === '[[Scopes]]')?.value?.objectId;
    return {
      scriptId: scriptOf(internal),
      scopes: () => (scopesId === undefined ? [] : this.#scopes(scopesId)),
      privates: () => ({ ...numbersOf(fields), ...this.#valuesOf(fields) }),
      inner: () => this.#valuesOf(internal.filter(({ name }) => isInner.test(name))),
    };
  }

  /** Releases the objects that V8 keeps for this session. */
  release(): void {
    this.#exchange.given = undefined;
    this.#exchange.taken = undefined;
    this.#post('Runtime.releaseObjectGroup', { objectGroup: group });
  }

  [Symbol.dispose](): void {
    this.release();
  }

  /** The global scope and the scope of classic scripts are left out, because all functions reach them. */
  #scopes(scopesId: string): readonly NamedValues[] {
    const taken = this.#call(scopesId, 'function () { EXCHANGE.taken = Array.from(this); }');
    if (!Array.isArray(taken)) return [];
    return (taken as readonly ScopeEntry[]).flatMap(({ description = '', object }) =>
      object === undefined || shared.test(description) || Object.keys(object).length > mostVariables
        ? []
        : [dataOf(object)],
    );
  }

  #valuesOf(fields: readonly RemoteProperty[]): NamedValues {
    const ids = fields.flatMap(({ name, value }) =>
      value?.objectId === undefined ? [] : [{ name, objectId: value.objectId }],
    );
    const first = ids[0]?.objectId;
    if (first === undefined) return {};
    const values = this.#call(first, 'function (...all) { EXCHANGE.taken = all; }', ids);
    return Array.isArray(values) ? Object.fromEntries(ids.map(({ name }, i) => [name, values[i]])) : {};
  }

  #properties(value: object): Properties | undefined {
    const objectId = this.#idOf(value);
    if (objectId === undefined) return undefined;
    return this.#post('Runtime.getProperties', { objectId, ownProperties: true }) as Properties | undefined;
  }

  #idOf(value: object): string | undefined {
    this.#exchange.given = value;
    const found = this.#within(() =>
      this.#post('Runtime.evaluate', {
        expression: `globalThis[Symbol.for('${key.description}')].given`,
        objectGroup: group,
        silent: true,
      }),
    ) as { readonly result?: RemoteValue } | undefined;
    return found?.result?.objectId;
  }

  #call(objectId: string, code: string, args: readonly { readonly objectId: string }[] = []): unknown {
    this.#exchange.taken = undefined;
    this.#within(() =>
      this.#post('Runtime.callFunctionOn', {
        objectId,
        functionDeclaration: code.replace('EXCHANGE', `globalThis[Symbol.for('${key.description}')]`),
        arguments: args.map(({ objectId: id }) => ({ objectId: id })),
        silent: true,
      }),
    );
    const { taken } = this.#exchange;
    this.#exchange.taken = undefined;
    return taken;
  }

  /** Makes the exchange object global for code that the inspector runs, during that call only. */
  #within<T>(work: () => T): T {
    const holder = globalThis as { [key]?: Exchange };
    Object.defineProperty(holder, key, { value: this.#exchange, configurable: true });
    try {
      return work();
    } finally {
      delete holder[key];
    }
  }

  /** The callback of a session in its own thread runs before `post` returns. */
  #post(method: string, parameters: object): unknown {
    let answer: unknown;
    this.#session.post(method, parameters, (error, found) => {
      if (error === null) answer = found;
    });
    return answer;
  }
}

function scriptOf(internal: readonly RemoteProperty[]): string | undefined {
  const place = internal.find(({ name }) => name === '[[FunctionLocation]]')?.value?.value;
  return typeof place === 'object' ? place.scriptId : undefined;
}

function numbersOf(fields: readonly RemoteProperty[]): NamedValues {
  return Object.fromEntries(
    fields.flatMap(({ name, value }) =>
      typeof value?.value === 'number' ? [[name, value.value] as const] : [],
    ),
  );
}

/** The variables that have a value: where one has none yet, V8 throws when it is looked at. */
function dataOf(scope: NamedValues): NamedValues {
  const found: Record<string, unknown> = {};
  for (const name of Object.keys(scope))
    try {
      found[name] = scope[name];
    } catch {
      // It has none.
    }
  return found;
}
