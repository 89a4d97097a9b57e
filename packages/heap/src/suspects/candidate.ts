/** Something that holds much of one kind: what a suspect is before its path is known. */
export interface Candidate {
  /**
   * `collection`: many alike in one array, map, set or dictionary. `fan`: many alike that one object alone keeps alive, such
   * as the nodes of a doubly linked list. `chain`: each keeps the next alive. `handles`: many alike held by native code.
   * `large`: one object that keeps much alive for itself.
   */
  readonly kind: 'collection' | 'fan' | 'chain' | 'handles' | 'large';
  /** The node that holds the many; a visible object, or a root category for `handles`. */
  readonly holder: number;
  /** One of the many, of middle size. */
  readonly entry: number;
  /** The nodes between holder and entry where they are known. */
  readonly between?: readonly number[];
  readonly count: number;
  /** Bytes kept alive by the many. */
  readonly bytes: number;
}
