/** The text of a JSON string given the bytes between its quotes; bytes that are no JSON stand for themselves. */
export function decodeString(raw: Buffer): string {
  const text = raw.toString('utf8');
  if (raw.indexOf(92) === -1) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
