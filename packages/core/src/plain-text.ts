/** C0 except tab and newline, DEL, C1, and the characters that reorder or hide text around them. */
// eslint-disable-next-line no-control-regex -- this is what it looks for
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Writes control characters as `\x1b` or `\u202e`. Text from a file or a peer may hold escape sequences that clear a terminal or fake a line
 * of output; whoever prints such text escapes it first.
 */
export function plainText(text: string): string {
  return text.replace(unsafe, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
  });
}
