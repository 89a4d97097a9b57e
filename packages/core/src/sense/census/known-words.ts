/**
 * Which short strings of scopes of one kind other scopes have, too.
 *
 * JSON.parse makes equal strings of up to ten characters one, for the whole process: a stock number, a status, a zip code. Where equal
 * strings of a name were found to be one, that of another scope is the same one, and belongs to neither.
 */

/** At about 40 bytes each; then all are forgotten and learned again. */
const mostWords = 4096;
const ofSeveral = -1;

export class KnownWords {
  /** By a hash of the word, the scope that has it. Who remembered the word itself would keep it alive. */
  #owners = new Map<number, number>();

  /** Whether a scope other than this one was seen to have the word. */
  isOfOthers(text: string, scope: number): boolean {
    const hash = hashOf(text);
    const owner = this.#owners.get(hash);
    if (owner === scope) return false;
    if (owner === undefined) {
      if (this.#owners.size >= mostWords) this.#owners = new Map();
      this.#owners.set(hash, scope);
      return false;
    }
    if (owner !== ofSeveral) this.#owners.set(hash, ofSeveral);
    return true;
  }
}

function hashOf(text: string): number {
  let hash = text.length;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}
