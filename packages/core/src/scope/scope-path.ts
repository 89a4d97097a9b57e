/** Longest kind and name kept, in characters. */
const maxLength = 200;

// Separators, the escape itself, controls, format characters such as bidirectional overrides, line separators and lone
// surrogates: whatever would let one scope be read as another in a path, a log line or a terminal.
const oddInKind = /[/%:\s\p{Cc}\p{Cf}\p{Cs}]/gu;
const oddInName = /[/%\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const plainKind = /^[\w.@+-]*$/;
const plainName = /^[\w .:@+-]*$/;

/** One step of a scope path, `kind:name`, with odd characters percent-escaped so that it can be read back. */
export function pathSegment(kind: string, name: string): string {
  const safeKind = plainKind.test(kind) ? kind : kind.replace(oddInKind, escape);
  const safeName = plainName.test(name) ? name : name.replace(oddInName, escape);
  return `${safeKind}:${safeName}`;
}

/**
 * The path of one scope as a step after that of its parent. It outlives the scope with what is inside it, so it has names and no record. Most
 * paths are never read, so the text is made when somebody asks: escaping takes as long as all else that opening a scope does.
 */
export class LinkedPath {
  readonly #kind: string;
  readonly #name: string;
  readonly #up: LinkedPath | undefined;
  #path: string | undefined = undefined;

  constructor(kind: string, name: string, up: LinkedPath | undefined) {
    this.#kind = kind;
    this.#name = name;
    this.#up = up;
  }

  get path(): string {
    return this.#path ?? LinkedPath.#make(this);
  }

  /** A loop, because a path may have a thousand steps. */
  static #make(last: LinkedPath): string {
    const missing: LinkedPath[] = [];
    let at: LinkedPath | undefined = last;
    for (; at !== undefined && at.#path === undefined; at = at.#up) missing.push(at);
    let path = at === undefined ? undefined : at.#path;
    for (let step = missing.pop(); step !== undefined; step = missing.pop())
      step.#path = path = path === undefined ? 'process' : `${path}/${pathSegment(step.#kind, step.#name)}`;
    return path as string;
  }
}

/** The first 200 characters as a string of its own; a slice would keep the whole of a longer one alive. */
export function clip(text: string): string {
  return text.length <= maxLength ? text : ownCopy(text.slice(0, maxLength));
}

/** A flat copy that shares no memory with the string it was cut from. */
export function ownCopy(text: string): string {
  return Buffer.from(text).toString();
}

function escape(character: string): string {
  const code = character.codePointAt(0) as number;
  return code < 0x80
    ? `%${code.toString(16).toUpperCase().padStart(2, '0')}`
    : `%u${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
