/**
 * The shape of a policy document as data: one definition gives the loader its checks, every error its words
 * and editors their JSON Schema, so the three cannot drift apart.
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
  /** What is written may be a secret, and is not shown when it is refused. */
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
  /** Exactly one key has to be present: the map names one thing and gives its options. */
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

/** Either a word or a map, told apart by what is written. */
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
