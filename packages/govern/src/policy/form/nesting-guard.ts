const maxLineLength = 1000;
const maxIndent = 200;
const maxBrackets = 100;
const maxCompact = 40;

/**
 * The first place where a text nests deeper than the YAML parser can bear. The parser recurses: 100,000 times "- " on one
 * line ends in a failed allocation of the regular-expression compiler, which aborts the process instead of throwing.
 */
export function findDeepNesting(text: string): { line: number; column: number } | undefined {
  let brackets = 0;
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string;
    const indent = line.length - line.trimStart().length;
    if (line.length > maxLineLength) return { line: i + 1, column: maxLineLength };
    if (indent > maxIndent) return { line: i + 1, column: maxIndent };
    if ((line.match(/^\s*(?:[-?:]\s+)*/)?.[0].match(/[-?:]/g)?.length ?? 0) > maxCompact)
      return { line: i + 1, column: indent + 1 };
    for (const bracket of withoutText(line).matchAll(/[[\]{}]/g)) {
      const opens = bracket[0] === '[' || bracket[0] === '{';
      brackets = Math.max(0, brackets + (opens ? 1 : -1));
      if (brackets > maxBrackets) return { line: i + 1, column: bracket.index + 1 };
    }
  }
  return undefined;
}

/** The line with comments and quoted text blanked, so that brackets in them do not count. */
function withoutText(line: string): string {
  return line
    .replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (quoted) => ' '.repeat(quoted.length))
    .replace(/(^|\s)#.*$/, '$1');
}
