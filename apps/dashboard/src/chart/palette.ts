/** Colours of the shown theme, read from the style sheet, because a canvas has no style sheet. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
