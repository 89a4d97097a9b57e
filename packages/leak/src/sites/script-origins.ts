import { installedFile } from '../audit/installed-file.ts';

/** Origin of a script: the program, an installed package, or Node.js and Plimsoll. */
export type ScriptOrigin = 'program' | 'package' | 'other';

/** Most scripts that are distinguished. */
const mostScripts = 5000;

/**
 * Origins of scripts by V8's ids, for scripts that allocated. Ids count up, so a script older than the preload, or than all known scripts
 * of the program, belongs to Node.js.
 */
export class ScriptOrigins {
  readonly #known = new Map<string, ScriptOrigin>();
  readonly #packaged = new Map<string, string>();
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

  /** Takes a script of the preload, which is older than the program. A host that was attached later is younger and cannot be used. */
  begin(scriptId: string): void {
    this.#oldest = Math.min(this.#oldest, Number(scriptId));
    if (!this.#known.has(scriptId)) this.#known.set(scriptId, 'other');
  }

  /** Takes the file of a script and returns its origin. */
  add(scriptId: string, file: string): ScriptOrigin {
    const isOther = file === '' || file.startsWith('node:') || this.#isOwn(file);
    const origin = isOther ? 'other' : installedFile(file) ? 'package' : 'program';
    if (!isOther) {
      this.#oldest = Math.min(this.#oldest, Number(scriptId));
      this.#isKnown = true;
    }
    if (this.#known.size < mostScripts) {
      this.#known.set(scriptId, origin);
      if (origin === 'package') this.#packaged.set(scriptId, file);
    }
    return origin;
  }

  /** The origin; undefined for an unknown script, which is a package or a part of Node.js that was loaded late. */
  of(scriptId: string): ScriptOrigin | undefined {
    return this.#known.get(scriptId) ?? (Number(scriptId) < this.#oldest ? 'other' : undefined);
  }

  /** The file of a package's script that has allocated. */
  packagedFile(scriptId: string): string | undefined {
    return this.#packaged.get(scriptId);
  }
}
