import type { DeclaredLimits } from './declared-limits.ts';
import type { KeySample } from './key-sample.ts';
import type { ListenerFunction } from './listener-list.ts';

/** One step of a path: the reference that leads to an object, and the class of the object. */
export interface PathStep {
  readonly via: string;
  readonly name: string;
}

/**
 * Kinds of containers other than Map, Set and array.
 * - `lists`: the lists in the entries of a container, counted together.
 * - `chain`: objects that lead to one another by the same property.
 * - `closures`: functions that lead to one another by the same variable.
 * - `text`: a long string that is added to, counted in KiB.
 */
export type ContainerKind =
  | 'Map'
  | 'Set'
  | 'Array'
  | 'object'
  | 'listeners'
  | 'lists'
  | 'chain'
  | 'closures'
  | 'text'
  | 'resources';

export interface FoundContainer {
  readonly path: readonly PathStep[];
  readonly kind: ContainerKind;
  /** The container. For a chain it is the object with its first link. */
  readonly object: object;
  /**
   * For a chain: the property of the first link (undefined when it is a variable) and the property of further links. For a text: its own
   * property. For lists: the field of an entry with its list, undefined when the entries are lists.
   */
  readonly links?: { readonly first: string | undefined; readonly next: string } | undefined;
  /** The number of entries when it is only known at the walk. */
  readonly count?: number;
  /** For an object, or lists in one: a few of its keys and their number, because listing them takes long. */
  readonly sample?: KeySample | undefined;
  readonly listener?: ListenerFunction | undefined;
  /** What it or its owner says of how much it keeps. */
  readonly limits?: DeclaredLimits | undefined;
  /** For a Map with the indexes of entries: its owner's lists with their parts. */
  readonly beside?: readonly (readonly unknown[])[] | undefined;
}
