import type { Analysis } from '../analysis.ts';
import type { Suspect } from '../suspects/suspects.ts';
import { bytesText, countText, msText } from '../byte-text.ts';
import { plain, type Paint } from './paint.ts';
import { sparkline } from './sparkline.ts';
import { textTable } from './table.ts';
import { traceText } from './trace-text.ts';

interface TextOptions {
  readonly paint?: Paint;
  /** Suspects shown with their traces; default 3. */
  readonly traces?: number;
}

/** An analysis for the terminal. */
export function analysisText(analysis: Analysis, options: TextOptions = {}): string {
  const paint = options.paint ?? plain;
  const shown = analysis.suspects.slice(0, options.traces ?? 3);
  const parts = [
    headText(analysis, paint),
    ...shown.map((suspect, i) => suspectText(suspect, i, analysis.suspects.length, paint)),
  ];
  if (shown.length === 0)
    parts.push('No suspects: nothing accumulates more than 1 % of the heap in one place.');
  const rest = analysis.suspects.length - shown.length;
  if (rest > 0) parts.push(`… and ${rest} more suspect${rest === 1 ? '' : 's'} with --json or --html`);
  if (analysis.scopes !== undefined) parts.push(scopesText(analysis.scopes));
  if (analysis.observations.length > 0) {
    parts.push(['also seen', ...analysis.observations.map((entry) => `  ${entry.text}`)].join('\n'));
  }
  parts.push(constructorsText(analysis));
  return `${parts.join('\n\n')}\n`;
}

function headText(analysis: Analysis, paint: Paint): string {
  const sizes = analysis.constructors.map((row) => row.shallowBytes);
  return [
    `${paint.bold(analysis.file)}  ${bytesText(analysis.heapBytes)} heap, ${countText(analysis.nodes)} nodes, ${countText(analysis.edges)} edges`,
    `read ${msText(analysis.ms.read)}, dominators ${msText(analysis.ms.dominators)}, suspects ${msText(analysis.ms.suspects)}; peak memory ${bytesText(analysis.peakRssBytes)}; own bytes by class ${sparkline(sizes)}`,
  ].join('\n');
}

/** One suspect with its trace, its expression and its cure. */
export function suspectText(suspect: Suspect, index: number, count: number, paint: Paint = plain): string {
  const lines = [
    `${paint.bold(`suspect ${index + 1} of ${count}`)}   fingerprint ${suspect.fingerprint}   ${severityText(suspect, paint)}`,
    suspect.summary,
    traceText(suspect.trace, paint),
    `code: ${suspect.code}`,
  ];
  for (const other of suspect.otherTraces ?? []) {
    lines.push('that path is weak evidence; another:', traceText(other, paint));
  }
  if (suspect.holders > 1)
    lines.push(
      `also: ${suspect.holders - 1} more with the same fingerprint, ${bytesText(suspect.retainedBytes)} in all`,
    );
  if (suspect.keys !== undefined)
    lines.push(`keys: generated (${suspect.keys}); a collection keyed so is never full by itself`);
  if (suspect.knownLeak !== undefined) {
    const { framework, versions, title, cure, link } = suspect.knownLeak;
    lines.push(`known leak: ${framework} ${versions}: ${title}`, `cure: ${cure}`, `link: ${link}`);
  }
  return lines.map((line, i) => (i === 0 ? line : line.replaceAll(/^/gm, '  '))).join('\n');
}

function severityText(suspect: Suspect, paint: Paint): string {
  if (suspect.severity === 'high' || suspect.severity === 'critical') return paint.red(suspect.severity);
  return suspect.severity === 'medium' ? paint.yellow(suspect.severity) : suspect.severity;
}

function scopesText(scopes: NonNullable<Analysis['scopes']>): string {
  const rows = scopes.slice(0, 20).map((row) => [row.path, row.state, bytesText(row.retainedBytes)]);
  const more = scopes.length > 20 ? `\n… and ${scopes.length - 20} more scopes` : '';
  return textTable(['scope', 'state', 'retained'], rows) + more;
}

function constructorsText(analysis: Analysis): string {
  return textTable(
    ['constructor', 'count', 'own', 'retained'],
    analysis.constructors.map((row) => [
      row.name,
      countText(row.count),
      bytesText(row.shallowBytes),
      bytesText(row.retainedBytes),
    ]),
  );
}
