/**
 * What is left of a string when its content must not leave the machine: its class and its length, e.g. `<serial:8>` for
 * "sess-476". The class is what the analysis looks at, so an analysis of placeholders gives the results of the original.
 */
export type TextClass = (typeof textClasses)[number];

export const textClasses = [
  'integer',
  'timestamp',
  'uuid',
  'hex',
  'serial',
  'email',
  'url',
  'path',
  'json',
  'word',
  'text',
] as const;

const shown = new RegExp(`^<(${textClasses.join('|')}):(\\d+)(?:#\\d+)?>$`);

/** The class a text belongs to; of a placeholder, the class it stands for. */
export function textClassOf(text: string): TextClass {
  const known = shown.exec(text);
  if (known !== null) return known[1] as TextClass;
  if (/^\d+$/.test(text)) return /^(1[4-9]|2\d)\d{8}(\d{3})?$/.test(text) ? 'timestamp' : 'integer';
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)) return 'timestamp';
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)) return 'uuid';
  if (/^[0-9a-f]{12,}$/i.test(text)) return 'hex';
  if (/^[^\s@]{1,64}@[^\s@]+\.[^\s@]+$/.test(text)) return 'email';
  if (/^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(text)) return 'url';
  if (/^(?:\.{0,2}\/|[a-z]:\\)\S+$/i.test(text)) return 'path';
  if (/^[^\s\d][^\s]{0,60}?\d+$/.test(text)) return 'serial';
  if (/^\s*[[{]/.test(text)) return 'json';
  return /^[\w$#-]+$/.test(text) ? 'word' : 'text';
}

/** The placeholder of a text of this class and length. */
export function placeholderFor(kind: TextClass, length: number): string {
  return `<${kind}:${length}>`;
}

/** The placeholder of a text; that of a placeholder is the same, the empty string stays, since neither has content. */
export function placeholderOf(text: string): string {
  return text === '' ? text : placeholderFor(textClassOf(text), textLengthOf(text));
}

/**
 * A placeholder that no other string of the table has, for names by which objects are told apart; not shorter than the
 * name, since plain objects are named by as many properties as fit.
 */
export function uniquePlaceholderOf(text: string, index: number): string {
  return text === '' ? text : numbered(placeholderOf(text), index, text.length);
}

/** A placeholder with the index of its string in it, at least as long as `length`. */
export function numbered(placeholder: string, index: number, length: number): string {
  const start = `${placeholder.slice(0, -1)}#`;
  return `${start}${String(index).padStart(length - start.length - 1, '0')}>`;
}

/** True for a text that is already a placeholder. */
export function isPlaceholder(text: string): boolean {
  return shown.test(text);
}

/** Characters of the text a placeholder stands for, or of the text itself. */
export function textLengthOf(text: string): number {
  const known = shown.exec(text);
  return known === null ? text.length : Number(known[2]);
}

/** First entry of a redacted snapshot's string table, where V8 writes "<dummy>" and refers to it from nowhere. */
export const redactedMark = '<redacted by plimsoll>';
