/**
 * Gives the page a language that Intl accepts. Chromium reports `en-US@posix` when it starts with LANG=C, and uPlot makes a number format
 * of `navigator.language` while it loads: the RangeError left the page blank. This module must be imported before uPlot.
 */
export function usableLanguage(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en-US';
  } catch {
    return 'en-US';
  }
}

if (typeof navigator === 'object') {
  const usable = usableLanguage(navigator.language);
  if (usable !== navigator.language) Object.defineProperty(navigator, 'language', { value: usable });
}
