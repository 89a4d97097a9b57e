/** Usual size of message windows. Shorter lists may be windows that are not full yet. */
const usualWindow = 32;

/** Whether so many entries in so many lists may be windows that fill, e.g. the last 20 messages of each conversation. */
export function mayBeWindows(entries: number, lists: number): boolean {
  return entries < usualWindow * lists;
}

/** The end of the sentence about such lists. */
export function eachText(entries: number, lists: number): string {
  return `${Math.round(entries / lists)} each: windows that are not full yet look the same, so run it longer`;
}
