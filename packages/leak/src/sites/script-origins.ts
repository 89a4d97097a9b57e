import { installedFile } from '../audit/call-site.ts';

/** Whose a script is: the program's own, that of a package which it has installed, or of Node.js and ours. */
export type ScriptOrigin = 'program' | 'package' | 'other';

/** More scripts than this are not told apart. */
const mostScripts = 5000;

/**
 * Whose scripts are, by V8's ids, as far as they were seen to allocate. Ids count up: what is older than the preload, or than all of the
 * program that is known, belongs to Node.js.
 */
export class ScriptOrigins {
  readonly #known = new Map<string, ScriptOrigin>();
  readonly #isOwn: (file: string) => boolean;
  #oldest = Number.POSITIVE_INFINITY;
  #isKnown = false;

  constructor(isOwn: (file: string) => boolean) {
    this.#isOwn = isOwn;
  }

  /** Whether any script of the program is known. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Takes in a script of the preload, which is older than the program. One that was attached later is younger and says nothing. */
  begin(scriptId: string): void {
    this.#oldest = Math.min(this.#oldest, Number(scriptId));
    if (!this.#known.has(scriptId)) this.#known.set(scriptId, 'other');
  }

  /** Takes in the file of a script, and says whose it is. */
  add(scriptId: string, file: string): ScriptOrigin {
    const isOther = file === '' || file.startsWith('node:') || this.#isOwn(file);
    const origin = isOther ? 'other' : installedFile(file) ? 'package' : 'program';
    if (!isOther) {
      this.#oldest = Math.min(this.#oldest, Number(scriptId));
      this.#isKnown = true;
    }
    if (this.#known.size < mostScripts) this.#known.set(scriptId, origin);
    return origin;
  }

  /** Undefined where it is not known; then it is a package, or a part of Node.js that was loaded late. */
  of(scriptId: string): ScriptOrigin | undefined {
    return this.#known.get(scriptId) ?? (Number(scriptId) < this.#oldest ? 'other' : undefined);
  }
}
