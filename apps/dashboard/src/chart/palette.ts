/** Colours of the shown theme, read from the style sheet, because a canvas cannot follow it by itself. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
