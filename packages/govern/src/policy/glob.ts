/** A name pattern. `*` matches any characters, `?` matches exactly one, other characters match themselves. */
export interface Glob {
  readonly text: string;
  /** Literal and `?` characters; of two globs that match, the one with more of them wins. */
  readonly specificity: number;
  /** True when the glob has no wildcard, so that it beats every glob that has one. */
  readonly exact: boolean;
  readonly matches: (name: string) => boolean;
}

export function compileGlob(text: string): Glob {
  const pattern = text.replace(/\*+/g, '*');
  const exact = !/[*?]/.test(pattern);
  return {
    text,
    specificity: pattern.replaceAll('*', '').length,
    exact,
    matches: matcherOf(pattern, exact),
  };
}

function matcherOf(pattern: string, exact: boolean): (name: string) => boolean {
  if (exact) return (name) => name === pattern;
  if (pattern === '*') return () => true;
  if (/^[^*?]+\*$/.test(pattern)) {
    const prefix = pattern.slice(0, -1);
    return (name) => name.startsWith(prefix);
  }
  return (name) => matchesWildcards(pattern, name, '?');
}

/**
 * Whether a pattern with `*` matches a text. `one` matches exactly one character. It is greedy with one point of return and O(text x
 * pattern) at worst. A regular expression with many stars could take exponential time.
 */
export function matchesWildcards(pattern: string, text: string, one?: '?'): boolean {
  let p = 0;
  let at = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    if (pattern[p] === '*') {
      star = p++;
      resume = at;
    } else if (p < pattern.length && (pattern[p] === one || pattern[p] === text[at])) {
      p++;
      at++;
    } else if (star >= 0) {
      p = star + 1;
      at = ++resume;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

/** Orders globs from the most to the least specific. */
export function bySpecificity(a: Glob, b: Glob): number {
  return Number(b.exact) - Number(a.exact) || b.specificity - a.specificity;
}

/** True when neither of two globs is more specific and some name matches both, so that neither can win. */
export function isTie(a: Glob, b: Glob): boolean {
  return bySpecificity(a, b) === 0 && overlap(a.text, b.text);
}

/** Whether some name matches both patterns, by walking both at once. */
export function overlap(a: string, b: string): boolean {
  const seen = new Set<number>();
  const walk = (i: number, j: number): boolean => {
    if (i === a.length && j === b.length) return true;
    const key = i * (b.length + 1) + j;
    if (seen.has(key)) return false;
    seen.add(key);
    if (a[i] === '*' && (walk(i + 1, j) || (j < b.length && walk(i, j + 1)))) return true;
    if (b[j] === '*' && (walk(i, j + 1) || (i < a.length && walk(i + 1, j)))) return true;
    if (i === a.length || j === b.length || a[i] === '*' || b[j] === '*') return false;
    return (a[i] === b[j] || a[i] === '?' || b[j] === '?') && walk(i + 1, j + 1);
  };
  return walk(0, 0);
}
