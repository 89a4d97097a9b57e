const mostFrames = 8;
const mostChars = 160;

/** The functions and places of a stack, without the message before them: `load (file:///app/server.js:41:7)`. With `after`, those below that one. */
export function framesOf(stack: string | undefined, after?: string): string[] {
  if (typeof stack !== 'string') return [];
  const lines = stack.split('\n').map((line) => line.trim());
  const from = after === undefined ? 0 : lines.findLastIndex((line) => line.includes(after));
  if (from === -1) return [];
  return lines
    .slice(from)
    .filter(
      (line) => /^at .+:\d+:\d+\)?$/.test(line) && !line.includes('(node:') && !line.includes('at node:'),
    )
    .slice(0, mostFrames)
    .map((line) => line.slice(3, 3 + mostChars));
}

/** Phrases of V8 and Node that say why, and hold nothing of the user's. */
const phrases = [
  'Array buffer allocation failed',
  'Maximum call stack size exceeded',
  'Invalid string length',
  'Invalid array length',
  'Map maximum size exceeded',
  'Set maximum size exceeded',
  'reaching memory limit',
  'no space left on device',
  'Cannot create a string longer than',
] as const;

/** The known phrase that a message contains. */
export function phraseOf(message: string | undefined): string | null {
  return phrases.find((phrase) => message?.includes(phrase) === true) ?? null;
}
