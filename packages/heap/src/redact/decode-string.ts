/** The text of a JSON string given the bytes between its quotes; bytes that are no JSON stand for themselves. */
export function decodeString(bytes: Buffer, start = 0, end = bytes.length): string {
  const text = bytes.toString('utf8', start, end);
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
