/**
 * The shape of a policy document as data. The checks of the loader, the texts of errors and the JSON Schema for editors come from this one
 * definition, so they always agree.
 */
export type Shape<T = unknown> = Leaf<T> | Table<T> | Named<T> | List<T> | Choice<T>;

/** A scalar with one accepted form. */
export interface Leaf<T> {
  readonly kind: 'leaf';
  /** Reads after "it has to be": "a size with a unit such as 64MiB". */
  readonly accepted: string;
  /** A value to show in a fix. */
  readonly example: string;
  /** Set when a bare number is refused because its unit would be a guess. */
  readonly unit?: 'size' | 'duration' | 'percent';
  /** The accepted words, when the form is a list of words. */
  readonly words?: readonly string[];
  /** The words are names of actions, which have their own error. */
  readonly actions?: boolean;
  /** The value may be a secret, so a refusal does not show it. */
  readonly hidden?: boolean;
  readonly read: (value: string | number | boolean) => T | undefined;
  readonly json: JsonSchema;
}

/** A map with fixed keys; any other key is refused. */
export interface Table<T> {
  readonly kind: 'table';
  /** "a budget": used in "is not a key of a budget". */
  readonly noun: string;
  readonly keys: Readonly<Record<string, Key>>;
  /** Exactly one key has to be present. It names one thing, and its value has the options. */
  readonly single?: boolean;
  /** The keys are names of actions, which have their own error. */
  readonly actions?: boolean;
  readonly value?: T;
}

export interface Key<T = unknown, R extends boolean = boolean> {
  readonly shape: Shape<T>;
  readonly about: string;
  readonly required: R;
}

/** A map from names (or globs) the author chooses to values of one shape. */
export interface Named<T> {
  readonly kind: 'named';
  readonly noun: string;
  readonly item: Shape;
  readonly value?: T;
}

export interface List<T> {
  readonly kind: 'list';
  readonly noun: string;
  readonly item: Shape;
  readonly value?: T;
}

/** Either a word or a map, decided by the form of the value. */
export interface Choice<T> {
  readonly kind: 'choice';
  readonly word: Leaf<unknown>;
  readonly table: Shape;
  readonly value?: T;
}

export type JsonSchema = { readonly [key: string]: unknown };

export type ValueOf<S> = S extends Shape<infer T> ? T : never;

type Keys = Record<string, Key>;
type KeysWith<K extends Keys, R extends boolean> = {
  [P in keyof K]: K[P] extends Key<unknown, R> ? P : never;
}[keyof K];
type TableValue<K extends Keys> = {
  readonly [P in KeysWith<K, true>]: ValueOf<K[P]['shape']>;
} & { readonly [P in KeysWith<K, false>]?: ValueOf<K[P]['shape']> };

export function required<T>(shape: Shape<T>, about: string): Key<T, true> {
  return { shape, about, required: true };
}

export function optional<T>(shape: Shape<T>, about: string): Key<T, false> {
  return { shape, about, required: false };
}

export function table<K extends Keys>(noun: string, keys: K): Table<TableValue<K>> {
  return { kind: 'table', noun, keys };
}

export function named<T>(noun: string, item: Shape<T>): Named<Readonly<Record<string, T>>> {
  return { kind: 'named', noun, item };
}

export function list<T>(noun: string, item: Shape<T>): List<readonly T[]> {
  return { kind: 'list', noun, item };
}
