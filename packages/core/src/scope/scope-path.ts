/** Longest kind and name kept, in characters. */
const maxLength = 200;

// Separators, the escape itself, controls, line separators, bidirectional overrides and lone surrogates: whatever would
// let one scope be read as another in a path, a log line or a terminal.
const oddInKind =
  /[/%:\u0000-\u0020\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu;
const oddInName =
  /[/%\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu;
const plain = /^[\w .:@+-]*$/;
const plainKind = /^[\w.@+-]*$/;

/** One step of a scope path, `kind:name`, with odd characters percent-escaped so that it can be read back. */
export function pathSegment(kind: string, name: string): string {
  const safeKind = plainKind.test(kind) ? kind : kind.replace(oddInKind, escape);
  const safeName = plain.test(name) ? name : name.replace(oddInName, escape);
  return `${safeKind}:${safeName}`;
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
